package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// A file may have its size and its end and be damaged between them. Only reading
// every row shows that. The rows lie in the order of the fragments, so that a
// stretch of them is read by its place, and nothing of another file with it.

// deepBatch is how many rows one look reads: with vectors of 1,024 numbers 4 MB.
const deepBatch = 1000

// inner is a fragment of which rows cannot be read.
type inner struct {
	fragment manifest.Fragment
	first    uint64 // place of its first row in the table
	lost     uint64 // rows that cannot be read, of fragment.Rows
}

// errShifted: rows do not lie where the manifest says, so that a place says
// nothing about the file. Nothing may be taken out then.
var errShifted = errors.New("the rows do not lie in the order of the table's files")

// lookInside reads all rows of a version that is checked out, and names the
// fragments of which some cannot be read.
func lookInside(ctx context.Context, t *lance.Table, m *manifest.Manifest) (list []inner, err error) {
	place := uint64(0)
	for _, f := range m.Fragments {
		in := inner{fragment: f, first: place}
		for from := uint64(0); from < f.Rows; from += deepBatch {
			lost, err := lookAtRows(ctx, t, in, from, min(deepBatch, f.Rows-from), nil)
			if err != nil {
				return nil, err
			}
			in.lost += lost
		}
		if place += f.Rows; in.lost > 0 {
			list = append(list, in)
		}
	}
	return list, nil
}

// salvage hands over those rows of a damaged fragment that can be read.
func salvage(ctx context.Context, t *lance.Table, in inner) (list []memory.Memory, err error) {
	for from := uint64(0); from < in.fragment.Rows; from += deepBatch {
		_, err := lookAtRows(ctx, t, in, from, min(deepBatch, in.fragment.Rows-from), func(m memory.Memory) {
			if !slices.ContainsFunc(m.Vector, func(x float32) bool { return x != 0 }) {
				m.Vector, m.Metadata.Embedding = nil, memory.EmbeddingPending
			}
			list = append(list, m)
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// lookAtRows reads n rows of a fragment and returns how many of them cannot be
// read: halves of what fails are read for themselves.
func lookAtRows(ctx context.Context, t *lance.Table, in inner, from, n uint64, readable func(memory.Memory)) (lost uint64, err error) {
	rows, err := t.Scan(ctx, lance.ScanQuery{RowID: true, Offset: int(in.first + from), Limit: int(n)})
	switch {
	case err != nil && !undecodable(ctx, err):
		return 0, err
	case err != nil && n == 1:
		return 1, nil
	case err != nil:
		for _, part := range [][2]uint64{{from, n / 2}, {from + n/2, n - n/2}} {
			more, err := lookAtRows(ctx, t, in, part[0], part[1], readable)
			if lost += more; err != nil {
				return lost, err
			}
		}
		return lost, nil
	}
	defer rows.Release()
	if uint64(rows.NumRows()) != n {
		return 0, fmt.Errorf("%w: %d instead of %d from %d on", errShifted, rows.NumRows(), n, in.first+from)
	}
	for _, rec := range rows.Records() {
		c := columnsOf(rec)
		at, ok := c[lance.RowIDColumn].(*array.Uint64)
		for i := range int(rec.NumRows()) {
			switch {
			case !ok || at.Value(i)>>32 != in.fragment.ID:
				return 0, errShifted
			case c.hollow(i):
				lost++
			case readable != nil:
				readable(c.memory(i))
			}
		}
	}
	return lost, nil
}

// undecodable reports whether an error is about what a file holds, and not about
// getting at it.
func undecodable(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	for _, other := range []error{lance.ErrClosed, lance.ErrTimeout, lance.ErrIO, lance.ErrNotFound, lance.ErrConflict} {
		if errors.Is(err, other) {
			return false
		}
	}
	return true
}

// hollow reports whether row i is what zeroed pages decode to: an id without a
// letter, or text with NUL bytes, which nobody stores.
func (c columns) hollow(i int) bool {
	for _, name := range []string{colID, colText, colCategory, colScope, colMetadata} {
		if a, ok := c[name]; !ok || a.IsNull(i) {
			continue
		}
		text := c.text(name, i)
		if (name == colID && text == "") || bytes.IndexByte([]byte(text), 0) >= 0 {
			return true
		}
	}
	return false
}

// insideFaults are the files of those fragments, for people.
func insideFaults(list []inner) (faults []manifest.Fault) {
	for _, in := range list {
		for _, file := range in.fragment.Files {
			if file.Kind == manifest.Data {
				faults = append(faults, manifest.Fault{File: file.Path, Fragment: in.fragment.ID, OfFragment: true,
					Problem: fmt.Sprintf("is damaged inside: %d of %d rows cannot be read", in.lost, in.fragment.Rows)})
			}
		}
	}
	return faults
}

// mendInside looks into every file and takes those with unreadable rows out of the
// table. It returns the rows of them that could be read, for bringing back.
func (s *Store) mendInside(ctx context.Context) (saved []memory.Memory, err error) {
	if !s.local {
		return nil, nil
	}
	// Merging files moves rows, and takes no write lock.
	s.janitor.one.Lock()
	defer s.janitor.one.Unlock()
	fold := newFlock(filepath.Join(s.state, foldFile))
	patience, cancel := context.WithTimeout(ctx, s.lockTimeout)
	defer cancel()
	if _, err := fold.TryLockContext(patience, nextPoll); err != nil {
		return nil, fmt.Errorf("waiting for maintenance to end, before looking into the files of the table: %w; nothing was changed, run it again", err)
	}
	defer fold.Close() //nolint:errcheck // the kernel drops the lock with the file in any case
	err = s.Write(ctx, "doctor --repair", func(tx *Tx) error {
		if err := tx.settle(); err != nil {
			return err
		}
		saved = nil
		f, err := lookAt(tableDir(s.path))
		if err != nil || f.head == nil || !f.whole() {
			return err // opening mends what shows from outside
		}
		var found []inner
		err = s.use(func(t *lance.Table) error {
			if err := t.CheckoutLatest(ctx); err != nil {
				return err
			}
			if found, err = lookInside(ctx, t, f.head); err != nil {
				return err
			}
			for _, in := range found {
				some, err := salvage(ctx, t, in)
				if err != nil {
					return err
				}
				saved = append(saved, some...)
			}
			return nil
		})
		if err != nil || len(found) == 0 {
			return err
		}
		return s.leaveOut(f, found)
	})
	if err != nil {
		return nil, fmt.Errorf("looking into the files of the table: %w", err)
	}
	return saved, nil
}

// leaveOut publishes a version without those fragments. The caller holds the lock.
func (s *Store) leaveOut(f findings, found []inner) error {
	f.faults = insideFaults(found)
	r := remedy{what: "data", reason: "files of rows are damaged inside", base: f.head}
	for _, in := range found {
		r.drop.Fragments = append(r.drop.Fragments, in.fragment.ID)
		r.rows += int64(in.fragment.Rows)
	}
	a, err := s.carryOut(f, r)
	if err != nil {
		return fmt.Errorf("%w; nothing was deleted", err)
	}
	s.logHealed(a, r)
	return s.reopen(false)
}
