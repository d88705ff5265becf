package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/crash/disk"
)

// powerCutCommand records a run and examines every state of the disk.
func powerCutCommand(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("powercut", flag.ContinueOnError)
	seedText := seedFlag(f)
	subsets := f.Int("subsets", 1000, "how many random subsets of what was not synced")
	if err := f.Parse(args); err != nil {
		return err
	}
	if err := disk.Available(); err != nil {
		return err
	}
	seed, err := chosenSeed(*seedText)
	if err != nil {
		return err
	}
	dir, err := scratchDir("powercut", true)
	if err != nil {
		return err
	}
	root := filepath.Join(dir, "run")
	if err := os.Mkdir(root, 0o700); err != nil {
		return err
	}
	trace, err := record(ctx, root, childSpec{Seed: seed, First: 1, Workers: 3, Steps: 6, Openings: 2, Maintain: true})
	if err != nil {
		return err
	}
	p, err := newPowerCut(trace, dir, seed)
	if err != nil {
		return err
	}
	fmt.Printf("seed %d: %d operations, %d acknowledgements\n", seed, len(trace.Ops), len(p.acks))
	for _, part := range []struct {
		name string
		cuts []cut
	}{
		{"every prefix", p.prefixes()},
		{"only what was synced, after every acknowledgement", p.bare()},
		{"every single operation lost, torn or empty, after an acknowledgement", p.singles()},
		{"random subsets", p.subsets(*subsets)},
	} {
		begun, checked, same := time.Now(), p.checked, p.same
		fmt.Printf("%s: %d cuts …\n", part.name, len(part.cuts))
		if err := p.all(ctx, part.cuts); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Printf("%s: %d states, %d more like one of them, in %v: all open, hold what was acknowledged, nothing torn\n",
			part.name, p.checked-checked, p.same-same, time.Since(begun).Round(time.Second))
	}
	begun := time.Now()
	states, err := p.allAgain(ctx, some(randomOf(seed, 13, 0), p.subsets(*subsets), 20), 1<<30, 40)
	if err != nil {
		return err
	}
	fmt.Printf("a second power cut during the opening after a first: %d states in %v: the same\n", states, time.Since(begun).Round(time.Second))
	return os.RemoveAll(dir)
}
