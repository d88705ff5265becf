package store

import (
	"context"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Tx collects the changes of one Write, which holds the lock while it lives.
// Nothing reaches the table before the function given to Write has returned nil.
//
// Reads in a Tx see the newest committed rows, whichever process wrote them,
// and what earlier writers of the same batch did. Get and Nearest also see this
// transaction's own changes; Matching, List, Count, FindPrefix do not.
//
// Insertions and updates of a batch are one commit, deletions a second one after
// it. Between them a reader sees too much, never too little; if the process dies
// there, whoever writes or opens the table next deletes from the journal.
//
// A Tx is for the goroutine that runs the function, and only until it returns.
type Tx struct {
	ctx   context.Context
	batch *batch
	ops   []op
	last  map[string]int // id → its newest op
	first map[string]int // id → its first op
	rows  *layer         // ops with their preconditions checked
	quiet bool           // not journaled
	err   error          // first refused change; it fails the transaction
}

type opKind int

const (
	opInsert opKind = iota
	opUpdate
	opDelete
)

type op struct {
	kind opKind
	id   string
	mem  memory.Memory
	// stripped is set when the vector given was of another model than the table's.
	stripped bool
	// free is set when the id is known to be free.
	free bool
}

// Insert adds new memories. Time zero becomes now; everything else is stored as
// given. An id that is taken fails the transaction with ErrExists.
func (tx *Tx) Insert(ms ...memory.Memory) error { return tx.put(opInsert, false, ms) }

// Create is Insert for memories whose ids this process has just made with
// memory.NewID: such an id is free, and the table is not searched for it.
func (tx *Tx) Create(ms ...memory.Memory) error { return tx.put(opInsert, true, ms) }

// Update replaces memories by id. A nil Vector and a zero Time keep what is
// stored, and so do columns of the table that this program does not know; but a memory
// whose metadata say that its vector is pending loses the one it had, which was of
// another text. A missing id fails the transaction with ErrNotFound.
func (tx *Tx) Update(ms ...memory.Memory) error { return tx.put(opUpdate, false, ms) }

// Delete removes memories by exact id. A missing id fails the transaction with
// ErrNotFound.
func (tx *Tx) Delete(ids ...string) error {
	for _, id := range ids {
		tx.add(op{kind: opDelete, id: id})
	}
	return nil
}

// Quiet keeps the transaction out of the journal. It is for counts of use, which
// are no loss if a power cut takes them.
func (tx *Tx) Quiet() { tx.quiet = true }

func (tx *Tx) put(kind opKind, free bool, ms []memory.Memory) error {
	for _, m := range ms {
		given := m.Vector != nil
		m, err := tx.batch.store.prepare(m, kind)
		if err != nil {
			if tx.err == nil {
				tx.err = err
			}
			return err
		}
		tx.add(op{kind: kind, id: m.ID, mem: m, stripped: given && m.Vector == nil, free: free && memory.IsUUID(m.ID)})
	}
	return nil
}

func (tx *Tx) add(o op) {
	if tx.last == nil {
		tx.last, tx.first = map[string]int{}, map[string]int{}
	}
	if _, ok := tx.first[o.id]; !ok {
		tx.first[o.id] = len(tx.ops)
	}
	tx.last[o.id] = len(tx.ops)
	tx.ops = append(tx.ops, o)
}

// call runs fn and turns a panic into an outcome, so that the writer lives on.
func (tx *Tx) call(fn func(*Tx) error) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = outcome{panicked: p}
		}
	}()
	if err := fn(tx); err != nil {
		return outcome{err: err}
	}
	return outcome{err: tx.err}
}

// keepsVector reports whether the row's vector stays as it is stored.
func (o op) keepsVector() bool {
	return o.kind == opUpdate && o.mem.Vector == nil && o.mem.Metadata.Embedding != memory.EmbeddingPending
}

// resolve checks every op against the state it meets: the table, the batch, and
// the ops before it.
func (tx *Tx) resolve() error {
	if err := tx.load(); err != nil {
		return err
	}
	for _, o := range tx.ops {
		c := tx.state(o.id)
		switch {
		case o.kind == opInsert && c.present:
			return fmt.Errorf("inserting memory %s: %w; update it, or insert under a new id", o.id, ErrExists)
		case o.kind == opUpdate && !c.present:
			return fmt.Errorf("updating memory %s: %w; it may have been deleted meanwhile", o.id, ErrNotFound)
		case o.kind == opDelete && !c.present:
			return fmt.Errorf("deleting memory %s: %w; it may have been deleted meanwhile", o.id, ErrNotFound)
		}
		if o.stripped && (c.mem.Vector == nil || c.mem.Text != o.mem.Text) {
			o.mem.Metadata.Embedding = memory.EmbeddingPending
		}
		if o.keepsVector() {
			o.mem.Vector = c.mem.Vector
		}
		if o.kind == opUpdate && o.mem.Time.IsZero() {
			o.mem.Time = c.mem.Time
		}
		c.present, c.mem = o.kind != opDelete, o.mem // zero for a deletion
		tx.rows.put(o.id, c)
	}
	return nil
}

// load reads the table rows that the ops speak of and nobody has read yet under
// this lock. Insertions only need to know whether the id is free.
func (tx *Tx) load() error {
	var ids, fresh []string
	for id, at := range tx.first {
		if _, ok := tx.batch.rows.rows[id]; ok {
			continue
		}
		if _, ok := tx.batch.known[id]; ok {
			continue
		}
		switch o := tx.ops[at]; {
		case o.free:
			tx.batch.known[id] = stored{}
		case o.kind == opInsert:
			fresh = append(fresh, id)
		default:
			ids = append(ids, id)
		}
	}
	if err := tx.batch.read(tx.ctx, ids); err != nil {
		return err
	}
	return tx.batch.probe(tx.ctx, fresh)
}

// state is what the next op on id meets. load was called before.
func (tx *Tx) state(id string) change {
	if c, ok := tx.rows.rows[id]; ok {
		return c
	}
	return tx.met(id)
}

// met is the row as the transaction found it. load was called before.
func (tx *Tx) met(id string) change {
	if c, ok := tx.batch.rows.rows[id]; ok {
		return c
	}
	old := tx.batch.known[id]
	return change{present: old.exists, mem: old.mem, old: old}
}
