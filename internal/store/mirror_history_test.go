package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// past is a table that several change, and what it should hold.
type past struct {
	t       *testing.T
	r       *rand.Rand
	writers []*Store
	rows    map[string]memory.Memory
	tooks   int // how many searches ended before their time
}

func (h *past) some() memory.Memory {
	list := slices.Sorted(maps.Keys(h.rows))
	return h.rows[list[h.r.IntN(len(list))]]
}

func (h *past) fresh() memory.Memory {
	m := mem(fmt.Sprintf("heron %d", h.r.IntN(1e9)))
	m.ID = fmt.Sprintf("%08x-0000-4000-8000-%012x", h.r.Uint32(), h.r.Uint32()) // the same with every run
	return h.odd(m)
}

// odd changes what decides who finds a memory.
func (h *past) odd(m memory.Memory) memory.Memory {
	m.Scope = []string{scope.Global, "agent:alice", "agent:bob", "agent:main"}[h.r.IntN(4)]
	m.Category = []memory.StoredCategory{memory.StoredFact, memory.StoredPreference, memory.StoredDecision, memory.StoredReflection}[h.r.IntN(4)]
	m.Metadata.State = []string{memory.StateConfirmed, memory.StatePending, memory.StateArchived}[h.r.IntN(3)]
	m.Metadata.Layer = []string{memory.LayerDurable, memory.LayerWorking, memory.LayerArchive}[h.r.IntN(3)]
	m.Metadata.InvalidatedAt, m.Metadata.ValidUntil = time.Time{}, time.Time{}
	switch moment := time.UnixMilli(near(h.r)).UTC(); h.r.IntN(4) {
	case 0:
		m.Metadata.InvalidatedAt = moment
	case 1:
		m.Metadata.ValidUntil = moment
	}
	m.Metadata, _ = memory.ParseMetadata(m.Metadata.String()) // an end before the beginning is none
	if m.Vector = vec(fmt.Sprint(h.r.IntN(1e9))); h.r.IntN(12) == 0 {
		m.Vector = nil
	}
	if m.Metadata.Embedding = ""; m.Vector == nil {
		m.Metadata.Embedding = memory.EmbeddingPending // or an update keeps the vector
	}
	return m
}

func (h *past) write(fn func(*Tx) error) error {
	return h.writers[h.r.IntN(len(h.writers))].Write(h.t.Context(), "test", fn)
}

// foreign is a change without lock and record, as another program makes it.
func (h *past) foreign(without []string, with ...memory.Memory) error {
	s := h.writers[h.r.IntN(len(h.writers))]
	if len(without) > 0 {
		if _, err := s.table.Delete(h.t.Context(), ids(without)); err != nil {
			return err
		}
	}
	if len(with) == 0 {
		return nil
	}
	changes := make([]change, len(with))
	for i, m := range with {
		changes[i] = change{present: true, mem: m}
	}
	rec, err := s.layout().encode(changes)
	if err != nil {
		return err
	}
	defer rec.Release()
	if h.r.IntN(2) == 0 {
		_, err = s.table.MergeInsert(h.t.Context(), rec, lance.MergeOptions{On: []string{colID}, UpdateMatched: true, InsertUnmatched: true})
		return err
	}
	return s.table.Add(h.t.Context(), rec)
}

// step changes the table in some way.
func (h *past) step(reader *Store) (name string, err error) {
	switch n := h.r.IntN(11); n {
	case 0, 1:
		var added []memory.Memory
		for range 1 + h.r.IntN(4)*h.r.IntN(20) {
			added = append(added, h.fresh())
		}
		for _, m := range added {
			h.rows[m.ID] = m
		}
		return "insert", h.write(func(tx *Tx) error { return tx.Insert(added...) })
	case 2, 3:
		m := h.odd(h.some())
		h.rows[m.ID] = m
		return "update", h.write(func(tx *Tx) error { return tx.Update(m) })
	case 4:
		var gone []string
		for range min(1+h.r.IntN(9), len(h.rows)-20) {
			gone = append(gone, h.some().ID)
			delete(h.rows, gone[len(gone)-1])
		}
		return "delete", h.write(func(tx *Tx) error { return tx.Delete(gone...) })
	case 5:
		_, err := h.writers[h.r.IntN(len(h.writers))].Maintain(h.t.Context())
		return "maintain", err
	case 6:
		m := h.fresh()
		if h.r.IntN(3) == 0 {
			m.Scope = "" // NULL: nobody but the operator reads it
		}
		h.rows[m.ID] = m
		return "foreign insert", h.foreign(nil, m)
	case 7: // as the other plugin updates: deleted, then added
		m := h.odd(h.some())
		h.rows[m.ID] = m
		return "foreign update", h.foreign([]string{m.ID}, m)
	case 8:
		m := h.some()
		delete(h.rows, m.ID)
		return "foreign delete", h.foreign([]string{m.ID})
	case 9: // a search that ends before its time leaves things half done
		ctx, cancel := context.WithTimeout(h.t.Context(), time.Duration(h.r.IntN(3000))*time.Microsecond)
		defer cancel()
		if _, err := reader.Nearest(ctx, everyone(), memory.Narrow{}, vec("x"), 3); err != nil {
			h.tooks++
		}
		return "stopped search", nil
	default:
		if h.r.IntN(4) > 0 {
			return "nothing", nil
		}
		for id, m := range h.rows { // all fragments are numbered anew
			m.Vector, m.Metadata.Embedding = oldModel.vector(m.Text), ""
			h.rows[id] = m
		}
		embedAll(h.t, h.writers[1], oldModel, func(string) bool { return false })
		return "embedded anew", nil
	}
}

// check compares what is held, what LanceDB says and what should be.
func (h *past) check(at string, held, plain *Store) {
	h.t.Helper()
	t, r := h.t, h.r
	who := []scope.Filter{everyone(), agent(t, "alice"), agent(t, "bob"), {}}[r.IntN(4)]
	n, limit, query := narrowings(r), 1+r.IntN(40), vec(fmt.Sprint(r.IntN(1e9)))
	got, err := held.Nearest(t.Context(), who, n, query, limit)
	want, werr := plain.Nearest(t.Context(), who, n, query, limit)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil || werr != nil {
		t.Fatalf("%s: nearest, %+v, limit %d: %v, %v (-LanceDB +held):\n%s", at, n, limit, err, werr, diff)
	}
	near, may := 0, 0
	for _, m := range h.rows {
		if readable(who, m) && n.Keeps(m) {
			may++
			if m.Vector != nil {
				near++
			}
		}
	}
	words, err := held.Matching(t.Context(), who, n, "heron", limit)
	if err != nil || len(got) != min(limit, near) || len(words) != min(limit, may) {
		t.Fatalf("%s: %+v, limit %d: %d of %d near, %d of %d by keyword, %v", at, n, limit, len(got), near, len(words), may, err)
	}
	for _, hit := range append(got, words...) {
		m := hit.Memory
		want, there := h.rows[m.ID]
		if !there || !readable(who, m) || !n.Keeps(m) || want.Text != m.Text || want.Scope != m.Scope || !cmp.Equal(want.Vector, m.Vector) {
			t.Fatalf("%s: found %+v, which is %v: %+v", at, m, there, want)
		}
	}
	m := h.some()
	one, err := held.Get(t.Context(), who, m.ID)
	if readable(who, m) != (err == nil) || (err == nil && (one.Text != m.Text || !cmp.Equal(one.Vector, m.Vector))) || (err != nil && !errors.Is(err, ErrNotFound)) {
		t.Fatalf("%s: by id: %v, %v %+v, want %v %+v", at, err, one.Vector, one, m.Vector, m)
	}
}

// TestRandomHistories: whatever the table goes through, what is held answers as LanceDB
// does, and neither answers anything else than it should.
func TestRandomHistories(t *testing.T) {
	noHandlesLeft(t)
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			path := t.TempDir()
			one, other := open(t, path, oldModel.options), open(t, path, oldModel.options)
			held, plain := open(t, path, oldModel.options), open(t, path, oldModel.options)
			for _, s := range []*Store{one, other, held, plain} {
				s.janitor.stop()
			}
			put(plain, nil)
			h := &past{t: t, r: rand.New(rand.NewPCG(seed, 77)), writers: []*Store{one, other, held}, rows: map[string]memory.Memory{}}
			var first []memory.Memory
			for range 60 {
				first = append(first, h.fresh())
				h.rows[first[len(first)-1].ID] = first[len(first)-1]
			}
			insert(t, one, first...)
			withMirror(t, held)
			log, followed := []string{}, 0
			for i := range 80 {
				name, err := h.step(held)
				log = append(log, name)
				if err != nil {
					t.Fatal(log, err)
				}
				if h.r.IntN(3) == 0 {
					continue // several changes at once
				}
				if held.mirrored.work.Wait(); held.mirrored.held() != nil {
					followed++
				}
				h.check(fmt.Sprint("step ", i, " ", log[max(0, len(log)-6):]), held, plain)
			}
			t.Logf("%d times held, %d searches stopped", followed, h.tooks)
			if followed < 30 {
				t.Errorf("rows were held %d of 80 times: %v", followed, log)
			}
		})
	}
}
