package store

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// prepare checks a memory before it is buffered, so that one bad row fails its
// writer and nobody else in the batch, and fills in what may be left out.
func (s *Store) prepare(m memory.Memory, kind opKind) (memory.Memory, error) {
	refuse := func(format string, args ...any) (memory.Memory, error) {
		return m, fmt.Errorf("%w %q: %s", ErrInvalid, m.ID, fmt.Sprintf(format, args...))
	}
	switch {
	case m.ID == "":
		return refuse("it has no id")
	case strings.TrimSpace(m.Text) == "":
		return refuse("it has no text")
	case len(m.Text) > memory.MaxTextBytes:
		return refuse("its text has %d bytes, at most %d are kept; split it", len(m.Text), memory.MaxTextBytes)
	case !utf8.ValidString(m.Text) || !utf8.ValidString(m.ID) || !utf8.ValidString(m.Scope):
		return refuse("it is not valid UTF-8")
	case kind == opInsert && !memory.ValidID(m.ID):
		return refuse("its id is malformed")
	// An existing row may have lost its scope; it can still be corrected.
	case kind == opInsert && !scope.ValidName(m.Scope):
		return refuse("its scope %q is malformed", m.Scope)
	}
	// Also when the caller did not know yet: vectors of two models are never mixed.
	if m.Vector != nil && s.CheckVectors() != nil {
		m.Vector = nil
		if kind == opInsert {
			m.Metadata.Embedding = memory.EmbeddingPending
		}
	}
	if m.Vector != nil {
		if len(m.Vector) != s.layout().width {
			return m, &WidthError{Path: s.path, Table: s.layout().width, Given: len(m.Vector)}
		}
		if err := usable(m.Vector); err != nil {
			return refuse("%s", err)
		}
	}
	m.Importance = memory.ClampImportance(m.Importance)
	if m.Category == "" {
		m.Category = memory.StoredOther
	}
	if m.Time.IsZero() && kind == opInsert {
		m.Time = s.now()
	}
	return m, nil
}

// usable refuses vectors no cosine can be taken of.
func usable(v []float32) error {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return fmt.Errorf("its vector has numbers that are not finite; embed it again")
	}
	if sum == 0 {
		return fmt.Errorf("its vector is all zeros; embed it again, or store it without one")
	}
	return nil
}
