package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// TestMirrorIsExact compares with comparing all rows, through insertions, changes
// and deletions, for widths that do and do not fill their last block.
func TestMirrorIsExact(t *testing.T) {
	for _, width := range []int{1, 8, 32, 33, 100, 384} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(width), 1))
			// A few directions with noise: many rows near the bound, on both sides.
			centres := make([][]float32, 5)
			random := func(around []float32, noise float64) []float32 {
				v := make([]float32, width)
				for i := range v {
					v[i] = float32(r.NormFloat64() * noise)
					if around != nil {
						v[i] += around[i]
					}
				}
				return v
			}
			for i := range centres {
				centres[i] = random(nil, 1)
			}
			m, rows := newMirror(width), map[string][]float32{}
			for step := range 2000 {
				id := fmt.Sprint(r.IntN(300))
				switch {
				case r.IntN(4) == 0:
					m.set(id, nil)
					delete(rows, id)
				case r.IntN(20) == 0:
					m.set(id, make([]float32, width)) // no direction
					delete(rows, id)
				default:
					v := random(centres[r.IntN(len(centres))], r.Float64())
					m.set(id, v)
					rows[id] = v
				}
				if step%20 != 0 {
					continue
				}
				query, above := random(centres[r.IntN(len(centres))], r.Float64()), 0.5+r.Float64()/2
				got, more := m.near(query, above, 1000)
				if more {
					t.Fatal("more than all rows")
				}
				for id, v := range rows {
					c := cosine(query, v)
					if math.Abs(c-above) < 1e-4 {
						continue // either is right
					}
					if has := slices.Contains(got, id); has != (c > above) {
						t.Fatalf("step %d: row %s has cosine %.5f, bound %.5f, found: %v", step, id, c, above, has)
					}
				}
				for _, id := range got {
					if rows[id] == nil {
						t.Fatalf("step %d: row %s is gone", step, id)
					}
				}
				if first, more := m.near(query, above, 2); !cmp.Equal(first, got[:min(2, len(got))]) || more != (len(got) > 2) {
					t.Fatalf("step %d: the first two of %v are %v, more %v", step, got, first, more)
				}
			}
			if len(m.ids) != len(rows) || len(m.units) != len(rows)*width {
				t.Errorf("%d ids and %d numbers for %d rows", len(m.ids), len(m.units), len(rows))
			}
		})
	}
}

// withMirror has the vectors of a store in memory.
func withMirror(t *testing.T, s *Store) *mirror {
	t.Helper()
	for range mirrorFrom {
		s.NearestAhead(t.Context(), everyone(), memory.Narrow{}, vec("any"), 1, 0.9)
	}
	s.mirrored.work.Wait()
	if s.mirrored.m == nil {
		t.Fatal("the vectors were not read into memory")
	}
	return s.mirrored.m
}

// TestMirrorFollows changes rows through two stores and asks after each change.
// Whatever was written by whom, before or after the search, the answer under the
// lock is that of a search under the lock, as far as the bound reaches.
func TestMirrorFollows(t *testing.T) {
	noHandlesLeft(t)
	path := t.TempDir()
	s, other := open(t, path), open(t, path)
	live := numbered("row %d", 40)
	insert(t, s, live...)
	m := withMirror(t, s)
	r := rand.New(rand.NewPCG(3, 4))
	texts := []string{"a", "b", "c", "d"} // few vectors, so that there is always somebody near
	write := func(s *Store, fn func(*Tx) error) {
		if err := s.Write(t.Context(), "test", fn); err != nil {
			t.Fatal(err)
		}
	}
	change := func(s *Store) {
		i := r.IntN(len(live))
		switch r.IntN(4) {
		case 0:
			added := mem(fmt.Sprint("new ", r.IntN(1e9)), withVector(vec(texts[r.IntN(4)])))
			write(s, func(tx *Tx) error { return tx.Insert(added) })
			live = append(live, added)
		case 1:
			gone := live[i].ID
			write(s, func(tx *Tx) error { return tx.Delete(gone) })
			live = slices.Delete(live, i, i+1)
		case 2:
			live[i].Vector = vec(texts[r.IntN(4)])
			write(s, func(tx *Tx) error { return tx.Update(live[i]) })
		case 3: // no longer valid, or in another scope
			live[i].Metadata.InvalidatedAt, live[i].Scope = start, "agent:other"
			write(s, func(tx *Tx) error { return tx.Update(live[i]) })
		}
	}
	who, narrow, mirrored := agent(t, "main"), memory.Narrow{ActiveAt: start}, 0
	for step := range 120 {
		for range r.IntN(3) {
			change([]*Store{s, s, other}[r.IntN(3)])
		}
		query := vec(texts[r.IntN(4)])
		if _, _, ok := s.nearMirrored(t.Context(), who, narrow, query, 0.9, 3+aheadSpare); ok {
			mirrored++
		}
		ahead := s.NearestAhead(t.Context(), who, narrow, query, 3, 0.9)
		if r.IntN(2) == 0 {
			change([]*Store{s, other}[r.IntN(2)])
		}
		write(s, func(tx *Tx) error {
			got, err := tx.NearestAfter(t.Context(), ahead)
			if err != nil {
				return err
			}
			want, err := tx.Nearest(t.Context(), who, narrow, query, 3)
			if err != nil {
				return err
			}
			far := func(h memory.Hit) bool { return h.Score < 0.9 }
			if diff := cmp.Diff(places(slices.DeleteFunc(want, far)), places(slices.DeleteFunc(got, far))); diff != "" {
				t.Fatalf("step %d (-want +got):\n%s", step, diff)
			}
			return nil
		})
	}
	if s.mirrored.m != m || mirrored < 60 {
		t.Errorf("the mirror answered %d of 120 times, and is the same: %v", mirrored, s.mirrored.m == m)
	}
}

// TestMirrorKnowsItsLimits: when others wrote much, it is made anew; after Close
// and in a short life there is none.
func TestMirrorKnowsItsLimits(t *testing.T) {
	path := t.TempDir()
	s, other := open(t, path), open(t, path)
	s.NearestAhead(t.Context(), everyone(), memory.Narrow{}, vec("any"), 1, 0.9)
	s.mirrored.work.Wait()
	if s.mirrored.m != nil {
		t.Error("one search reads the whole table")
	}
	insert(t, s, mem("one"))
	m := withMirror(t, s)
	for i := range mirrorBehind + 1 {
		insert(t, other, mem(fmt.Sprint("of another ", i)))
	}
	insert(t, s, mem("two"))
	if hits := s.NearestAhead(t.Context(), everyone(), memory.Narrow{}, vec("of another 7"), 1, 0.9).hits; len(hits) == 0 || hits[0].Memory.Text != "of another 7" {
		t.Errorf("found %v", hits)
	}
	if again := withMirror(t, s); again == m || len(again.ids) != mirrorBehind+3 {
		t.Errorf("made anew: %v, with %d rows", again != m, len(again.ids))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s.mirrorNow() != nil {
		t.Error("a closed store has a mirror")
	}
}

func BenchmarkMirror(b *testing.B) {
	m := newMirror(384)
	for i := range 10_000 {
		m.set(fmt.Sprint(i), wide("x").Vector)
	}
	query := wide("y").Vector
	for b.Loop() {
		m.near(query, 0.94, 11)
	}
}
