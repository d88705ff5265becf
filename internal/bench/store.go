package main

import (
	"context"
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

// standIn is the embedder of the store's measurements.
type standIn struct{}

func (standIn) EmbedQuery(_ context.Context, t string) ([]float32, error)   { return vector(t), nil }
func (standIn) EmbedPassage(_ context.Context, t string) ([]float32, error) { return vector(t), nil }
func (standIn) EmbedPassages(_ context.Context, ts []string) ([][]float32, error) {
	vs := make([][]float32, len(ts))
	for i, t := range ts {
		vs[i] = vector(t)
	}
	return vs, nil
}
func (standIn) Dimensions() int { return dimensions }
func (standIn) Model() string   { return "stand-in" }

const agent = "agent:main"

// importBatch is how many rows one commit of an import holds.
const importBatch = 500

// measureStore fills a store with n memories and measures what an agent does with it.
func measureStore(ctx context.Context, r *report, n int) error {
	dir, err := os.MkdirTemp("", "memory-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db := filepath.Join(dir, "db")
	if err := fill(ctx, r, db, n); err != nil {
		return err
	}
	c, err := config.Parse(nil, config.Env{Home: dir})
	if err != nil {
		return err
	}
	c.DBPath = db
	begun := time.Now()
	e, err := engine.Open(engine.Options{Config: c, Embedder: standIn{}})
	if err != nil {
		return err
	}
	defer e.Close()
	me := engine.Agent("main", "")
	if _, err := e.Recall(ctx, engine.RecallRequest{Who: me, Query: question(0, false), Limit: 5}); err != nil {
		return err
	}
	r.timing("open and first recall", n, []time.Duration{time.Since(begun)}, "first_recall")
	for _, half := range []struct {
		name, peer string
		chinese    bool
	}{{"recall, English", "recall_en_p50", false}, {"recall, Chinese", "recall_zh_p50", true}} {
		ds, err := each(200, func(i int) error {
			_, err := e.Recall(ctx, engine.RecallRequest{Who: me, Query: question(i, half.chinese), Limit: 5})
			return err
		})
		if err != nil {
			return err
		}
		r.timing(half.name, n, ds, half.peer)
	}
	ds, err := each(100, func(i int) error {
		text, category := statement(10_000_000 + i)
		_, err := e.Store(ctx, engine.StoreRequest{Who: me, Text: text, Category: category, Importance: 0.7})
		return err
	})
	if err != nil {
		return err
	}
	r.timing("store one", n, ds, "store_p50")
	ds, err = each(20, func(int) error {
		_, err := e.List(ctx, engine.ListRequest{Who: me, Limit: 10})
		return err
	})
	if err != nil {
		return err
	}
	r.timing("list ten", n, ds, "list10")
	r.add(figure{Name: "resident memory", Size: n, Unit: "MB", Value: resident(os.Getpid())}, "rss_mb")
	bytes, files := disk(db)
	r.add(figure{Name: "disk", Size: n, Unit: "MB", Value: float64(bytes) / 1e6}, "disk_mb")
	r.add(figure{Name: "files", Size: n, Unit: "files", Value: float64(files)}, "")
	return nil
}

// fill imports n statements in batches, as a bulk import does.
func fill(ctx context.Context, r *report, path string, n int) error {
	s, err := store.Open(ctx, store.Options{Path: path, Dimensions: dimensions})
	if err != nil {
		return err
	}
	defer s.Close()
	now := time.Now().Add(-time.Hour)
	begun := time.Now()
	for from := 0; from < n; from += importBatch {
		rows := make([]memory.Memory, 0, importBatch)
		for i := from; i < min(from+importBatch, n); i++ {
			text, category := statement(i)
			column, kind, err := memory.ParseCategory(category)
			if err != nil {
				return err
			}
			at := now.Add(time.Duration(i) * time.Millisecond)
			rows = append(rows, memory.Memory{ID: memory.NewID(), Text: text, Vector: vector(text), Category: column, Scope: agent,
				Importance: 0.7, Time: at, Metadata: memory.NewMetadata(text, kind, memory.SourceManual, at)})
		}
		if err := s.Write(ctx, "bench import", func(tx *store.Tx) error { return tx.Insert(rows...) }); err != nil {
			return err
		}
	}
	took := time.Since(begun)
	r.add(figure{Name: "bulk import", Size: n, Unit: "rows/s", Value: float64(n) / took.Seconds()}, "")
	_, err = s.Maintain(ctx)
	return err
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
