package store

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// stored is a row as the table has it. The zero value means that there is none.
type stored struct {
	exists bool
	mem    memory.Memory
	// extra holds the row's values of columns this program does not know, as
	// arrays of length one, so that an update can write them back.
	extra map[string]arrow.Array
}

// change is the final state of one row, relative to the table.
type change struct {
	present bool
	mem     memory.Memory
	old     stored
}

// layer is a set of changes laid over the table, in order of first mention.
type layer struct {
	order []string
	rows  map[string]change
}

func newLayer() *layer { return &layer{rows: map[string]change{}} }

func (l *layer) len() int { return len(l.order) }

func (l *layer) put(id string, c change) {
	if _, ok := l.rows[id]; !ok {
		l.order = append(l.order, id)
	}
	l.rows[id] = c
}

// absorb lays other on top of l.
func (l *layer) absorb(other *layer) {
	for _, id := range other.order {
		l.put(id, other.rows[id])
	}
}

// split sorts the changes into what to insert, to update and to delete. A row
// that was inserted and deleted again before the commit is none of them, nor is
// one that is as it was.
func (l *layer) split() (inserts, updates []change, deletes []string) {
	for _, id := range l.order {
		switch c := l.rows[id]; {
		case c.present && c.old.exists:
			if !same(c.mem, c.old.mem) {
				updates = append(updates, c)
			}
		case c.present:
			inserts = append(inserts, c)
		case c.old.exists:
			deletes = append(deletes, id)
		}
	}
	return inserts, updates, deletes
}
