package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/archive"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// places are where copies of memories are known to lie.
type places struct {
	remote bool
	// state holds the table, unless it is remote, and what stands beside it.
	state string
	// backups are ours, also those the caller named: rows are taken out of them.
	backups []string
	// others are files of the TypeScript plugin, which are only looked at.
	others []string
}

func (e *Engine) placesOf(db *store.Store, also []string) places {
	dir, _ := e.backupPlace()
	p := places{state: db.StateDir(), remote: db.StateDir() != db.Path(), backups: append([]string{dir}, also...)}
	if !p.remote {
		unrecovered, _ := filepath.Glob(globbed(db.Path()) + "-unrecovered-*.json") // the pattern is well-formed
		p.others = append(unrecovered, filepath.Join(filepath.Dir(db.Path()), "admission-audit"))
	}
	return p
}

// resolved follows links, which a walk does not. A place that is not there was
// meant to be another one, so that nothing is begun.
func resolved(also []string) ([]string, error) {
	paths := make([]string, len(also))
	for i, path := range also {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			return nil, &BadInputError{Problem: fmt.Sprintf("nothing was erased: what is to be cleaned as well cannot be found: %v", err)}
		}
		paths[i] = real
	}
	return paths, nil
}

// globbed is a path as a pattern that means itself.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// files lists the regular files of the backups.
func (p places) files(each func(path string) error) error {
	for _, root := range p.backups {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			return each(path)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// backedUp finds what the backups have of a memory that is nowhere else.
func (p places) backedUp(ref memory.Ref, who scope.Filter) map[string][]memory.Memory {
	found := map[string][]memory.Memory{}
	look := archive.Editor{Row: func(m *memory.Memory) (keep, changed bool) {
		fits := m.ID == ref.Text || (ref.Prefix && strings.HasPrefix(m.ID, ref.Text))
		if fits && (who.All() || (m.Scope != "" && who.Allows(m.Scope))) {
			found[m.ID] = append(found[m.ID], *m)
		}
		return true, false
	}}
	_ = p.files(func(path string) error {
		_, _ = archive.Edit(path, look) // files of other kinds hold no rows
		return nil
	})
	return found
}

// eraseFromBackups takes the rows out of every file of rows. A file that cannot be
// read as one is left to the search that follows.
func (e *Engine) eraseFromBackups(ctx context.Context, x *erasure, where places, a *EraseAnswer) {
	// Nobody may write a backup of what was there before.
	if _, err := os.Stat(where.backups[0]); err == nil {
		unlock, err := archive.Lock(ctx, where.backups[0])
		if err != nil {
			a.Left = append(a.Left, err.Error())
			return
		}
		defer unlock()
		archive.Unfinished(where.backups[0])
	}
	forms := spellingsOf(x.texts)
	edit := archive.Editor{
		Row: func(m *memory.Memory) (keep, changed bool) {
			if x.ids[m.ID] {
				return false, false
			}
			return true, x.clean(m)
		},
		Broken: func(raw []byte) bool {
			_, form := firstOf(raw, forms)
			return form == ""
		},
	}
	files, rows, edited := 0, 0, 0
	err := where.files(func(path string) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		files++
		done, err := archive.Edit(path, edit)
		if err != nil && !errors.Is(err, archive.ErrNoRows) {
			a.Left = append(a.Left, err.Error())
		}
		if n := done.Dropped + done.Changed; err == nil && n > 0 {
			rows += n
			edited++
		}
		return nil
	})
	if err != nil {
		a.Left = append(a.Left, fmt.Sprintf("backups: %v", err))
	}
	a.put("backups and exports", strings.Join(where.backups, ", "), count(files, "file"), removed(rows, "row", edited, "file written anew", "files written anew"))
}

// EraseSearch is the place of a receipt that tells of the search; nothing was looked
// at if there was none.
const EraseSearch = "search for what is left"

// verify looks for the text in every row, every recorded change and every file
// there is, and fills in the rest of the receipt.
func (x *erasure) verify(ctx context.Context, db *store.Store, book *journal.Journal, where places, all bool, a *EraseAnswer) error {
	opaque, err := where.opaque(ctx)
	if err != nil {
		return storage("looking at what was set aside", err)
	}
	for _, dir := range opaque {
		a.Left = append(a.Left, "files of a table that were set aside cannot be looked into and may hold it: "+dir+
			"; delete that directory once `memory-pro doctor --repair` has brought back what it can")
	}
	if where.remote {
		a.Left = append(a.Left, "the bucket: if it keeps old versions of objects, they are out of reach from here; delete them with the provider's own means",
			"other machines that write to this database keep records and backups of their own; repeat it on each of them")
	}
	if len(x.mute) > 0 {
		a.Left = append(a.Left, "the search for what is left: nobody knows any more what "+strings.Join(x.mute, ", ")+
			" said, so that it could not be looked for; the receipt of the first time counts")
	}
	if len(x.texts) == 0 {
		a.put(EraseSearch, "", "", "")
		return nil
	}
	repeats, same, rows, err := x.lookAtRows(ctx, db)
	if err != nil {
		return err
	}
	for _, m := range repeats {
		same = append(same, EraseFinding{Memory: m.ID})
	}
	recorded, changes, err := x.lookAtRecord(ctx, book, a)
	if err != nil {
		return err
	}
	for _, id := range recorded {
		rest, err := db.GetMany(ctx, scope.Operator().Filter(), id)
		if err != nil {
			return storage("looking at what is left", err)
		}
		if _, there := rest[id]; !there {
			same = append(same, EraseFinding{Memory: id, Deleted: true})
		}
	}
	var s scanned
	forms := spellingsOf(x.texts)
	roots := append(append([]string{where.state}, where.backups...), where.others...)
	for _, root := range roots {
		if _, err := os.Lstat(root); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := s.scanTree(ctx, root, forms); err != nil {
			return storage("looking through "+root, err)
		}
	}
	a.put(EraseSearch, where.state, fmt.Sprintf("%s, %s, %s of %s",
		count(rows, "row"), count(changes, "recorded change"), count(len(s.paths), "file"), size(s.bytes)), "")
	a.Left = append(a.Left, s.left...)
	// What lies elsewhere is the operator's to know: an agent learns of its own reach.
	if all {
		a.Found = append(same, s.found...)
	}
	return nil
}

// setAside is where the store keeps damaged files of a table, in the state directory.
const setAside = ".memory-pro.aside"

// opaque lists directories with files that hold rows in a form which cannot be
// searched: those set aside here, and tables among what the caller named. A note
// about them is no such file.
func (p places) opaque(ctx context.Context) (dirs []string, err error) {
	aside := filepath.Join(p.state, setAside)
	if real, err := filepath.EvalSymlinks(aside); err == nil {
		aside = real
	}
	for i, root := range append([]string{aside}, p.backups[1:]...) {
		found := false
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				found = true // nor can that be looked into
			case entry.Type().IsRegular() && filepath.Ext(path) != ".json" && (i == 0 || ofTable(path)):
				found = true
			}
			if found {
				return filepath.SkipAll
			}
			return nil
		})
		if err != nil {
			return dirs, err
		}
		if found && i > 0 && within(root, aside) {
			root = aside
		}
		if found && !slices.Contains(dirs, root) {
			dirs = append(dirs, root)
		}
	}
	return dirs, nil
}

// ofTable reports whether a file is one of a LanceDB table, or was set aside as one.
func ofTable(path string) bool {
	switch filepath.Ext(path) {
	case ".lance", ".manifest", ".txn", ".idx":
		return true
	}
	return slices.Contains(strings.Split(path, string(filepath.Separator)), setAside)
}

// within reports whether a path is a directory or lies in it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}

// lookAtRecord finds memories of whose text the record still tells, and tells
// what of it cannot be read.
func (x *erasure) lookAtRecord(ctx context.Context, book *journal.Journal, a *EraseAnswer) (ids []string, changes int, err error) {
	seen := map[string]bool{}
	for rec, err := range book.Since(0) {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if err != nil {
			a.Left = append(a.Left, "the record of changes: "+err.Error())
			continue
		}
		changes++
		for _, c := range rec.Changes {
			for _, row := range []*journal.Row{c.Before, c.After} {
				if row != nil && !seen[c.ID] && (x.holds(row.Text) || x.holds(row.Metadata)) {
					seen[c.ID] = true
					ids = append(ids, c.ID)
				}
			}
		}
	}
	return ids, changes, nil
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f kB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}
