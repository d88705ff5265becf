package store

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// width of the vectors in tests.
const width = 8

// start is the moment tests begin at.
var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		os.Exit(child())
	}
	if os.Getenv(remoteEnv) != "" {
		os.Exit(remoteChild())
	}
	os.Exit(m.Run())
}

// open opens a store and closes it at the end of the test. Every test begins
// with noHandlesLeft, so that its check runs after all closing.
func open(t testing.TB, path string, change ...func(*Options)) *Store {
	t.Helper()
	o := Options{Path: path, Dimensions: width, Now: func() time.Time { return start }}
	for _, c := range change {
		c(&o)
	}
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// noHandlesLeft checks at the end of the test that nothing the native library
// gave out is left. Cleanups run last first, so call it before opening anything.
func noHandlesLeft(t testing.TB) {
	t.Helper()
	t.Cleanup(func() {
		for kind, n := range lance.LiveHandles() {
			if n != 0 {
				t.Errorf("%d native handles of kind %q are left", n, kind)
			}
		}
	})
}

// vec is a unit vector that depends on the seed alone; two seeds are far apart.
func vec(seed string) []float32 {
	h := fnv.New64a()
	h.Write([]byte(seed))
	r := rand.New(rand.NewPCG(h.Sum64(), 7))
	v := make([]float32, width)
	var sum float64
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// mem is a memory in the global scope.
func mem(text string, change ...func(*memory.Memory)) memory.Memory {
	m := memory.Memory{
		ID: memory.NewID(), Text: text, Vector: vec(text), Category: memory.StoredFact,
		Scope: scope.Global, Importance: 0.7, Time: start,
		Metadata: memory.NewMetadata(text, memory.Cases, memory.SourceManual, start),
	}
	for _, c := range change {
		c(&m)
	}
	return m
}

func withID(id string) func(*memory.Memory)       { return func(m *memory.Memory) { m.ID = id } }
func inScope(name string) func(*memory.Memory)    { return func(m *memory.Memory) { m.Scope = name } }
func at(when time.Time) func(*memory.Memory)      { return func(m *memory.Memory) { m.Time = when } }
func withVector(v []float32) func(*memory.Memory) { return func(m *memory.Memory) { m.Vector = v } }

// insert stores memories in one write.
func insert(t testing.TB, s *Store, ms ...memory.Memory) {
	t.Helper()
	if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Insert(ms...) }); err != nil {
		t.Fatalf("inserting %d memories: %v", len(ms), err)
	}
}

func remove(t testing.TB, s *Store, ids ...string) {
	t.Helper()
	if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Delete(ids...) }); err != nil {
		t.Fatalf("deleting %v: %v", ids, err)
	}
}

// everyone reads everything; agent reads global and its own.
func everyone() scope.Filter { return scope.Operator().Filter() }

func agent(t testing.TB, id string) scope.Filter {
	t.Helper()
	a, err := scope.ForCaller(scope.Caller{AgentID: id})
	if err != nil {
		t.Fatal(err)
	}
	return a.Filter()
}

// matching is the texts a keyword search finds, best first.
func matching(t testing.TB, s *Store, query string, limit int) []string {
	t.Helper()
	hits, err := s.Matching(t.Context(), everyone(), memory.Narrow{}, query, limit)
	if err != nil {
		t.Fatalf("Matching(%q): %v", query, err)
	}
	for i, h := range hits {
		if h.Score <= 0 || math.IsInf(h.Score, 0) || math.IsNaN(h.Score) {
			t.Errorf("Matching(%q): hit %d has score %v", query, i, h.Score)
		}
		if i > 0 && h.Score > hits[i-1].Score {
			t.Errorf("Matching(%q): hit %d scores more than the one before", query, i)
		}
	}
	return texts(hits)
}

func texts(hits []memory.Hit) []string {
	list := []string{}
	for _, h := range hits {
		list = append(list, h.Memory.Text)
	}
	return list
}

func total(t testing.TB, s *Store) int64 {
	t.Helper()
	n, err := s.Count(context.WithoutCancel(t.Context()), everyone(), memory.Narrow{})
	if err != nil {
		t.Fatalf("Count: %v", err)
	}
	return n
}

func numbered(format string, n int) []memory.Memory {
	list := make([]memory.Memory, n)
	for i := range list {
		list[i] = mem(fmt.Sprintf(format, i))
	}
	return list
}
