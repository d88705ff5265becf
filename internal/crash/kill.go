package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// episodeKills is how many kills one database lives through.
const episodeKills = 25

// patience bounds the waiting for anything a child should do.
const patience = 60 * time.Second

// killer kills children at random moments and looks at what they leave.
type killer struct {
	seed uint64
	// log gets every line of every child, and a line of text for each kill.
	log io.Writer
	// looks is how many rows are read one by one after a kill.
	looks int
	// killed is told after each kill.
	killed func(n int)
	// opening is how long the last child took to open, to aim at that time.
	opening time.Duration
}

// randomOf is the source of random numbers for one purpose: what happens in kill
// n does not depend on the kills before it.
func randomOf(seed uint64, purpose, n int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(purpose)<<32|uint64(n)))
}

// episode runs kills from first on, with one database in dir, which must not
// exist yet. It stops before kill last, or at the episode's end.
func (k *killer) episode(ctx context.Context, dir string, first, last int) error {
	m := newModel()
	for n := first; n < last && n < first+episodeKills; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := k.round(ctx, dir, n, m); err != nil {
			return fmt.Errorf("kill %d (seed %d, database kept in %s): %w", n, k.seed, dir, err)
		}
		if k.killed != nil {
			k.killed(n)
		}
	}
	return nil
}

// moment is when a child is killed: some time after it started, or after it
// acknowledged so many changes and some time more.
type moment struct {
	acks  int // 0: from the start
	after time.Duration
	all   bool // the other children are killed with it; else they end in order
}

func (k *killer) moment(r *rand.Rand) moment {
	if r.IntN(4) == 0 {
		return k.whileOpening(r)
	}
	return moment{acks: 1 + r.IntN(40), after: upTo(r, []time.Duration{0, 15 * time.Millisecond, 60 * time.Millisecond}[r.IntN(3)]), all: r.IntN(2) == 0}
}

func (k *killer) whileOpening(r *rand.Rand) moment {
	return moment{after: upTo(r, k.opening+20*time.Millisecond), all: r.IntN(2) == 0}
}

func upTo(r *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(d) + 1))
}

func (k *killer) round(ctx context.Context, dir string, n int, m *Model) error {
	r := randomOf(k.seed, 1, n)
	specs := []childSpec{{Task: "work", Dir: dir, Seed: r.Uint64(), First: 1, Workers: 1 + r.IntN(6), Maintain: r.IntN(2) == 0}}
	if r.IntN(4) == 0 { // a second process writes on while the first one dies
		specs = append(specs, childSpec{Task: "work", Dir: dir, Seed: r.Uint64(), First: 101, Workers: 1 + r.IntN(3)})
	}
	at := k.moment(r)
	begun := time.Now()
	if err := k.kill(ctx, specs, at, m); err != nil {
		return err
	}
	for r.IntN(3) == 0 { // those who clean up die, too
		if err := k.kill(ctx, []childSpec{{Task: "work", Dir: dir}}, k.whileOpening(r), m); err != nil {
			return err
		}
	}
	worked := time.Since(begun)
	under, acked := len(m.open), m.acked
	s, err := openStore(ctx, dir, "")
	if err != nil {
		return fmt.Errorf("reopening: %w", err)
	}
	opened := time.Since(begun) - worked
	out, err := m.verify(ctx, s, r, k.looks)
	if err == nil && r.IntN(3) == 0 {
		err = writable(ctx, s, m, r)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	return k.note("kill %d: %d processes, %d acks + %v; acknowledged %d, under way %d (there %d, not there %d), rows %d; ran %v, opened in %v",
		n, len(specs), at.acks, at.after.Round(time.Microsecond), acked, under, out.applied, out.absent, len(m.rows),
		worked.Round(time.Millisecond), opened.Round(time.Millisecond))
}

// writable makes a change through the store that was reopened.
func writable(ctx context.Context, s *store.Store, m *Model, r *rand.Rand) error {
	w := newWorker(200, r.Uint64())
	l := Line{Effects: []Effect{w.fresh()}, Operation: "store"}
	if err := w.run(ctx, s, l); err != nil {
		return fmt.Errorf("writing after reopening: %w", err)
	}
	m.apply(l)
	return nil
}

func (k *killer) note(format string, args ...any) error {
	_, err := fmt.Fprintf(k.log, format+"\n", args...)
	return err
}

// news is a line from a child, or the end of its record.
type news struct {
	from int
	line []byte
	end  bool
}

// kill starts the children, kills the first at the moment, lets the others end,
// and feeds the model with what all of them did.
func (k *killer) kill(ctx context.Context, specs []childSpec, at moment, m *Model) error {
	lines := make(chan news)
	gone := make(chan struct{})
	defer close(gone)
	var children []*child
	begun := time.Now()
	defer func() {
		for _, c := range children {
			_ = c.cmd.Process.Kill() // ended already, unless there was an error
			_ = c.cmd.Wait()
			_ = c.record.Close()
		}
	}()
	for i, spec := range specs {
		c, err := startChild(spec)
		if err != nil {
			return err
		}
		children = append(children, c)
		go follow(c.record, i, lines, gone)
	}
	deadline := time.After(patience)
	var due <-chan time.Time
	if at.acks == 0 {
		due = time.After(at.after)
	}
	for acks, alive := 0, len(children); alive > 0; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return fmt.Errorf("the children did not get on; they said: %s", says(children))
		case <-due:
			due = nil
			for i, c := range children {
				if i > 0 && !at.all {
					_ = c.stdin.Close() // it ends in order
				} else if err := c.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
					return err
				}
			}
		case got := <-lines:
			if got.end {
				alive--
				if err := children[got.from].ended(got.from == 0 || at.all); err != nil {
					return err
				}
				continue
			}
			l, err := m.feed(got.line)
			if err == nil {
				_, err = fmt.Fprintf(k.log, "%d %s\n", got.from, got.line)
			}
			if err != nil {
				return fmt.Errorf("%w; it said: %s", err, children[got.from].errors)
			}
			if got.from != 0 {
				continue
			}
			switch l.Kind {
			case lineOpened:
				k.opening = time.Since(begun)
			case lineAck:
				if acks++; acks == at.acks {
					due = time.After(at.after)
				}
			}
		}
	}
	return nil
}

// ended waits for a child whose record has ended. One that was not killed must
// end without an error.
func (c *child) ended(killed bool) error {
	err := c.cmd.Wait()
	if err == nil || killed && c.cmd.ProcessState.ExitCode() == -1 {
		return nil
	}
	return fmt.Errorf("a child ended with %w; it said: %s", err, c.errors)
}

func says(children []*child) (text string) {
	for _, c := range children {
		text += c.errors.String()
	}
	return text
}

// follow hands over whole lines. What is left of one that a kill tore belongs to
// an operation that had not begun, or to one whose end nobody was told.
func follow(record io.Reader, from int, lines chan<- news, gone <-chan struct{}) {
	send := func(n news) bool {
		select {
		case lines <- n:
			return true
		case <-gone:
			return false
		}
	}
	in := bufio.NewReaderSize(record, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			send(news{from: from, end: true})
			return
		}
		if !send(news{from: from, line: line[:len(line)-1]}) {
			return
		}
	}
}
