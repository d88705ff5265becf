package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/crash/disk"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// soakRows is how many memories the writer keeps.
const soakRows = 1000

// pulse is what a soaking child reports at every interval.
type pulse struct {
	Done     int           // operations
	P50, P99 time.Duration // of one operation
	Faults   int
	Fault    string // the newest
}

// meter collects the operations of one child.
type meter struct {
	mu    sync.Mutex
	took  []time.Duration
	count int
	last  string
}

// time runs one operation.
func (m *meter) time(work func() error) {
	begun := time.Now()
	err := work()
	took := time.Since(begun)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.took = append(m.took, took)
	if err != nil {
		m.count++
		m.last = err.Error()
	}
}

// pulse is what came together since the last one.
func (m *meter) pulse() pulse {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := pulse{Done: len(m.took), Faults: m.count, Fault: m.last}
	if n := len(m.took); n > 0 {
		slices.Sort(m.took)
		p.P50, p.P99 = m.took[n/2], m.took[n*99/100]
	}
	m.took, m.count = m.took[:0], 0
	return p
}

// soaking runs step again and again until standard input ends, with a pause, and
// reports at every interval.
func soaking(spec childSpec, step func(ctx context.Context, m *meter)) error {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	m := &meter{}
	var reporting sync.WaitGroup
	reporting.Go(func() {
		out := json.NewEncoder(os.NewFile(disk.MarkFD, "record"))
		tick := time.NewTicker(spec.Interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = out.Encode(m.pulse()) // without a parent there is nobody to tell
			}
		}
	})
	for ctx.Err() == nil {
		step(context.Background(), m)
		select {
		case <-ctx.Done():
		case <-time.After(spec.Pause):
		}
	}
	reporting.Wait()
	return nil
}

// soakRead recalls, lists and shows, as a gateway does between writes.
func soakRead(spec childSpec) error {
	e, err := openEngine(spec.Dir)
	if err != nil {
		return err
	}
	r := randomOf(spec.Seed, 6, 0)
	who := engine.Agent("main", "")
	n := 0
	return errors.Join(soaking(spec, func(ctx context.Context, m *meter) {
		n++
		m.time(func() error {
			_, err := e.Recall(ctx, engine.RecallRequest{Who: who, Query: filler[r.IntN(len(filler))] + " " + filler[r.IntN(len(filler))], Limit: 5})
			return err
		})
		if n%20 == 0 {
			m.time(func() error {
				l, err := e.List(ctx, engine.ListRequest{Who: who, Limit: 20})
				if err == nil && len(l.Memories) > 0 {
					_, err = e.Show(ctx, engine.ShowRequest{Who: who, ID: l.Memories[0].ID})
				}
				if engine.FaultOf(err) == engine.FaultNotFound { // forgotten meanwhile
					err = nil
				}
				return err
			})
		}
	}), e.Close())
}

// soakWrite stores, changes and forgets, and captures turns of ever new
// sessions. It keeps soakRows memories.
func soakWrite(spec childSpec) error {
	e, err := openEngine(spec.Dir)
	if err != nil {
		return err
	}
	r := randomOf(spec.Seed, 7, 0)
	who := engine.Agent("main", "")
	var ids []string
	n := 0
	return errors.Join(soaking(spec, func(ctx context.Context, m *meter) {
		n++
		switch {
		case len(ids) > soakRows:
			i := r.IntN(len(ids))
			m.time(func() error {
				_, err := e.Forget(ctx, engine.ForgetRequest{Who: who, ID: ids[i]})
				return err
			})
			ids = slices.Delete(ids, i, i+1)
		case n%10 == 0:
			x := r.Float64()
			m.time(func() error {
				_, err := e.Update(ctx, engine.UpdateRequest{Who: who, ID: ids[r.IntN(len(ids))], Importance: &x})
				return err
			})
		case n%25 == 1:
			m.time(func() error {
				return turn(ctx, e, fmt.Sprintf("agent:main:session-%d", n), fmt.Sprintf("Remember that the door code of house %d is %s.", r.IntN(50), word(r)))
			})
		default:
			m.time(func() error {
				a, err := e.Store(ctx, engine.StoreRequest{Who: who, Text: sentence(r), Importance: 0.5, Category: "fact"})
				if err == nil && a.Memory.ID != "" {
					ids = append(ids, a.Memory.ID)
				}
				return err
			})
		}
	}), e.Close())
}

// soakMaintain maintains the table and searches it in between.
func soakMaintain(spec childSpec) error {
	ctx := context.Background()
	s, err := openStore(ctx, spec.Dir, "")
	if err != nil {
		return err
	}
	r := randomOf(spec.Seed, 8, 0)
	last := time.Now()
	return errors.Join(soaking(spec, func(ctx context.Context, m *meter) {
		if time.Since(last) > 5*spec.Interval {
			last = time.Now()
			if _, err := s.Maintain(ctx); err != nil {
				m.time(func() error { return err })
			}
		}
		m.time(func() error {
			_, err := s.Nearest(ctx, everyone(), memory.Narrow{}, vector(sentence(r)), 10)
			return err
		})
		m.time(func() error {
			_, err := s.Matching(ctx, everyone(), memory.Narrow{}, filler[r.IntN(len(filler))], 10)
			return err
		})
	}), s.Close())
}
