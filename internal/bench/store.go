package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// standIn is the embedder of the store's measurements: so many numbers a text.
type standIn int

func (w standIn) EmbedQuery(_ context.Context, t string) ([]float32, error) {
	return vector(t, int(w)), nil
}
func (w standIn) EmbedPassage(ctx context.Context, t string) ([]float32, error) {
	return w.EmbedQuery(ctx, t)
}
func (w standIn) EmbedPassages(_ context.Context, ts []string) ([][]float32, error) {
	vs := make([][]float32, len(ts))
	for i, t := range ts {
		vs[i] = vector(t, int(w))
	}
	return vs, nil
}
func (w standIn) Dimensions() int { return int(w) }
func (standIn) Model() string     { return "stand-in" }

const agent = "agent:main"

var me = engine.Agent("main", "")

// measureStore fills a store with n memories and measures what an agent does with it.
func measureStore(ctx context.Context, r *report, n int) error {
	dir, err := os.MkdirTemp("", "memory-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db := filepath.Join(dir, "db")
	rate, err := fill(ctx, db, n, dimensions)
	if err != nil {
		return err
	}
	r.add(figure{Name: "import", Size: n, Unit: "rows/s", Value: rate}, "")
	r.want("≥ 2000")
	begun := time.Now()
	e, err := open(db)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := recall(ctx, e, 0, false); err != nil {
		return err
	}
	r.timing("open and first recall", n, []time.Duration{time.Since(begun)}, "first_recall")
	r.want("≤ 300 at 10k")
	for _, step := range []func(context.Context, *report, *engine.Engine, int) error{measureRecall, measureOneStore, measureParallel, measureList} {
		if err := step(ctx, r, e, n); err != nil {
			return err
		}
	}
	bytes, files := disk(db)
	r.add(figure{Name: "disk", Size: n, Unit: "MB", Value: float64(bytes) / 1e6}, "disk_mb")
	r.add(figure{Name: "files", Size: n, Unit: "files", Value: float64(files)}, "")
	if err := e.Close(); err != nil {
		return err
	}
	if err := measureNearest(ctx, r, db, n); err != nil {
		return err
	}
	if err := measureBusy(ctx, r, db, n); err != nil {
		return err
	}
	return measureTorn(ctx, r, db, n)
}

// measureOneStore stores one memory after the other, each synced before it is answered,
// while maintenance goes on beside it.
func measureOneStore(ctx context.Context, r *report, e *engine.Engine, n int) error {
	ds, err := each(300, func(i int) error { return storeOne(ctx, e, storesFrom+i) })
	if err != nil {
		return err
	}
	r.timing("store one, synced", n, ds, "store_p50")
	r.want("p50 ≤ 10 at 10k, p95 ≤ 5 × p50")
	return nil
}

func measureList(ctx context.Context, r *report, e *engine.Engine, n int) error {
	ds, err := each(20, func(int) error {
		_, err := e.List(ctx, engine.ListRequest{Who: me, Limit: 10})
		return err
	})
	if err != nil {
		return err
	}
	r.timing("list ten", n, ds, "list10")
	return nil
}

// storesFrom and so on keep the statements of one measurement from being those of another.
const (
	storesFrom   = 10_000_000
	parallelFrom = 20_000_000
	busyFrom     = 30_000_000
	growthFrom   = 40_000_000
)

func open(db string) (*engine.Engine, error) { return openWith(db, standIn(dimensions)) }

func openWith(db string, model engine.Embedder) (*engine.Engine, error) {
	c, err := settings(db)
	if err != nil {
		return nil, err
	}
	return engine.Open(engine.Options{Config: c, Embedder: model})
}

func settings(db string) (config.Config, error) {
	c, err := config.Parse(nil, config.Env{Home: filepath.Dir(db)})
	c.DBPath, c.Backup.Enabled = db, false
	return c, err
}

// storeOne stores a statement although one like it may be there: the look for it is
// part of what is measured.
func storeOne(ctx context.Context, e *engine.Engine, i int) error {
	text, category := statement(i)
	_, err := e.Store(ctx, engine.StoreRequest{Who: me, Text: text, Category: category, Importance: 0.7, Force: true})
	return err
}

// fill imports n statements and returns how many a second. Then all is tidied.
func fill(ctx context.Context, db string, n, width int) (rate float64, err error) {
	e, err := openWith(db, standIn(width))
	if err != nil {
		return 0, err
	}
	var file bytes.Buffer
	lines := json.NewEncoder(&file)
	now := time.Now().Add(-time.Hour)
	for i := range n {
		text, category := statement(i)
		column, _, err := memory.ParseCategory(category)
		if err != nil {
			return 0, err
		}
		err = lines.Encode(map[string]any{"id": memory.NewID(), "text": text, "category": string(column), "scope": agent, "importance": 0.7,
			"timestamp": now.Add(time.Duration(i) * time.Millisecond).UnixMilli()})
		if err != nil {
			return 0, err
		}
	}
	begun := time.Now()
	a, err := e.Import(ctx, engine.ImportRequest{Who: engine.Operator(), From: &file})
	took := time.Since(begun)
	if err == nil && a.Imported != n {
		err = fmt.Errorf("%d of %d rows were imported: %+v", a.Imported, n, a)
	}
	if err = errors.Join(err, e.Close()); err != nil {
		return 0, err
	}
	return float64(n) / took.Seconds(), tidy(ctx, db, width)
}

// tidy has maintenance done, as it is by itself when nothing is written for a while.
func tidy(ctx context.Context, db string, width int) error {
	s, err := store.Open(ctx, store.Options{Path: db, Dimensions: width})
	if err != nil {
		return err
	}
	_, err = s.Maintain(ctx)
	return errors.Join(err, s.Close())
}

func each(n int, work func(int) error) ([]time.Duration, error) {
	ds := make([]time.Duration, n)
	for i := range ds {
		begun := time.Now()
		if err := work(i); err != nil {
			return nil, err
		}
		ds[i] = time.Since(begun)
	}
	return ds, nil
}

// resident is the memory of a process in MB, 0 where /proc is missing.
func resident(pid int) float64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for _, line := range strings.Split(string(b), "\n") {
		var kb float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kb); err == nil {
			return kb / 1024
		}
	}
	return 0
}

func disk(dir string) (bytes int64, files int) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error { // files vanish while housekeeping runs
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				bytes += info.Size()
				files++
			}
		}
		return nil
	})
	return bytes, files
}
