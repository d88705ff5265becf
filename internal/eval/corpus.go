package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// statement is a text to be stored; one with a session was said in it and is
// stored as capture stores it.
type statement struct{ text, session string }

// betweenSessions lie so many minutes; statements of one lie a minute apart.
const betweenSessions = 60

// corpus is a database of statements, whose ids are their places in the list.
type corpus struct {
	dir    string
	places map[string]int
	turns  *int // begun so far, each in a session of its own
}

// fill stores texts as they are, without the gates a tool call goes through: the
// question here is how they are found.
func fill(ctx context.Context, model *embed.Local, list []statement) (c corpus, err error) {
	c.places, c.turns = map[string]int{}, new(int)
	if c.dir, err = os.MkdirTemp("", "memory-eval-"); err != nil {
		return c, err
	}
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.text
	}
	vectors, err := model.EmbedPassages(ctx, texts)
	if err != nil {
		return c, err
	}
	db, err := store.Open(ctx, store.Options{Path: c.path(), Dimensions: model.Dimensions(), Fingerprint: model.Fingerprint()})
	if err != nil {
		return c, err
	}
	times := timesOf(list, time.Now())
	err = db.Write(ctx, "filling", func(tx *store.Tx) error {
		for i, s := range list {
			source := memory.SourceManual
			if s.session != "" {
				source = memory.SourceAutoCapture
			}
			m := memory.Memory{
				ID: memory.NewID(), Text: s.text, Vector: vectors[i], Category: memory.StoredOther,
				Scope: scope.ForAgent("main"), Importance: 0.7, Time: times[i],
				Metadata: memory.NewMetadata(s.text, memory.Patterns, source, times[i]),
			}
			m.Metadata.SourceSession = s.session
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

// timesOf dates the statements, the last of them now.
func timesOf(list []statement, now time.Time) []time.Time {
	times := make([]time.Time, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		times[i] = now
		now = now.Add(-time.Minute)
		if i > 0 && list[i-1].session != list[i].session {
			now = now.Add(-betweenSessions * time.Minute)
		}
	}
	return times
}

func (c corpus) path() string { return filepath.Join(c.dir, "db") }

func (c corpus) remove() { _ = os.RemoveAll(c.dir) }

// way is a way of searching.
type way int

const (
	hybrid way = iota
	keywordOnly
	vectorOnly
)

func (w way) String() string {
	return [...]string{hybrid: "hybrid", keywordOnly: "keyword only", vectorOnly: "vector only"}[w]
}

// open makes the engine that is asked. Nothing is configured but where its
// database is, that the hook is on, and the way.
func (c corpus) open(model *embed.Local, w way) (*engine.Engine, error) {
	cfg, err := config.Parse([]byte(`{"autoRecall":true}`), config.Env{Home: c.dir})
	if err != nil {
		return nil, err
	}
	cfg.DBPath = c.path()
	o := engine.Options{Config: cfg, OneShot: true}
	switch w {
	case keywordOnly:
		o.KeywordsOnly = true
	case vectorOnly:
		o.Config.Retrieval.Mode = "vector"
		o.Embedder = model
	default:
		o.Embedder = model
	}
	return engine.Open(o)
}

// ask gives the places of what is found, best first.
func (c corpus) ask(ctx context.Context, e *engine.Engine, question string, limit int) ([]int, error) {
	answer, err := e.Recall(ctx, engine.RecallRequest{Who: engine.Agent("main", ""), Query: question, Limit: limit, Source: retrieve.SourceManual})
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

// injects counts the memories that a turn gets which begins with the question.
func (c corpus) injects(ctx context.Context, e *engine.Engine, question string) (int, error) {
	*c.turns++
	block, err := e.Prompt(ctx, engine.PromptRequest{
		AgentID: "main", SessionKey: fmt.Sprintf("agent:main:eval-%d", *c.turns), Prompt: question, Trigger: "user",
	})
	memories := 0
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, "- ") {
			memories++
		}
	}
	return memories, err
}

// with opens an engine for a while.
func (c corpus) with(model *embed.Local, w way, do func(*engine.Engine) error) error {
	e, err := c.open(model, w)
	if err != nil {
		return err
	}
	err = do(e)
	if closed := e.Close(); err == nil {
		err = closed
	}
	return err
}
