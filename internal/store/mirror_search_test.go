package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/knn"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// TestHeldSearches: what is held answers as LanceDB does, scores and vectors included,
// also where the vectors as stored are not held.
func TestHeldSearches(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	s.janitor.stop()
	r := rand.New(rand.NewPCG(4, 4))
	rows := awkward(t, s, r, 400)
	if _, err := s.Maintain(t.Context()); err != nil { // scores of rows not in the index depend on the condition
		t.Fatal(err)
	}
	m := withMirror(t, s)
	for _, exact := range []bool{true, false} {
		if !exact {
			m = newMirror(width)
			m.vectors = knn.New(width, 0)
			if err := s.sync(t.Context(), m, 0); err != nil {
				t.Fatal(err)
			}
		}
		for range 60 {
			who, n, limit, query := everyone(), narrowings(r), 1+r.IntN(30), rows[r.IntN(len(rows))].Vector
			if r.IntN(2) == 0 {
				who = agent(t, "alice")
			}
			if query == nil {
				continue
			}
			got, ok := s.nearestHeld(t.Context(), m, who, n, query, -2, limit)
			if !ok {
				t.Fatal("it could not tell")
			}
			put(s, nil)
			want, err := s.Nearest(t.Context(), who, n, query, limit)
			put(s, m)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Fatalf("%+v, limit %d, %v (-LanceDB +held):\n%s", n, limit, err, diff)
			}
			words, ok := s.matchingHeld(t.Context(), m, who, n, "heron", limit)
			if !ok {
				t.Fatal("it could not tell")
			}
			put(s, nil)
			wordsWant, err := s.Matching(t.Context(), who, n, "heron", limit)
			put(s, m)
			if diff := cmp.Diff(scoresOf(wordsWant), scoresOf(words)); diff != "" || err != nil {
				t.Fatalf("%+v, limit %d, %v (-LanceDB +held):\n%s", n, limit, err, diff)
			}
			for _, h := range words {
				if i := slices.IndexFunc(rows, func(m memory.Memory) bool { return m.ID == h.Memory.ID }); !cmp.Equal(rows[i].Vector, h.Memory.Vector) || !n.Keeps(h.Memory) {
					t.Fatalf("%+v is not as it is stored", h.Memory)
				}
			}
		}
	}
}

// put has searches go through m, or through LanceDB.
func put(s *Store, m *mirror) {
	s.mirrored.mu.Lock()
	defer s.mirrored.mu.Unlock()
	s.mirrored.m, s.mirrored.refused = m, m == nil
}

// scoresOf: which of several rows of one score are found is nobody's promise.
func scoresOf(hits []memory.Hit) (list []float64) {
	for _, h := range hits {
		list = append(list, h.Score)
	}
	return list
}

// TestOwnCosine: with LanceDB kept from comparing vectors the answers are the same,
// before the rows are held and after, and no index of vectors is made or asked.
func TestOwnCosine(t *testing.T) {
	noHandlesLeft(t)
	path := t.TempDir()
	there := open(t, path)
	there.janitor.stop()
	r := rand.New(rand.NewPCG(8, 8))
	awkward(t, there, r, 700)
	own := open(t, path, func(o *Options) { o.OwnCosine = true })
	own.janitor.stop() // which looks at the indexes when it begins
	own.vectors.kind.Store(nil)
	check := func() {
		t.Helper()
		for range 20 {
			n, limit := narrowings(r), 1+r.IntN(30)
			query := vec(fmt.Sprint(r.IntN(1e9)))
			put(there, nil)
			want, err := there.Nearest(t.Context(), agent(t, "bob"), n, query, limit)
			if err != nil {
				t.Fatal(err)
			}
			got, err := own.Nearest(t.Context(), agent(t, "bob"), n, query, limit)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Fatalf("%+v, limit %d, %v (-LanceDB +own):\n%s", n, limit, err, diff)
			}
		}
		if own.vectors.kind.Load() != nil {
			t.Error("an index of vectors was looked for")
		}
	}
	put(own, nil)
	check()
	put(own, newMirror(width))
	check()
	if err := own.vectorStep(t.Context(), &Report{}, true); err != nil {
		t.Fatal(err)
	}
}
