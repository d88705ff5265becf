package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// erasure is what is to be erased.
type erasure struct {
	ids   map[string]bool
	order []string // the named one first
	said  string   // the last text of the named one
	texts []string // all that they ever said
	mute  []string // those of which nobody knows any more what they said
	lower []string // the same in lower case, as keys made of them are
	// questions are those of recalls that are taken out of the record; vectors counts
	// what was kept of them and of the texts.
	questions []string
	vectors   int
}

// planErasure finds out which memories are meant and all that they ever said.
func planErasure(ctx context.Context, db *store.Store, book *journal.Journal, where places, reader reader, ref memory.Ref, r EraseRequest) (*erasure, error) {
	past, err := reader.survey(ctx, book, ref)
	if err != nil {
		return nil, err
	}
	id := ""
	var kept map[string][]memory.Memory
	now, err := lookUp(ctx, db, reader.filter, r.ID)
	if errors.Is(err, store.ErrNotFound) && len(past.named) == 0 {
		kept = where.backedUp(ref, reader.filter)
		for id, list := range kept {
			past.named[id] = list[0]
		}
	}
	switch {
	case err == nil:
		id = now.ID
		past.link(now)
	case !errors.Is(err, store.ErrNotFound):
		return nil, err
	case len(past.named) > 1:
		return nil, past.ambiguous(r.ID)
	default:
		for only := range past.named {
			id = only
		}
		if id == "" {
			return nil, err
		}
	}
	said, err := textsOf(ctx, db, book, reader, past.chain(id))
	if err != nil {
		return nil, err
	}
	if len(said[id]) == 0 && kept == nil {
		// An erasure that was cut short has only the backups left.
		kept = where.backedUp(memory.Ref{Text: id}, reader.filter)
	}
	for _, m := range kept[id] {
		said.add(id, m.Text)
	}
	x := &erasure{ids: map[string]bool{}}
	x.add(id, said[id])
	if now.ID != "" {
		x.said = now.Text
	} else if list := said[id]; len(list) > 0 {
		x.said = list[len(list)-1]
	}
	var carried []string
	for _, version := range past.chain(id)[1:] {
		switch {
		case r.Chain:
			x.add(version, said[version])
		case slices.ContainsFunc(said[version], x.says):
			carried = append(carried, version)
		}
	}
	if len(carried) > 0 {
		return nil, &CarriedError{ID: id, Versions: carried}
	}
	return x, nil
}

// sayings are what each memory ever said, oldest first.
type sayings map[string][]string

func (t sayings) add(id, text string) {
	if text != "" && text != journal.Erased && !slices.Contains(t[id], text) {
		t[id] = append(t[id], text)
	}
}

// textsOf collects the texts of memories from the record and the table.
func textsOf(ctx context.Context, db *store.Store, book *journal.Journal, reader reader, ids []string) (sayings, error) {
	said := sayings{}
	for rec, err := range book.Since(0) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // what cannot be read is told at the end
		}
		for _, c := range rec.Changes {
			if !slices.Contains(ids, c.ID) {
				continue
			}
			for _, row := range []*journal.Row{c.Before, c.After} {
				if m := reader.side(row); m != nil {
					said.add(c.ID, m.Text)
				}
			}
		}
	}
	rows, err := db.GetMany(ctx, reader.filter, ids...)
	if err != nil {
		return nil, storage("reading what is to be erased", err)
	}
	for id, m := range rows {
		said.add(id, m.Text)
	}
	return said, nil
}

func (x *erasure) add(id string, said []string) {
	x.ids[id] = true
	x.order = append(x.order, id)
	if len(said) == 0 {
		x.mute = append(x.mute, id)
	}
	for _, text := range said {
		if !slices.Contains(x.texts, text) {
			x.texts = append(x.texts, text)
			x.lower = append(x.lower, strings.ToLower(text))
		}
	}
}

// says reports whether a text is one of those to be erased.
func (x *erasure) says(text string) bool { return slices.Contains(x.texts, text) }

// holds reports whether a text is, or has in it, one of those to be erased.
func (x *erasure) holds(text string) bool {
	if text == "" {
		return false
	}
	text = strings.ToLower(text)
	return slices.ContainsFunc(x.lower, func(s string) bool { return strings.Contains(text, s) })
}

// scrub takes the text out of a row of the record and reports whether it had to.
// That there was something stays.
func (x *erasure) scrub(row *journal.Row) bool {
	if x.ids[row.ID] {
		if row.Text == journal.Erased && row.Metadata == "{}" && row.Vector == nil {
			return false
		}
		row.Text, row.Metadata, row.Vector = journal.Erased, "{}", nil
		return true
	}
	m := fromRecord(row)
	if !x.clean(&m) {
		return false
	}
	row.Metadata = m.Metadata.String()
	return true
}

// clean takes out of a memory's metadata what they repeat of an erased text, and
// reports whether there was anything: a newer version keeps the key of its topic,
// which may be the whole of the older one's words. What the memory itself says is
// its own.
func (x *erasure) clean(m *memory.Memory) bool {
	if x.holds(m.Text) {
		return false
	}
	d, changed := &m.Metadata, false
	if x.holds(d.FactKey) {
		d.FactKey, changed = memory.FactKey(m.Kind(), m.Text), true
	}
	if x.holds(d.L0) || x.holds(d.L1) || x.holds(d.L2) {
		m.Restate(m.Text, m.Category, m.Kind())
		changed = true
	}
	extra := d.Extra
	for key, value := range extra {
		if x.holds(spelledOut(value)) {
			if len(d.Extra) == len(extra) {
				d.Extra = cloneWithout(extra, "")
			}
			delete(d.Extra, key)
			changed = true
		}
	}
	return changed
}

// lookAtRows reads the whole table: rows of others to be cleaned, and those that
// say the same.
func (x *erasure) lookAtRows(ctx context.Context, db *store.Store) (repeats []memory.Memory, same []EraseFinding, rows int, err error) {
	err = db.Each(ctx, scope.Operator().Filter(), memory.Narrow{}, false, func(page []memory.Memory) error {
		for _, m := range page {
			rows++
			switch {
			case x.ids[m.ID]:
			case x.holds(m.Text):
				same = append(same, EraseFinding{Memory: m.ID})
			case x.clean(&m):
				repeats = append(repeats, m)
			}
		}
		return nil
	})
	return repeats, same, rows, storage("looking at every memory", err)
}
