package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// again lets the power fail a second time, while the store is opened for the
// first time after a cut: it records that opening, and makes a powerCut of it.
func (p *powerCut) again(ctx context.Context, number int, c cut) (*powerCut, error) {
	dir := filepath.Join(p.dir, fmt.Sprintf("again-%d", number))
	root := filepath.Join(dir, "run")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := p.trace.Image(c.n, c.fate).Write(root); err != nil {
		return nil, err
	}
	trace, err := record(ctx, root, childSpec{Boot: p.boot})
	if err != nil {
		return nil, err
	}
	next, err := newPowerCut(trace, dir, p.seed)
	if err != nil {
		return nil, err
	}
	next.boot, next.base = thirdBoot, p.model(c.n)
	return next, nil
}

// allAgain examines, for each of the cuts, at most some prefixes of the opening
// after it, what of it is synced, and so many random subsets. It returns how many
// states those were.
func (p *powerCut) allAgain(ctx context.Context, cuts []cut, prefixes, subsets int) (states int, err error) {
	for i, c := range cuts {
		next, err := p.again(ctx, i, c)
		if err != nil {
			return states, fmt.Errorf("opening after the cut at operation %d (seed %d, %s): %w", c.n, p.seed, c.why, err)
		}
		second := some(randomOf(p.seed, 12, i), next.prefixes(), prefixes)
		second = append(second, next.bare()...)
		second = append(second, next.subsets(subsets)...)
		if err := next.all(ctx, second); err != nil {
			return states, fmt.Errorf("a second cut, after one at operation %d (seed %d, %s): %w", c.n, p.seed, c.why, err)
		}
		states += next.checked
		if err := os.RemoveAll(next.dir); err != nil {
			return states, err
		}
	}
	return states, nil
}
