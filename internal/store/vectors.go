package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// Vectors of two models lie in different spaces: a cosine between them is a
// number without meaning. The store therefore notes beside the table what wrote
// its vectors, and while that is not the configured model it compares none and
// writes none: memories are found by keywords, and new ones wait for a vector
// (metadata "embedding": "pending") until the table is embedded anew.

// VectorState says what wrote the table's vectors and what would write new ones.
type VectorState struct {
	// Recorded is the fingerprint noted for the table; empty if nothing is known.
	Recorded string
	// Current is Options.Fingerprint.
	Current string
	// Adopted is set when the vectors were there before the first note.
	Adopted bool
	// TableWidth and ModelWidth are numbers per vector; ModelWidth is 0 without a model.
	TableWidth, ModelWidth int
	// Err is why the vectors are not used: *WidthError or *ForeignVectorsError.
	Err error
}

// Match reports whether the table's vectors are used.
func (v VectorState) Match() bool { return v.Err == nil }

// Vectors reports the state as it is now, whichever process made it so.
func (s *Store) Vectors() VectorState {
	n, err := s.notes.read()
	s.follow(n)
	v := VectorState{
		Recorded: n.Fingerprint, Current: s.fingerprint, Adopted: n.Adopted,
		TableWidth: s.layout().width, ModelWidth: s.dimensions,
	}
	switch width := s.CheckWidth(); {
	case width != nil:
		v.Err = width
	case s.dimensions > 0 && n.Swap != nil:
		v.Err = &ForeignVectorsError{Path: s.path, Recorded: n.Fingerprint, Current: s.fingerprint, Err: errSwapping}
	case s.fingerprint != "" && (err != nil || n.Fingerprint != s.fingerprint):
		v.Err = &ForeignVectorsError{Path: s.path, Recorded: n.Fingerprint, Current: s.fingerprint, Err: err}
	}
	return v
}

// errSwapping lasts for a moment, or until somebody writes after a process died there.
var errSwapping = errors.New("they are being replaced by new ones")

// CheckVectors is nil if the table's vectors can be compared with the model's,
// and nil without a model.
func (s *Store) CheckVectors() error { return s.Vectors().Err }

// settleVectors notes the fingerprint at the first opening, and again as long as
// the table has no vector that would tell another.
func (s *Store) settleVectors(ctx context.Context) error {
	if s.fingerprint == "" || s.CheckVectors() == nil || s.CheckWidth() != nil {
		return nil
	}
	write, err := s.mayNote(ctx)
	if err != nil || !write {
		return err
	}
	return s.locked(ctx, "noting the embedding model", func() error {
		if write, err := s.mayNote(ctx); err != nil || !write {
			return err
		}
		n, _ := s.notes.read() // unreadable notes are replaced
		had, err := s.hasVectors(ctx)
		if err != nil {
			return err
		}
		n.Fingerprint, n.Adopted, n.Since = s.fingerprint, had, s.now().UTC()
		if had {
			s.log.Info("the vectors of the existing database are taken for the configured model's; if another wrote them, embed anew with `memory-pro reembed`",
				"path", s.path, "model", s.fingerprint)
		}
		return s.notes.write(n)
	})
}

// mayNote: without vectors nothing can be mixed. Vectors that are there are only
// taken for the model's if nothing else is known, also because the notes cannot
// be read, and the operator named it.
func (s *Store) mayNote(ctx context.Context) (bool, error) {
	n, err := s.notes.read()
	if n.Swap != nil || (err == nil && n.Fingerprint == s.fingerprint) {
		return false, nil
	}
	if n.Fingerprint == "" && s.adoptVectors {
		return true, nil
	}
	had, err := s.hasVectors(ctx)
	return !had, err
}

func (s *Store) hasVectors(ctx context.Context) (bool, error) {
	rows, err := s.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
		return t.Scan(ctx, lance.ScanQuery{Filter: lance.Not(lance.IsNull(colVector)), Columns: []string{colID}, Limit: 1})
	})
	if err != nil {
		return false, fmt.Errorf("looking for vectors in %s: %w", s.path, err)
	}
	defer rows.Release()
	return rows.NumRows() > 0, nil
}
