package main

import (
	"context"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

const (
	nearestOf = 20
	// asked is how many questions are compared with looking at every row.
	asked = 40
)

// measureNearest shows how many of the true nearest twenty a search finds, through
// LanceDB, with its index if the table is large enough for one, and among the rows in
// memory; and how long both take.
func measureNearest(ctx context.Context, r *report, db string, n int) error {
	truth, err := nearestIn(ctx, store.Options{Path: db, Dimensions: dimensions, OwnCosine: true, ReadOnly: true}, 1, nil)
	if err != nil {
		return err
	}
	for _, way := range []struct {
		name     string
		resident bool
		rounds   int
	}{{"through LanceDB", false, 1}, {"in memory", true, 5}} {
		var ds []time.Duration
		// Opened anew for each few questions, a process goes through LanceDB.
		found, err := nearestIn(ctx, store.Options{Path: db, Dimensions: dimensions, Resident: way.resident, ReadOnly: true}, way.rounds, &ds)
		if err != nil {
			return err
		}
		hit, all := 0, 0
		for i := range truth {
			for id := range truth[i] {
				all++
				if found[i][id] {
					hit++
				}
			}
		}
		r.add(figure{Name: "of the true nearest 20, found " + way.name, Size: n, Unit: "share", Value: float64(hit) / float64(all), N: all}, "")
		r.want("≥ 0.99")
		r.timing("nearest 20 "+way.name, n, ds, "")
	}
	return nil
}

// nearestIn is which memories are nearest to each question.
func nearestIn(ctx context.Context, o store.Options, rounds int, took *[]time.Duration) ([]map[string]bool, error) {
	const atOnce = 3 // a process that searches more often reads the table into memory
	found := make([]map[string]bool, asked)
	var s *store.Store
	var err error
	defer func() {
		if s != nil {
			s.Close()
		}
	}()
	for i := range asked * rounds {
		if s == nil || (!o.Resident && i%atOnce == 0) {
			if s != nil {
				s.Close()
			}
			if s, err = store.Open(ctx, o); err != nil {
				return nil, err
			}
			// The first search opens files, and waits for the table to be read.
			_, err = s.Nearest(ctx, scope.Operator().Filter(), memory.Narrow{}, vector("any", dimensions), 1)
			if err != nil {
				return nil, err
			}
			if o.Resident {
				time.Sleep(2 * time.Second)
			}
		}
		begun := time.Now()
		hits, err := s.Nearest(ctx, scope.Operator().Filter(), memory.Narrow{}, vector(question(i%asked, i%2 == 1), dimensions), nearestOf)
		if err != nil {
			return nil, err
		}
		if took != nil {
			*took = append(*took, time.Since(begun))
		}
		found[i%asked] = map[string]bool{}
		for _, h := range hits {
			found[i%asked][h.Memory.ID] = true
		}
	}
	return found, nil
}
