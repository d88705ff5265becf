package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// corpus is a database of texts, whose ids are their places in the list.
type corpus struct {
	dir    string
	places map[string]int
}

// fill stores texts as they are, without the gates a tool call goes through: the
// question here is how they are found.
func fill(ctx context.Context, model *embed.Local, texts []string) (c corpus, err error) {
	c.places = map[string]int{}
	if c.dir, err = os.MkdirTemp("", "memory-eval-"); err != nil {
		return c, err
	}
	vectors, err := model.EmbedPassages(ctx, texts)
	if err != nil {
		return c, err
	}
	db, err := store.Open(ctx, store.Options{Path: c.path(), Dimensions: model.Dimensions(), Fingerprint: model.Fingerprint()})
	if err != nil {
		return c, err
	}
	now := time.Now().Add(-time.Duration(len(texts)) * time.Minute)
	err = db.Write(ctx, "filling", func(tx *store.Tx) error {
		for i, text := range texts {
			now = now.Add(time.Minute)
			m := memory.Memory{
				ID: memory.NewID(), Text: text, Vector: vectors[i], Category: memory.StoredOther,
				Scope: scope.ForAgent("main"), Importance: 0.7, Time: now,
				Metadata: memory.NewMetadata(text, memory.Patterns, memory.SourceManual, now),
			}
			c.places[m.ID] = i
			if err := tx.Insert(m); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		_, err = db.Maintain(ctx)
	}
	if closed := db.Close(); err == nil {
		err = closed
	}
	return c, err
}

func (c corpus) path() string { return filepath.Join(c.dir, "db") }

func (c corpus) remove() { _ = os.RemoveAll(c.dir) }

// open makes the engine that is asked.
func (c corpus) open(model *embed.Local, t tuning) (*engine.Engine, error) {
	cfg, err := config.Parse(nil, config.Env{Home: c.dir})
	if err != nil {
		return nil, err
	}
	cfg.DBPath = c.path()
	if t.set {
		cfg.Retrieval.VectorWeight, cfg.Retrieval.BM25Weight = t.meaning, 1-t.meaning
	}
	return engine.Open(engine.Options{Config: cfg, Embedder: model, OneShot: true})
}

// ask gives the places of what is found, best first.
func (c corpus) ask(ctx context.Context, e *engine.Engine, question string, limit int) ([]int, error) {
	answer, err := e.Recall(ctx, engine.RecallRequest{Who: engine.Agent("main", ""), Query: question, Limit: limit})
	if err != nil {
		return nil, err
	}
	if len(answer.Degraded) > 0 {
		return nil, fmt.Errorf("asking %q: half of the search failed: %s", question, answer.Degraded[0].Reason)
	}
	places := make([]int, len(answer.Hits))
	for i, h := range answer.Hits {
		places[i] = c.places[h.Memory.ID]
	}
	return places, nil
}
