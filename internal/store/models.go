package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// The journal holds vectors, and outlives a re-embed. What it brings back, after a
// power cut or by an undo, must not put vectors of an earlier model into the table.
// So it is noted beside the journal after which entry the table got its vectors anew,
// under the mark that the table's own note carries.

const modelsFile = ".memory-pro.models.json"

// modelSpan says that entries after one hold vectors made since a re-embed.
type modelSpan struct {
	After uint64    `json:"after"`
	Mark  string    `json:"mark"`
	At    time.Time `json:"at"`
}

func (s *Store) modelSpans() ([]modelSpan, error) {
	text, err := os.ReadFile(filepath.Join(s.state, modelsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []modelSpan
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("reading which vectors the journal holds: %w", err)
	}
	return list, nil
}

// beginSpan notes that vectors recorded after an entry are those of a mark. The
// caller holds the write lock. Doing it again changes nothing.
func (s *Store) beginSpan(mark string, after uint64) error {
	list, err := s.modelSpans()
	if err != nil || (len(list) > 0 && list[len(list)-1].Mark == mark) {
		return err
	}
	text, err := json.MarshalIndent(append(list, modelSpan{After: after, Mark: mark, At: s.now().UTC()}), "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(s.state, modelsFile), append(text, '\n'))
}

// recordModels tells of which re-embed the vectors of an entry are.
type recordModels struct {
	spans   []modelSpan
	current string // the table's
	none    bool   // nobody knows, so none is used
}

func (s *Store) recordModels() recordModels {
	n, err := s.notes.read()
	spans, serr := s.modelSpans()
	return recordModels{spans: spans, current: n.Mark, none: err != nil || serr != nil || n.Swap != nil}
}

// fresh reports whether the vectors of an entry are of what makes the table's.
func (r recordModels) fresh(seq uint64) bool {
	if r.none {
		return false
	}
	mark := ""
	for _, span := range r.spans {
		if seq > span.After {
			mark = span.Mark
		}
	}
	return mark == r.current
}

// RecordedVectors reports whether the vectors that a change on record holds are of
// the model that makes the table's. Those from before a re-embed are not.
func (s *Store) RecordedVectors(seq uint64) bool { return s.recordModels().fresh(seq) }

// withoutVector is a row on record whose vector is of an earlier model.
func withoutVector(r *journal.Row) *journal.Row {
	if r == nil || r.Vector == nil {
		return r
	}
	m := memoryOf(r)
	m.Vector, m.Metadata.Embedding = nil, memory.EmbeddingPending
	return rowOf(m)
}

// alikeAcross is alike for two rows with vectors of two models, one of which may
// still have had to wait for its.
func alikeAcross(a, b *journal.Row) bool {
	if a == nil || b == nil {
		return a == b
	}
	settled := func(r *journal.Row) *journal.Row {
		c := *r
		d, _ := memory.ParseMetadata(r.Metadata)
		d.Embedding = ""
		c.Metadata = d.String()
		return &c
	}
	return alikeButVector(settled(a), settled(b))
}
