package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("descriptors cannot be counted here: ", err)
	}
	return len(list)
}

// B112: recalls and captures, each in a session of its own, leave the heap as it
// was after the first half, when the engine has met as many sessions as it
// remembers at most. Here a twentieth of them, in `make soak` 10,000 and 2,000.
func TestSessionsDoNotCreep(t *testing.T) {
	half, end, err := creep(t.Context(), filepath.Join(t.TempDir(), "db"), 100)
	if err != nil {
		t.Fatal(err)
	}
	if end/half > 1.05 {
		t.Errorf("the heap grew by %.1f %% over the second half, from %.1f MB", 100*(end/half-1), half/1e6)
	}
}

// B44: descriptors after 2,000 searches, 500 stores, 50 lists and counts and 20
// runs of maintenance are at most 50 more, and as many as after half of it.
func TestDescriptorsDoNotLeak(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	ctx := context.WithoutCancel(t.Context())
	s, err := openStore(ctx, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	// Another process that only reads keeps nothing open either.
	reader, err := openStore(ctx, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	}()
	const steps = 500
	r := randomOf(1, 10, 0)
	w := newWorker(1, 1)
	before := descriptors(t)
	var half int
	for i := range steps {
		l := Line{Operation: "store", Effects: []Effect{w.fresh()}}
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		check(w.run(ctx, s, l))
		w.done(l)
		for _, from := range []*store.Store{s, reader} {
			_, err := from.Matching(ctx, everyone(), memory.Narrow{}, filler[r.IntN(len(filler))], 5)
			check(err)
			_, err = from.Nearest(ctx, everyone(), memory.Narrow{}, vector(sentence(r)), 5)
			check(err)
		}
		if i%10 == 0 {
			_, err := reader.List(ctx, store.ListQuery{Who: everyone()})
			check(err)
			_, err = reader.Stats(ctx, everyone())
			check(err)
		}
		if i%25 == 24 {
			_, err := s.Maintain(ctx)
			check(err)
		}
		if i == steps/2 {
			half = descriptors(t)
		}
	}
	after := descriptors(t)
	if after-before > 50 || after-half > 10 {
		t.Errorf("%d descriptors at first, %d after half, %d at the end", before, half, after)
	}
}
