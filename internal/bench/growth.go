package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

const (
	growthStores  = 2000
	growthUpdates = 500
	// quietFor is how long housekeeping gets to tidy up after the last write: it
	// waits ten seconds, and keeps what queries may need for three quarters of a minute.
	quietFor = 3 * time.Minute
)

// measureGrowth stores and updates one memory at a time, waits until housekeeping is
// done, and compares what is left with a fresh import of the same number.
func measureGrowth(ctx context.Context, r *report) error {
	dir, err := os.MkdirTemp("", "memory-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	grown, fresh := filepath.Join(dir, "grown", "db"), filepath.Join(dir, "fresh", "db")
	most, err := grow(ctx, grown)
	if err != nil {
		return err
	}
	if _, err := fill(ctx, fresh, growthStores, dimensions); err != nil {
		return err
	}
	if err := tidyAtOnce(ctx, fresh); err != nil {
		return err
	}
	bytes, files := disk(grown)
	freshBytes, freshFiles := disk(fresh)
	table, _ := disk(filepath.Join(grown, "memories.lance"))
	freshTable, _ := disk(filepath.Join(fresh, "memories.lance"))
	r.add(figure{Name: "2,000 stores and 500 updates: files meanwhile, most", Unit: "files", Value: float64(most)}, "")
	r.add(figure{Name: "2,000 stores and 500 updates: files at rest", Unit: "files", Value: float64(files)}, "")
	r.want("≤ 200")
	r.add(figure{Name: "2,000 stores and 500 updates: MB at rest, journal included", Unit: "MB", Value: float64(bytes) / 1e6}, "")
	r.add(figure{Name: "the same imported: files", Unit: "files", Value: float64(freshFiles)}, "")
	r.add(figure{Name: "the same imported: MB, journal included", Unit: "MB", Value: float64(freshBytes) / 1e6}, "")
	r.add(figure{Name: "at rest against imported: all", Unit: "times", Value: float64(bytes) / float64(freshBytes)}, "")
	r.want("≤ 2")
	r.add(figure{Name: "at rest against imported: the table", Unit: "times", Value: float64(table) / float64(freshTable)}, "")
	r.want("≤ 2")
	return nil
}

func grow(ctx context.Context, db string) (most int, err error) {
	e, err := open(db)
	if err != nil {
		return 0, err
	}
	defer func() {
		if cerr := e.Close(); err == nil {
			err = cerr
		}
	}()
	look := func(i int) {
		if i%50 == 0 {
			_, files := disk(db)
			most = max(most, files)
		}
	}
	for i := range growthStores {
		if err := storeOne(ctx, e, growthFrom+i); err != nil {
			return 0, err
		}
		look(i)
	}
	list, err := e.List(ctx, engine.ListRequest{Who: me, Limit: 50})
	if err != nil {
		return 0, err
	}
	for i := range growthUpdates {
		importance := float64(i%10) / 10
		if _, err := e.Update(ctx, engine.UpdateRequest{Who: me, ID: list.Memories[i%len(list.Memories)].ID, Importance: &importance}); err != nil {
			return 0, err
		}
		look(i)
	}
	return most, rest(ctx, db)
}

// rest waits until one version of the table is left.
func rest(ctx context.Context, db string) error {
	patience := time.After(quietFor)
	for {
		left, err := filepath.Glob(filepath.Join(db, "memories.lance", "_versions", "*.manifest"))
		if err != nil || len(left) <= 1 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-patience:
			return nil // what is there is measured
		case <-time.After(time.Second):
		}
	}
}

// tidyAtOnce is for a store that nobody reads: no old version is kept.
func tidyAtOnce(ctx context.Context, db string) error {
	s, err := store.Open(ctx, store.Options{Path: db, Dimensions: dimensions, Upkeep: store.UpkeepOptions{Scheduled: true, First: time.Hour, Every: time.Hour}})
	if err != nil {
		return err
	}
	_, err = s.Maintain(ctx)
	if cerr := s.Close(); err == nil {
		err = cerr
	}
	return err
}
