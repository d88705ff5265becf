package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/crash/disk"
)

// part is a kind of cuts.
type part struct {
	name string
	cuts []cut
}

func (p *powerCut) examineParts(ctx context.Context, parts []part) error {
	for _, part := range parts {
		begun, checked, same := time.Now(), p.checked, p.same
		fmt.Printf("%s: %d cuts …\n", part.name, len(part.cuts))
		if err := p.all(ctx, part.cuts); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Printf("%s: %d states, %d more like one of them, in %v: all open, hold what was acknowledged, nothing torn\n",
			part.name, p.checked-checked, p.same-same, time.Since(begun).Round(time.Second))
	}
	return nil
}

// recordedCuts records a run below dir, on a table that holds some memories before.
func recordedCuts(ctx context.Context, dir string, seed uint64, rows int) (*powerCut, error) {
	root := filepath.Join(dir, "run")
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	base := newModel()
	if rows > 0 {
		if err := fill(ctx, filepath.Join(root, "db"), base, seed, rows); err != nil {
			return nil, err
		}
	}
	trace, err := record(ctx, root, childSpec{Seed: seed, First: 1, Workers: 3, Steps: 6, Openings: 2, Maintain: true})
	if err != nil {
		return nil, err
	}
	p, err := newPowerCut(trace, dir, seed)
	if err != nil {
		return nil, err
	}
	p.base = base
	return p, nil
}

// fill stores rows of a worker who then rests.
func fill(ctx context.Context, dir string, m *Model, seed uint64, rows int) (err error) {
	s, err := openStore(ctx, dir, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	w := newWorker(150, seed)
	for n := 0; n < rows; n += 500 {
		l := Line{Operation: "group", Effects: w.group(500)}
		if err := w.run(ctx, s, l); err != nil {
			return err
		}
		w.done(l)
		m.apply(l)
	}
	_, err = s.Maintain(ctx)
	return err
}

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
	p, err := recordedCuts(ctx, filepath.Join(dir, "small"), seed, 0)
	if err != nil {
		return err
	}
	trace := p.trace
	fmt.Printf("seed %d: %d operations, %d acknowledgements\n", seed, len(trace.Ops), len(p.acks))
	parts := []part{
		{"every prefix", p.prefixes()},
		{"only what was synced, after every acknowledgement", p.bare()},
		{"every single operation lost, torn or empty, after an acknowledgement", p.singles()},
		{"random subsets", p.subsets(*subsets)},
	}
	if err := p.examineParts(ctx, parts); err != nil {
		return err
	}
	begun := time.Now()
	states, err := p.allAgain(ctx, some(randomOf(seed, 13, 0), p.subsets(*subsets), 20), 1<<30, 40)
	if err != nil {
		return err
	}
	fmt.Printf("a second power cut during the opening after a first: %d states in %v: the same\n", states, time.Since(begun).Round(time.Second))
	return largeCuts(ctx, dir, seed)
}

// largeTable is enough rows for a vector index.
const largeTable = 5000

// largeCuts examines a sample of the states of a run on a large table.
func largeCuts(ctx context.Context, dir string, seed uint64) error {
	p, err := recordedCuts(ctx, filepath.Join(dir, "large"), seed, largeTable)
	if err != nil {
		return err
	}
	r := randomOf(seed, 14, 0)
	err = p.examineParts(ctx, []part{
		{fmt.Sprintf("with %d memories: prefixes", largeTable), some(r, p.prefixes(), 100)},
		{"only what was synced", some(r, p.bare(), 20)},
		{"single operations lost, torn or empty", some(r, p.singles(), 150)},
		{"random subsets", p.subsets(100)},
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
