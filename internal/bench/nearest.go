package main

import (
	"context"
	"slices"
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
	truth, err := nearestOfAll(ctx, db)
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
		// Many rows are equally near; any of those that tie with the twentieth is right.
		hit, all := 0, 0
		for i := range truth {
			all += nearestOf
			for _, score := range found[i] {
				if score >= truth[i]-1e-6 {
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

// nearestOfAll looks at every row for every question and returns how near the
// twentieth is.
func nearestOfAll(ctx context.Context, db string) ([]float64, error) {
	s, err := store.Open(ctx, store.Options{Path: db, Dimensions: dimensions, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	questions, nearest := make([][]float32, asked), make([][]float64, asked)
	for i := range questions {
		questions[i] = vector(question(i, i%2 == 1), dimensions)
	}
	err = s.Each(ctx, scope.Operator().Filter(), memory.Narrow{}, true, func(rows []memory.Memory) error {
		for _, m := range rows {
			for i, q := range questions {
				var score float64 // all have the length 1
				for j, x := range m.Vector {
					score += float64(x) * float64(q[j])
				}
				at := len(nearest[i])
				for at > 0 && nearest[i][at-1] < score {
					at--
				}
				if at < nearestOf {
					nearest[i] = slices.Insert(nearest[i], at, score)
					nearest[i] = nearest[i][:min(nearestOf, len(nearest[i]))]
				}
			}
		}
		return nil
	})
	truth := make([]float64, asked)
	for i, scores := range nearest {
		truth[i] = scores[len(scores)-1]
	}
	return truth, err
}

// nearestIn is how near the memories are that are found for each question.
func nearestIn(ctx context.Context, o store.Options, rounds int, took *[]time.Duration) ([][]float64, error) {
	const atOnce = 3 // a process that searches more often reads the table into memory
	found := make([][]float64, asked)
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
		*took = append(*took, time.Since(begun))
		found[i%asked] = nil
		for _, h := range hits {
			found[i%asked] = append(found[i%asked], h.Score)
		}
	}
	return found, nil
}
