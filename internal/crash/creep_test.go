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

// B44: over 2,000 searches, 560 stores, 56 lists and counts and 22 runs of
// maintenance there are never more than 50 descriptors more, and what Lance's
// caches keep of text indexes that were replaced is given back now and then.
func TestDescriptorsDoNotLeak(t *testing.T) {
	ctx := context.WithoutCancel(t.Context())
	s, err := openStore(ctx, filepath.Join(t.TempDir(), "db"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const steps = 560
	r := randomOf(1, 10, 0)
	w := newWorker(1, 1)
	before, most := descriptors(t), 0
	for i := range steps {
		l := Line{Operation: "store", Effects: []Effect{w.fresh()}}
		check(w.run(ctx, s, l))
		w.done(l)
		for range 2 {
			_, err := s.Matching(ctx, everyone(), memory.Narrow{}, filler[r.IntN(len(filler))], 5)
			check(err)
			_, err = s.Nearest(ctx, everyone(), memory.Narrow{}, vector(sentence(r)), 5)
			check(err)
		}
		if i%10 == 0 {
			_, err := s.List(ctx, store.ListQuery{Who: everyone()})
			check(err)
			_, err = s.Stats(ctx, everyone())
			check(err)
		}
		if i%25 == 24 {
			_, err := s.Maintain(ctx)
			check(err)
		}
		most = max(most, descriptors(t))
	}
	if end := descriptors(t); most-before > 50 || end-before > 25 {
		t.Errorf("%d descriptors at first, %d at most, %d at the end", before, most, end)
	}
}
