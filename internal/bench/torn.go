package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// measureTorn opens the database as it is, and with its newest manifest torn, which
// LanceDB alone would refuse to open.
func measureTorn(ctx context.Context, r *report, db string, n int) error {
	var whole []time.Duration
	for range 5 {
		took, _, err := openAndCount(ctx, db)
		if err != nil {
			return err
		}
		whole = append(whole, took)
	}
	r.timing("open and count", n, whole, "")
	r.want("≤ 300 at 10k")
	_, before, err := openAndCount(ctx, db)
	if err != nil {
		return err
	}
	table := filepath.Join(db, "memories.lance")
	versions, err := manifest.List(table)
	if err != nil || len(versions) == 0 {
		return errors.Join(err, fmt.Errorf("no version of the table in %s", table))
	}
	newest := filepath.Join(table, versions[0].File)
	info, err := os.Stat(newest)
	if err != nil {
		return err
	}
	if err := os.Truncate(newest, info.Size()/2); err != nil {
		return err
	}
	took, after, err := openAndCount(ctx, db)
	if err == nil && after != before {
		err = fmt.Errorf("%d memories before, %d after the manifest was torn", before, after)
	}
	r.timing("open with a torn manifest, and count", n, []time.Duration{took}, "")
	r.want("≤ 1000")
	return err
}

func openAndCount(ctx context.Context, db string) (took time.Duration, n int64, err error) {
	begun := time.Now()
	s, err := store.Open(ctx, store.Options{Path: db, Dimensions: dimensions})
	if err != nil {
		return 0, 0, err
	}
	n, err = s.Count(ctx, scope.Operator().Filter(), memory.Narrow{})
	return time.Since(begun), n, errors.Join(err, s.Close())
}
