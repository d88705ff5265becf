package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// TestNearestAfter changes the table between a search and the transaction that uses
// it: the answer is that of a search under the lock.
func TestNearestAfter(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s, other := open(t, dir), open(t, dir)
	rows := numbered("row %d", 30)
	insert(t, s, rows...)
	write := func(on *Store, fn func(*Tx) error) {
		t.Helper()
		if err := on.Write(t.Context(), "between", fn); err != nil {
			t.Fatal(err)
		}
	}
	query, narrow := vec("row 3"), memory.Narrow{ActiveAt: start}
	for _, tt := range []struct {
		name    string
		between func()
		within  func(tx *Tx) error
		covered bool // no second search is needed
	}{
		{"nothing", func() {}, nil, true},
		{"an insertion", func() { write(s, func(tx *Tx) error { return tx.Insert(mem("x", withVector(query))) }) }, nil, true},
		{"a deletion", func() { write(s, func(tx *Tx) error { return tx.Delete(rows[3].ID) }) }, nil, true},
		{"an update of the nearest", func() {
			write(s, func(tx *Tx) error { m := rows[4]; m.Vector = query; return tx.Update(m) })
			write(s, func(tx *Tx) error { m := rows[4]; m.Vector = vec("elsewhere"); return tx.Update(m) })
		}, nil, true},
		{"one that is no longer active", func() {
			write(s, func(tx *Tx) error {
				m := rows[5]
				m.Vector, m.Metadata.InvalidatedAt = query, start
				return tx.Update(m)
			})
		}, nil, true},
		{"many deletions", func() {
			write(s, func(tx *Tx) error {
				for _, m := range rows[10:25] {
					if err := tx.Delete(m.ID); err != nil {
						return err
					}
				}
				return nil
			})
		}, nil, true},
		{"another process", func() { write(other, func(tx *Tx) error { return tx.Insert(mem("y", withVector(query))) }) }, nil, false},
		{"another process and then this one", func() {
			write(other, func(tx *Tx) error { return tx.Insert(mem("z", withVector(query))) })
			insert(t, s, mem("own"))
		}, nil, false},
		{"the transaction itself", func() {}, func(tx *Tx) error {
			m := rows[6]
			m.Vector = query
			return errors.Join(tx.Update(m), tx.Insert(mem("w", withVector(query))), tx.Delete(rows[7].ID))
		}, true},
	} {
		ahead := s.NearestAhead(t.Context(), everyone(), narrow, query, 4, -1)
		tt.between()
		err := s.Write(t.Context(), "test", func(tx *Tx) error {
			if tt.within != nil {
				if err := tt.within(tx); err != nil {
					return err
				}
			}
			if _, ok := s.recent.since(ahead.seq, s.journal.Last()); ok != tt.covered {
				t.Errorf("%s: what happened since is known: %v, want %v", tt.name, ok, tt.covered)
			}
			got, err := tx.NearestAfter(t.Context(), ahead)
			if err != nil {
				return err
			}
			want, err := tx.Nearest(t.Context(), everyone(), narrow, query, 4)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(places(want), places(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// places are hits without the last digits of their scores, which are computed in
// two ways.
func places(hits []memory.Hit) []string {
	var list []string
	for _, h := range hits {
		list = append(list, fmt.Sprintf("%s %.4f", h.Memory.Text, h.Score))
	}
	return list
}

// TestRecentIsBounded: a large import is not kept for its neighbours.
func TestRecentIsBounded(t *testing.T) {
	var r recent
	r.add(0)
	for seq := uint64(1); seq <= 10; seq++ {
		r.add(seq, &journal.Entry{Seq: seq, Changes: []journal.Change{{ID: "x", After: &journal.Row{Vector: make([]float32, 50_000)}}}})
	}
	if _, ok := r.since(0, 10); ok || r.bytes > recentBytes {
		t.Errorf("%d bytes are kept, and the oldest are known: %v", r.bytes, ok)
	}
	if rows, ok := r.since(9, 10); !ok || len(rows) != 1 {
		t.Errorf("the newest is not known: %v", rows)
	}
}

// TestTheSecondMayHaveBegunFirst: a row that was stated after a search began, and
// stored before the transaction that needs it, counts.
func TestTheSecondMayHaveBegunFirst(t *testing.T) {
	noHandlesLeft(t)
	now := start
	s := open(t, t.TempDir(), func(o *Options) { o.Now = func() time.Time { return now } })
	s.janitor.stop()
	for _, held := range []bool{false, true} {
		if held {
			withMirror(t, s)
		}
		for _, before := range []bool{true, false} {
			name := fmt.Sprintf("held %v, stored before the search %v", held, before)
			query, narrow := vec(name), memory.Narrow{ActiveAt: now}
			other := mem("of another", withVector(query))
			other.Metadata.ValidFrom = now.Add(50 * time.Millisecond)
			now = now.Add(60 * time.Millisecond)
			if before {
				insert(t, s, other)
			}
			ahead := s.NearestAhead(t.Context(), everyone(), narrow, query, 1, 0.9)
			if !before {
				insert(t, s, other)
			}
			if err := s.Write(t.Context(), "test", func(tx *Tx) error {
				hits, err := tx.NearestAfter(t.Context(), ahead)
				if len(hits) != 1 || hits[0].Memory.ID != other.ID {
					t.Errorf("%s: found %v", name, texts(hits))
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
