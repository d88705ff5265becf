package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/archive"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// ImportRequest is a file of memories to take in.
type ImportRequest struct {
	Who  Who
	From io.Reader
	// Scope is where all rows go; empty leaves each where the file has it.
	Scope string
	// Replace lets a row of the file replace the memory that has its id. Otherwise
	// what is there stays.
	Replace bool
	// DryRun reads and counts, and changes nothing.
	DryRun bool
	// RejectFile gets what could not be taken, with the reason. It is made when
	// there is something to write; empty for none.
	RejectFile string
	// Batch is how many texts are embedded with one request at most; 0 is 128.
	Batch int
	// Progress is told now and then, from one goroutine at a time.
	Progress func(ImportAnswer)
}

// ImportAnswer counts what came of it.
type ImportAnswer struct {
	// Read is rows of the file, and what should have been one. It is the sum of
	// Imported, Replaced, Skipped and Rejected.
	Read, Imported, Replaced, Skipped, Rejected int
	// Differing are those of the skipped whose memory here says something else.
	Differing int
	// Pending are new rows that wait for their vector, because of PendingBecause.
	Pending        int
	PendingBecause string
	// Taken are vectors that came from the file.
	Taken int
	// Undated are those of the imported that got the time of the import, Renamed
	// those that got an id of their content.
	Undated, Renamed int
	// Rejects are the first of the rejected.
	Rejects []Reject
	// RejectFile is where they all are; RejectProblem why they are not.
	RejectFile, RejectProblem string
	// Notes are about the file as a whole.
	Notes []string
	// Interrupted is set when ctx ended before the file did. What is counted is
	// stored; the same import again goes on from there.
	Interrupted bool
	// Bytes of the file were read.
	Bytes int64
}

// Reject is a row that was not taken.
type Reject struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// shownRejects are kept to be shown; the file has all.
const shownRejects = 20

// Import takes a file in, row by row:
//
//	read → scope, clean, date, id → what is there already → embed → lock → look
//	again → commit
//
// Ids are kept, and rows without one get one that depends on their content, so
// that importing a file twice changes nothing. A row that cannot be taken costs
// only itself. Steps run beside each other; memory use does not depend on the
// size of the file, but for about a hundred bytes a row that tell repeated ids.
//
// With an error the answer counts what was stored before it.
func (e *Engine) Import(ctx context.Context, r ImportRequest) (ImportAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return ImportAnswer{}, err
	}
	if r.Scope != "" {
		if _, err := access.Write(r.Scope); err != nil {
			return ImportAnswer{}, err
		}
	}
	file, err := archive.NewReader(r.From)
	if errors.Is(err, archive.ErrNoRows) {
		return ImportAnswer{}, &BadInputError{Problem: "importing: " + err.Error()}
	}
	if err != nil {
		return ImportAnswer{}, fmt.Errorf("importing: reading the file: %w", err)
	}
	db, err := e.opened(ctx)
	if err != nil {
		return ImportAnswer{}, err
	}
	im := &importer{e: e, db: db, r: r, file: file, rejects: rejectFile{path: r.RejectFile}}
	im.gate = gate{access: access, scope: r.Scope, now: e.now().UTC().Truncate(time.Millisecond), seen: map[[16]byte]sighting{}}
	if width := e.vectorsOf(db, file.Header()); width > 0 {
		file.UseVectors()
		im.gate.width = width
	}
	if r.DryRun {
		im.rejects.path = ""
	}
	err = im.run(store.As(ctx, store.Actor{Kind: "import"}))
	if closing := im.rejects.close(); closing != nil {
		im.answer.RejectProblem = closing.Error()
	}
	im.answer.RejectFile, im.answer.Notes = im.rejects.written, file.Notes()
	if im.answer.Pending > 0 && !r.DryRun {
		e.pending.Store(true)
		e.fillSoon()
	}
	if ctx.Err() != nil {
		im.answer.Interrupted = true
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			err = nil // that is what Interrupted says
		}
	}
	return im.answer, err
}

// vectorsOf is the width of the file's vectors if they can be used here: the same
// model wrote them as writes the table's.
func (e *Engine) vectorsOf(db *store.Store, h archive.Header) int {
	v := db.Vectors()
	ours := v.Recorded
	if e.embedder != nil {
		ours = v.Current
	}
	if h.Fingerprint == "" || h.Fingerprint != ours || !v.Match() || (h.Dimensions != 0 && h.Dimensions != v.TableWidth) {
		return 0
	}
	return v.TableWidth
}

// everything is what an import compares with.
func everything() scope.Filter { return scope.Operator().Filter() }
