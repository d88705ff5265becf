package engine

import (
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// reader is on whose behalf the record is read.
type reader struct {
	access scope.Access
	filter scope.Filter
}

// see is a recorded change as the reader may see it; ok is false when nothing is
// left of it. Only changes of ids that are wanted are kept; nil wants all.
func (r reader) see(rec journal.Recorded, wanted func(id string) bool) (seen Record, ok bool) {
	for _, c := range rec.Changes {
		if wanted != nil && !wanted(c.ID) {
			continue
		}
		before, after := r.side(c.Before), r.side(c.After)
		if before == nil && after == nil {
			continue
		}
		change := Change{ID: c.ID, Before: before, After: after}
		change.Erased = (before != nil && before.Text == journal.Erased) || (after != nil && after.Text == journal.Erased)
		if before != nil && after != nil && !change.Erased {
			change.Fields = compareMemories(*before, *after)
		}
		seen.Changes = append(seen.Changes, change)
	}
	if len(seen.Changes) == 0 {
		return Record{}, false
	}
	seen.Seq, seen.At, seen.Operation, seen.Applied = rec.Seq, rec.At, rec.Operation, rec.Version != 0
	seen.Actor, seen.Agent = rec.Actor, rec.Agent
	if r.filter.All() || r.access.Agent == rec.Agent {
		seen.Session = rec.Session
	}
	return seen, true
}

// side is one side of a change, nil when it is out of reach.
func (r reader) side(row *journal.Row) *memory.Memory {
	if row == nil || !(r.filter.All() || (row.Scope != "" && r.filter.Allows(row.Scope))) {
		return nil
	}
	m := fromRecord(row)
	m.Vector = nil
	return &m
}

// fromRecord is a row of the record as a memory.
func fromRecord(row *journal.Row) memory.Memory {
	m := memory.Memory{
		ID: row.ID, Text: row.Text, Vector: row.Vector, Category: memory.StoredCategory(row.Category), Scope: row.Scope,
		Importance: row.Importance,
	}
	if row.Time != 0 {
		m.Time = time.UnixMilli(row.Time).UTC()
	}
	// What cannot be parsed is carried along in the metadata.
	m.Metadata, _ = memory.ParseMetadata(row.Metadata)
	return m
}
