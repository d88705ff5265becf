package store

import (
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// entry is what the journal gets to know of a transaction whose changes were
// checked: the rows as it met them, what earlier writers of the batch did
// included, and as it leaves them. It is nil if there is nothing to tell: no row
// is another, or the transaction is quiet.
func (tx *Tx) entry(who string) *journal.Entry {
	if tx.quiet {
		return nil
	}
	actor := actorOf(tx.ctx)
	e := &journal.Entry{Actor: actor.Kind, Agent: actor.Agent, Session: actor.Session, Operation: who}
	for _, id := range tx.rows.order {
		met, left := tx.met(id), tx.rows.rows[id]
		c := journal.Change{ID: id}
		if met.present {
			c.Before = rowOf(met.mem)
		}
		if left.present {
			c.After = rowOf(left.mem)
		}
		if alike(c.Before, c.After) {
			continue
		}
		if c.Before != nil && c.After != nil {
			c.Before.Vector = nil
		}
		e.Changes = append(e.Changes, c)
	}
	if len(e.Changes) == 0 {
		return nil
	}
	return e
}

// rowOf is a memory as the journal keeps it.
func rowOf(m memory.Memory) *journal.Row {
	r := &journal.Row{
		ID: m.ID, Text: m.Text, Category: string(m.Category), Scope: m.Scope,
		Importance: m.Importance, Metadata: m.Metadata.String(), Vector: m.Vector,
	}
	if !m.Time.IsZero() {
		r.Time = m.Time.UnixMilli()
	}
	return r
}

// memoryOf is the way back.
func memoryOf(r *journal.Row) memory.Memory {
	m := memory.Memory{
		ID: r.ID, Text: r.Text, Category: memory.StoredCategory(r.Category), Scope: r.Scope,
		Importance: r.Importance, Vector: r.Vector,
	}
	if r.Time != 0 {
		m.Time = time.UnixMilli(r.Time).UTC()
	}
	// What cannot be parsed is carried along, as it is when read from the table.
	m.Metadata, _ = memory.ParseMetadata(r.Metadata)
	return m
}

// alike reports whether two rows say the same. How often and when a row was last
// recalled is no part of that: such counts are not journaled. nil is no row.
func alike(a, b *journal.Row) bool {
	return alikeButVector(a, b) && (a == nil || slices.Equal(a.Vector, b.Vector))
}

// alikeButVector is alike for a row from before a change, which carries no vector.
func alikeButVector(a, b *journal.Row) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.ID == b.ID && a.Text == b.Text && a.Category == b.Category && a.Scope == b.Scope &&
		a.Importance == b.Importance && a.Time == b.Time &&
		(a.Metadata == b.Metadata || lasting(a.Metadata) == lasting(b.Metadata))
}

// lasting is metadata without the counts of use.
func lasting(column string) string {
	d, _ := memory.ParseMetadata(column)
	d.AccessCount, d.LastAccessedAt = 0, time.Time{}
	return d.String()
}
