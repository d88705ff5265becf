package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

// writers is how many write at once.
const writers = 8

// measureParallel compares eight writers with one, and deletes eight memories at once.
func measureParallel(ctx context.Context, r *report, e *engine.Engine, n int) error {
	const stores = 160
	alone, err := together(stores, 1, func(i int) error { return storeOne(ctx, e, parallelFrom+i) })
	if err != nil {
		return err
	}
	many, err := together(stores, writers, func(i int) error { return storeOne(ctx, e, parallelFrom+stores+i) })
	if err != nil {
		return err
	}
	r.add(figure{Name: "stores, one writer", Size: n, Unit: "a second", Value: stores / alone.Seconds()}, "")
	r.add(figure{Name: "stores, 8 writers", Size: n, Unit: "a second", Value: stores / many.Seconds()}, "")
	r.add(figure{Name: "8 writers against one", Size: n, Unit: "times", Value: alone.Seconds() / many.Seconds()}, "")
	r.want("≥ 4")

	list, err := e.List(ctx, engine.ListRequest{Who: me, Limit: writers})
	if err != nil {
		return err
	}
	took, err := together(len(list.Memories), writers, func(i int) error {
		_, err := e.Forget(ctx, engine.ForgetRequest{Who: me, ID: list.Memories[i].ID})
		return err
	})
	if err != nil {
		return err
	}
	r.add(figure{Name: "8 forgets at once, all", Size: n, Unit: "ms", Value: milliseconds(took), N: len(list.Memories)}, "")
	r.want("≤ 500")
	return nil
}

// together has so many workers do n pieces of work, and returns how long it took.
func together(n, workers int, work func(int) error) (time.Duration, error) {
	next := make(chan int)
	errs := make([]error, workers)
	begun := time.Now()
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range next {
				if errs[w] == nil {
					errs[w] = work(i)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	return time.Since(begun), errors.Join(errs...)
}
