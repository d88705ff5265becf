package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/crash/disk"
)

// The boots of the machine after the power came back, and came back once more.
const (
	otherBoot = "00000000-0000-4000-8000-0000000000f1"
	thirdBoot = "00000000-0000-4000-8000-0000000000f2"
)

// recordedPause is long enough for the store to write a checkpoint of its own.
const recordedPause = 1300 * time.Millisecond

// record runs a child that opens a store below root, works on it, closes it and
// does so again, and returns what it did to the disk.
func record(ctx context.Context, root string, spec childSpec) (*disk.Trace, error) {
	spec.Task, spec.Dir, spec.Pause = "work", filepath.Join(root, "db"), recordedPause
	cmd, err := childCommand(spec)
	if err != nil {
		return nil, err
	}
	said := &tail{}
	cmd.Stderr = said
	stay, quit, err := os.Pipe() // a child whose standard input has ended stops working
	if err != nil {
		return nil, err
	}
	cmd.Stdin = stay
	t, ended, err := disk.Record(ctx, cmd, root)
	if err = errors.Join(err, ended, stay.Close(), quit.Close()); err != nil {
		return nil, fmt.Errorf("recording a run: %w; it said: %s", err, said)
	}
	return t, nil
}

// powerCut examines the states that a run may leave.
type powerCut struct {
	trace *disk.Trace
	dir   string // for rebuilt databases
	seed  uint64
	boot  string // in which they are opened
	base  *Model // what was acknowledged before the run
	// lines are the child's, with the number of operations before each.
	lines []saidAt
	acks  []int // cuts right after an acknowledgement, or something else that was said

	mu      sync.Mutex
	seen    map[uint64]bool
	checked int // states examined
	same    int // states that were like one before
}

type saidAt struct {
	op   int
	text []byte
}

func newPowerCut(t *disk.Trace, dir string, seed uint64) (*powerCut, error) {
	p := &powerCut{trace: t, dir: dir, seed: seed, boot: otherBoot, base: newModel(), seen: map[uint64]bool{}}
	m := newModel()
	var said []int
	for i, o := range t.Ops {
		if o.Kind != disk.Mark {
			continue
		}
		for text := range bytes.Lines(o.Data) {
			text = bytes.TrimSuffix(text, []byte("\n"))
			l, err := m.feed(text)
			if err != nil {
				return nil, err
			}
			p.lines = append(p.lines, saidAt{i, text})
			said = append(said, i+1)
			if l.Kind == lineAck {
				p.acks = append(p.acks, i+1)
			}
		}
	}
	if len(p.acks) == 0 {
		p.acks = said
	}
	if len(p.acks) == 0 {
		return nil, errors.New("the recorded run said nothing")
	}
	return p, nil
}

// model is what the store must hold after a cut at n.
func (p *powerCut) model(n int) *Model {
	m := p.base.clone()
	for _, l := range p.lines {
		if l.op < n {
			_, _ = m.feed(l.text) // newPowerCut has read it before
		}
	}
	return m
}

// check rebuilds a state, opens it as after another boot, and compares it with
// what was acknowledged. Every fourth state is also written to and opened again.
func (p *powerCut) check(ctx context.Context, number int, c cut) (err error) {
	m := p.model(c.n)
	im := p.trace.Image(c.n, c.fate)
	h := fnv.New64a()
	fmt.Fprintf(h, "%x %d %d", im.Sum(), m.acked, len(m.open))
	p.mu.Lock()
	known := p.seen[h.Sum64()]
	p.seen[h.Sum64()] = true
	if known {
		p.same++
	} else {
		p.checked++
	}
	p.mu.Unlock()
	if known {
		return nil
	}
	root := filepath.Join(p.dir, fmt.Sprintf("cut-%d", number))
	defer func() {
		if err == nil {
			err = os.RemoveAll(root)
			return
		}
		// What was examined is healed, or broken further: the state itself is kept.
		before := root + "-before"
		err = errors.Join(fmt.Errorf("cut %d after operation %d of %d (seed %d, %s; state kept in %s): %w",
			number, c.n, len(p.trace.Ops), p.seed, c.why, before, err), im.Write(before))
	}()
	if err := im.Write(root); err != nil {
		return err
	}
	r := randomOf(p.seed, 4, number)
	again := r.IntN(4) == 0
	if err := p.examine(ctx, root, m, r, again); err != nil || !again {
		return err
	}
	if err := p.examine(ctx, root, m, r, false); err != nil {
		return fmt.Errorf("opened once more: %w", err)
	}
	return nil
}

func (p *powerCut) examine(ctx context.Context, root string, m *Model, r *rand.Rand, write bool) (err error) {
	s, err := openStore(ctx, filepath.Join(root, "db"), p.boot)
	if err != nil {
		return fmt.Errorf("opening: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := m.verify(ctx, s, r, 2); err != nil {
		return err
	}
	if write {
		return writable(ctx, s, m, r)
	}
	return nil
}

// all examines cuts, two at a time. It goes on after a fault and returns all of
// them, up to a few.
func (p *powerCut) all(ctx context.Context, cuts []cut) error {
	const lanes, enough = 2, 20
	var wg sync.WaitGroup
	var mu sync.Mutex
	var faults []error
	next := 0
	for range lanes {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := len(faults) >= enough || ctx.Err() != nil || i >= len(cuts)
				mu.Unlock()
				if stop {
					return
				}
				err := p.check(ctx, i, cuts[i])
				mu.Lock()
				if err != nil {
					faults = append(faults, err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return errors.Join(append(faults, ctx.Err())...)
}
