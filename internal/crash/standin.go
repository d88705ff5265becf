package main

import (
	"context"
	"path/filepath"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

// standIn is an embedder that costs nothing.
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
func (standIn) Dimensions() int { return width }
func (standIn) Model() string   { return "stand-in" }

// openEngine opens an engine with the stand-in and the defaults of the configuration.
func openEngine(dir string) (*engine.Engine, error) {
	c, err := config.Parse(nil, config.Env{Home: filepath.Dir(dir)})
	if err != nil {
		return nil, err
	}
	c.DBPath = dir
	return engine.Open(engine.Options{Config: c, Embedder: standIn{}})
}
