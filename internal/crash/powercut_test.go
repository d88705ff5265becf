package main

import (
	"os"
	"slices"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/crash/disk"
)

// scratch is a directory for rebuilt databases, kept when the test fails.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := scratchDir("powercut", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !t.Failed() {
			os.RemoveAll(dir)
		}
	})
	return dir
}

// Whatever of a run a power cut leaves, the store opens, holds what was
// acknowledged before the cut, and shows nothing half done. A sample; `make
// crash` examines every state.
func TestPowerCuts(t *testing.T) {
	if err := disk.Available(); err != nil {
		if os.Getenv("MEMORY_PRO_SERVERS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	const seed = 1
	trace, err := record(t.Context(), t.TempDir(), childSpec{Seed: seed, First: 1, Workers: 3, Steps: 5, Openings: 2, Maintain: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPowerCut(trace, scratch(t), seed)
	if err != nil {
		t.Fatal(err)
	}
	r := randomOf(seed, 5, 0)
	cuts := slices.Concat(some(r, p.prefixes(), 40), some(r, p.bare(), 12), some(r, p.singles(), 50), p.subsets(50))
	if err := p.all(t.Context(), cuts); err != nil {
		t.Fatal(err)
	}
	// And the power fails again while the store heals.
	twice, err := p.allAgain(t.Context(), some(r, p.subsets(50), 3), 12, 6)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d states after a second cut", twice)
	t.Logf("%d operations, %d acknowledgements, %d states, %d of them twice", len(trace.Ops), len(p.acks), p.checked, p.same)
}
