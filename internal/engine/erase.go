package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// EraseRequest names a memory whose text is to be nowhere any more. It may have
// been deleted before.
type EraseRequest struct {
	Who Who
	// ID is the full id or its first eight or more characters.
	ID string
	// Chain erases the other versions of the statement as well, whatever they say.
	// Without it a memory whose text another version carries is refused.
	Chain bool
	// DryRun only finds out what would be erased.
	DryRun bool
	// Also are files and directories to treat like backups: exports, reject files.
	Also []string
}

// EraseAnswer is the receipt. It does not repeat what was erased, except Text
// after a dry run.
type EraseAnswer struct {
	// ID is the memory that was named, IDs are all that were erased.
	ID  string
	IDs []string
	// Text is what ID says, or said last; only after a dry run.
	Text string
	// Places are what was looked at, and what was removed there.
	Places []ErasePlace
	// Found is where the text still is, Left what could not be done or looked at.
	Found []EraseFinding
	Left  []string
}

// Clean reports whether the text was found nowhere any more, everything could be
// looked at, and it was known what to look for.
func (a EraseAnswer) Clean() bool { return len(a.Found) == 0 && len(a.Left) == 0 }

// ErasePlace is one place that was looked at.
type ErasePlace struct {
	// Name says what it is; Path is a directory, or empty.
	Name, Path string
	// Looked counts what was looked at, Removed what was removed, in words.
	Looked, Removed string
}

// EraseFinding is one place that still holds the text.
type EraseFinding struct {
	// Memory is another memory that says it, of which there is a row, or a record
	// if Deleted; otherwise Path is a file that holds it from Offset on, in the
	// named Form.
	Memory  string
	Deleted bool
	Path    string
	Offset  int64
	Form    string
}

// CarriedError refuses to erase a memory alone whose text its other versions
// carry. Nothing was erased.
type CarriedError struct {
	ID       string
	Versions []string
}

func (e *CarriedError) Error() string {
	return fmt.Sprintf("nothing was erased: other versions of memory %s carry the same text (%s); erase them along with it (--chain)", e.ID, strings.Join(e.Versions, ", "))
}

// Erase removes a memory, and its text from everywhere it is known to lie. The
// steps, in order:
//
//	which memories, and all they ever said (table, record of changes) →
//	kept vectors → table, older versions, indexes, record of changes (store) → backups →
//	recalls and the vectors of their questions → caches → look for the text in every row, every recorded change and every file → receipt
//
// It can be repeated after a failure, or when the process died: what is done already is
// passed over, and the id is enough to find the rest. What only the words can find, the
// kept vectors, goes while the words are still known.
func (e *Engine) Erase(ctx context.Context, r EraseRequest) (EraseAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return EraseAnswer{}, err
	}
	ref, err := memory.ParseRef(r.ID)
	if err != nil {
		return EraseAnswer{}, &BadInputError{Problem: err.Error()}
	}
	db, err := e.opened(ctx)
	if err != nil {
		return EraseAnswer{}, err
	}
	book, err := bookOf(db)
	if err != nil {
		return EraseAnswer{}, err
	}
	also, err := resolved(r.Also)
	if err != nil {
		return EraseAnswer{}, err
	}
	where := e.placesOf(db, also)
	x, err := planErasure(ctx, db, book, where, reader{access: access, filter: access.Filter()}, ref, r)
	if err != nil {
		return EraseAnswer{}, err
	}
	answer := EraseAnswer{ID: x.order[0], IDs: x.order}
	if r.DryRun {
		answer.Text = x.said
		return answer, nil
	}
	e.forgetVectors(x, x.texts, &answer)
	// Rows of others keep what they say; what their metadata repeat of it goes.
	repeats, _, rows, err := x.lookAtRows(ctx, db)
	if err != nil {
		return EraseAnswer{}, err
	}
	gone, err := db.Erase(acting(ctx, r.Who, access), store.EraseRequest{IDs: x.order, Updates: repeats, Scrub: x.scrub})
	if err != nil {
		return EraseAnswer{}, storage("erasing a memory", err)
	}
	answer.Left = append(answer.Left, gone.Left...)
	answer.put("table", db.Path(), count(rows, "row"), removed(gone.Rows, "row", len(repeats), "row cleaned of what it repeated", "rows cleaned of what they repeated"))
	answer.put("older versions", "", "", removed(int(gone.Versions), "version", gone.Files, "file", "files"))
	answer.put("indexes", "", "", strings.Join(gone.Indexes, ", "))
	answer.put("record of changes", "", "", removed(gone.Entries, "change", 0, "", ""))
	e.eraseFromBackups(ctx, x, where, &answer)
	e.eraseFromRecalls(ctx, db, x, &answer)
	e.forgetVectors(x, x.texts, &answer) // of whoever stored or asked meanwhile
	answer.put("kept vectors", "", "", removed(x.vectors, "vector", 0, "", ""))
	answer.put("caches of this process", "", "", removed(e.eraseFromCaches(x), "entry", 0, "", ""))

	// The proof: look at everything again.
	return answer, x.verify(ctx, db, book, where, access.Filter().All(), &answer)
}

func (a *EraseAnswer) put(name, path, looked, gone string) {
	a.Places = append(a.Places, ErasePlace{Name: name, Path: path, Looked: looked, Removed: gone})
}
