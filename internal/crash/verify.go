package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// openStore opens a database as everything here does. boot names the boot of the
// machine that this is to be taken for; empty is the running one.
func openStore(ctx context.Context, dir, boot string) (*store.Store, error) {

	return store.Open(ctx, store.Options{Path: dir, Dimensions: width, Boot: boot})
}

// readAll lists every row. One that comes twice, or is torn, is an error.
func readAll(ctx context.Context, s *store.Store) (map[string]Row, error) {
	all := map[string]Row{}
	for cursor := ""; ; {
		page, err := s.List(ctx, store.ListQuery{Who: everyone(), Limit: 1000, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, m := range page.Memories {
			r, err := rowOf(m)
			if err != nil {
				return nil, err
			}
			if _, twice := all[r.ID]; twice {
				return nil, fmt.Errorf("memory %s is there twice", r.ID)
			}
			all[r.ID] = r
		}
		if cursor = page.Next; cursor == "" {
			return all, nil
		}
	}
}

// verify compares a store with the model, by every way of reading. looks bounds
// how many rows are asked for one by one.
func (m *Model) verify(ctx context.Context, s *store.Store, random *rand.Rand, looks int) (settled, error) {
	actual, err := readAll(ctx, s)
	if err != nil {
		return settled{}, err
	}
	if n, err := s.Count(ctx, everyone(), memory.Narrow{}); err != nil || int(n) != len(actual) {
		return settled{}, fmt.Errorf("the table counts %d rows and lists %d (%v)", n, len(actual), err)
	}
	open := m.clone().open
	out, err := m.settle(actual)
	if err != nil {
		return out, err
	}
	if err := m.recorded(s); err != nil {
		return out, err
	}
	ids := make([]string, 0, len(m.rows))
	for id := range m.rows {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	ids = ids[:min(looks, len(ids))]
	for _, l := range open { // what was under way is the likeliest to be torn
		for _, e := range l.Effects[:min(3, len(l.Effects))] {
			if _, ok := m.rows[e.ID]; ok {
				ids = append(ids, e.ID)
			}
		}
	}
	for _, id := range ids {
		if err := m.look(ctx, s, m.rows[id]); err != nil {
			return out, err
		}
	}
	for _, text := range m.past[max(0, len(m.past)-looks/2):] {
		hits, err := s.Matching(ctx, everyone(), memory.Narrow{}, wordOf(text), 2)
		if err != nil {
			return out, err
		}
		if len(hits) > 0 {
			return out, fmt.Errorf("keyword search finds %s by a text that it no longer has", hits[0].Memory.ID)
		}
	}
	return out, nil
}

// recorded compares the journal with the model: every memory was made once, by
// the worker whose it is, and the newest that is on record of it is how it is.
func (m *Model) recorded(s *store.Store) error {
	log, err := s.Log(0, func(journal.Entry) bool { return true })
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	made, seen := map[string]int{}, map[string]bool{}
	var after uint64 // the entry before, which is the next one in time
	for _, r := range log {
		if after != 0 && r.Seq >= after {
			return fmt.Errorf("entry %d of the journal comes before entry %d", r.Seq, after)
		}
		after = r.Seq
		for _, c := range r.Changes {
			if c.Before == nil && c.After != nil {
				made[c.ID]++
			}
			if r.Agent != actingAgent || r.Session != fmt.Sprint(ownerOf(c.ID)) {
				return fmt.Errorf("entry %d changes memory %s in the name of %q, session %q", r.Seq, c.ID, r.Agent, r.Session)
			}
			if seen[c.ID] {
				continue
			}
			seen[c.ID] = true
			want, there := m.rows[c.ID]
			if there != (c.After != nil) || there && (c.After.Text != want.Text || c.After.Importance != want.Importance) {
				return fmt.Errorf("the newest entry of memory %s (%d, %s) says %+v, but it is %v %s", c.ID, r.Seq, r.Operation, c.After, there, brief(want))
			}
		}
	}
	for id := range m.rows {
		if made[id] != 1 {
			return fmt.Errorf("memory %s was made %d times by the journal", id, made[id])
		}
	}
	return nil
}

// look asks for one row by id, by its word and by its vector.
func (m *Model) look(ctx context.Context, s *store.Store, want Row) error {
	got, err := s.Get(ctx, everyone(), want.ID)
	if err != nil {
		return err
	}
	if r, err := rowOf(got); err != nil || r != want || got.Vector == nil {
		return fmt.Errorf("memory %s reads as %s with vector %v, want %s (%v)", want.ID, brief(r), got.Vector, brief(want), err)
	}
	hits, err := s.Matching(ctx, everyone(), memory.Narrow{}, wordOf(want.Text), 3)
	if err != nil {
		return err
	}
	if len(hits) != 1 || hits[0].Memory.ID != want.ID {
		return fmt.Errorf("keyword search for %q finds %d memories, want %s alone", wordOf(want.Text), len(hits), want.ID)
	}
	hits, err = s.Nearest(ctx, everyone(), memory.Narrow{}, vector(want.Points), 8)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Memory.ID == want.ID && h.Score > 0.9999 }) {
		return fmt.Errorf("vector search does not find memory %s by its own vector", want.ID)
	}
	return nil
}
