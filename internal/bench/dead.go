package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

const deadMemories = 2000

// measureDead compares recalls while the embedding provider is dead with a search by
// keyword alone, once its death is known. Questions differ, so that none is cached.
func measureDead(ctx context.Context, r *report) error {
	dir, err := os.MkdirTemp("", "memory-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db := filepath.Join(dir, "db")
	if _, err := fill(ctx, db, deadMemories, dimensions); err != nil {
		return err
	}
	var p50 [2]float64
	for i, kind := range []string{"keywords alone", "a dead embedder"} {
		e, err := withoutModel(db, i == 1)
		if err != nil {
			return err
		}
		begun := time.Now()
		if err := recall(ctx, e, 0, false); err != nil {
			return err
		}
		first := time.Since(begun)
		if err = warm(ctx, e); err != nil {
			return err
		}
		ds, err := each(200, func(i int) error { return recall(ctx, e, i, i%2 == 1) })
		if err != nil {
			return err
		}
		if err := e.Close(); err != nil {
			return err
		}
		if i == 1 {
			r.timing("recall with a dead embedder, the first", deadMemories, []time.Duration{first}, "")
		}
		r.timing("recall with "+kind, deadMemories, ds, "")
		p50[i] = r.figures[len(r.figures)-1].Value
	}
	r.add(figure{Name: "what a dead embedder adds to keywords alone", Size: deadMemories, Unit: "ms", Value: max(p50[1]-p50[0], 0)}, "")
	r.want("≤ 20")
	return nil
}

// withoutModel opens the database with no embedder, or with one at an address where
// connections are accepted and nobody answers.
func withoutModel(db string, dead bool) (*engine.Engine, error) {
	c, err := settings(db)
	if err != nil {
		return nil, err
	}
	if !dead {
		return engine.Open(engine.Options{Config: c, KeywordsOnly: true})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	at := "http://" + l.Addr().String() + "/v1"
	if err := l.Close(); err != nil { // from now on it is refused
		return nil, err
	}
	c, err = config.Parse([]byte(`{"dbPath":"`+db+`","backup":{"enabled":false},"embedding":{"provider":"openai-compatible","baseURL":"`+at+
		`","model":"stand-in","dimensions":384,"apiKey":"none"}}`), config.Env{Home: filepath.Dir(db)})
	if err != nil {
		return nil, err
	}
	return engine.Open(engine.Options{Config: c})
}
