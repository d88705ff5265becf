package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// withMirror has the rows of a store in memory.
func withMirror(t *testing.T, s *Store) *mirror {
	t.Helper()
	for range mirrorFrom {
		s.NearestAhead(t.Context(), everyone(), memory.Narrow{}, vec("any"), 1, 0.9)
	}
	s.mirrored.work.Wait()
	m := s.mirrorFresh(t.Context())
	if m == nil {
		t.Fatal("the rows were not read into memory")
	}
	return m
}

// sameAsTable compares what is held with the table, row by row.
func sameAsTable(t *testing.T, s *Store, m *mirror) {
	t.Helper()
	want := map[string]memory.Memory{}
	if err := s.Each(t.Context(), everyone(), memory.Narrow{}, true, func(rows []memory.Memory) error {
		for _, row := range rows {
			want[row.ID] = row
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	got := map[string]memory.Memory{}
	for place := range m.rows {
		row := m.brief(place)
		m.rows[place].fill(&row)
		got[row.ID] = row
		if m.places[m.rows[place].address] != int32(place) {
			t.Errorf("place %d is not that of its address", place)
		}
	}
	list := slices.Collect(maps.Keys(want))
	m.mu.RUnlock()
	known, err := s.GetWhole(t.Context(), everyone(), list...)
	m.mu.RLock()
	if diff := cmp.Diff(want, known); diff != "" || err != nil || m.twice || len(m.ids) != len(m.rows) {
		t.Fatalf("by id: %d of %d, two of one: %v, %v (-want +got):\n%s", len(m.ids), len(m.rows), m.twice, err, diff)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(m.places) != len(m.rows) || m.vectors.Len() != len(m.rows) {
		t.Fatalf("%d addresses, %d rows, %d vectors (-want +got):\n%s", len(m.places), len(m.rows), m.vectors.Len(), diff)
	}
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

// TestMirrorFollowsTheTable: whoever commits, and whatever it does to the files, the
// next search sees the newest version.
func TestMirrorFollowsTheTable(t *testing.T) {
	noHandlesLeft(t)
	path := t.TempDir()
	s, other := open(t, path), open(t, path)
	s.janitor.stop()
	other.janitor.stop()
	live := numbered("heron %d", 60)
	insert(t, s, live...)
	m := withMirror(t, s)
	r := rand.New(rand.NewPCG(9, 1))
	steps := map[string]func() error{
		"insert": func() error { insert(t, other, mem(fmt.Sprint("heron ", r.IntN(1e9)))); return nil },
		"many":   func() error { insert(t, other, numbered("heron more %d", 70)...); return nil },
		"change": func() error {
			i := r.IntN(len(live))
			live[i].Text = fmt.Sprint("heron ", r.IntN(1e9))
			return other.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(live[i]) })
		},
		"delete": func() error {
			i := r.IntN(len(live))
			remove(t, other, live[i].ID)
			live = slices.Delete(live, i, i+1)
			return nil
		},
		"compact": func() error { _, err := other.Maintain(t.Context()); return err },
		"foreign": func() error {
			rec, err := s.layout().encode([]change{{present: true, mem: mem(fmt.Sprint("heron of another program ", r.IntN(1e9)))}})
			if err != nil {
				return err
			}
			defer rec.Release()
			return other.table.Add(t.Context(), rec) // no lock, no record
		},
		"update in place": func() error {
			_, err := other.table.Delete(t.Context(), lance.Eq(colID, live[0].ID))
			live = live[1:]
			return err
		},
	}
	names := slices.Sorted(maps.Keys(steps))
	for i := range 60 {
		name := names[r.IntN(len(names))]
		if err := steps[name](); err != nil {
			t.Fatal(name, err)
		}
		if s.mirrorFresh(t.Context()) != m {
			t.Fatalf("step %d, %s: the rows in memory were given up", i, name)
		}
		sameAsTable(t, s, m)
	}
}

// TestMirrorKnowsItsLimits: when others wrote much, the searches go through LanceDB
// until it is read; after Close and in a short life there is none.
func TestMirrorKnowsItsLimits(t *testing.T) {
	path := t.TempDir()
	s, other := open(t, path), open(t, path)
	for range mirrorFrom - 1 {
		s.NearestAhead(t.Context(), everyone(), memory.Narrow{}, vec("any"), 1, 0.9)
	}
	s.mirrored.work.Wait()
	if s.mirrored.m != nil {
		t.Error("a few searches read the whole table")
	}
	insert(t, s, mem("one"))
	m := withMirror(t, s)
	insert(t, other, numbered("of another %d", syncRows+1)...)
	insert(t, s, mem("two"))
	for range 2 { // while it is read, and then
		hits, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, vec("of another 7"), 1)
		if err != nil || len(hits) == 0 || hits[0].Memory.Text != "of another 7" {
			t.Errorf("found %v, %v", hits, err)
		}
		s.mirrored.work.Wait()
	}
	if again := withMirror(t, s); again != m || len(again.rows) != syncRows+3 {
		t.Errorf("the same: %v, with %d rows", again == m, len(again.rows))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s.mirrorNow() != nil {
		t.Error("a closed store has a mirror")
	}
}

// TestResident: a process that stays has the rows in memory without being asked.
func TestResident(t *testing.T) {
	noHandlesLeft(t)
	path := t.TempDir()
	insert(t, open(t, path), numbered("row %d", 40)...)
	s := open(t, path, func(o *Options) { o.Resident = true })
	s.mirrored.work.Wait()
	m := s.mirrored.held()
	if m == nil {
		t.Fatal("nothing is held")
	}
	sameAsTable(t, s, m)
}

// TestTheFirstSearchOfALargeTable waits until the table is read, where LanceDB would
// have to look at more vectors than its cache holds.
func TestTheFirstSearchOfALargeTable(t *testing.T) {
	noHandlesLeft(t)
	const wide = 4096
	path := t.TempDir()
	rows := numbered("row %d", 2700) // 44 MB
	for i := range rows {
		rows[i].Vector = make([]float32, wide)
		copy(rows[i].Vector, vec(rows[i].Text))
	}
	fits := func(o *Options) { o.Dimensions = wide }
	insert(t, open(t, path, fits), rows...)
	s := open(t, path, fits, func(o *Options) { o.Resident = true })
	hits, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, rows[7].Vector, 1)
	if err != nil || len(hits) != 1 || hits[0].Memory.ID != rows[7].ID {
		t.Fatalf("%v, %v", texts(hits), err)
	}
	s.mirrored.work.Wait()
	if s.mirrored.held() == nil {
		t.Error("nothing is held")
	}
}
