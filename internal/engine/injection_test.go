package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

func TestSettingsOfTheInjectedBlock(t *testing.T) {
	const prompt = "Which gate does my train to Bergen leave from?"
	f := start(t, nil, autoRecall)
	f.remember("The train to Bergen leaves from gate nine, and it has done so every single day for as long as anybody here remembers")
	f.remember("The gate of the train to Bergen is painted red")
	for name, c := range map[string]struct {
		change func(*config.AutoRecall)
		want   int // lines
	}{
		"as it is":              {func(*config.AutoRecall) {}, 2},
		"mode off":              {func(c *config.AutoRecall) { c.Mode = "off" }, 0},
		"hard limit":            {func(c *config.AutoRecall) { c.MaxPerTurn = 1 }, 1},
		"hard limit of nothing": {func(c *config.AutoRecall) { c.MaxPerTurn = 0 }, 0},
		"this agent only":       {func(c *config.AutoRecall) { c.IncludeAgents = []string{"main"} }, 2},
		"other agents only":     {func(c *config.AutoRecall) { c.IncludeAgents = []string{"work", "cron-"} }, 0},
		"not this agent":        {func(c *config.AutoRecall) { c.ExcludeAgents = []string{"main"} }, 0},
		"not its kind":          {func(c *config.AutoRecall) { c.ExcludeAgents = []string{"mai-", "main-"} }, 2},
		"inclusion wins":        {func(c *config.AutoRecall) { c.IncludeAgents, c.ExcludeAgents = []string{"main"}, []string{"main"} }, 2},
		"no such category":      {func(c *config.AutoRecall) { c.Categories = []string{"decision"} }, 0},
		"short question":        {func(c *config.AutoRecall) { c.MaxQueryLength = 100 }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			was := f.cfg.AutoRecall
			defer func() { f.cfg.AutoRecall = was }()
			c.change(&f.cfg.AutoRecall)
			block, err := f.Prompt(t.Context(), turn(prompt))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(block, "\n- "); got != c.want {
				t.Errorf("%d lines, want %d:\n%s", got, c.want, block)
			}
		})
	}
	f.cfg.AutoRecall.Mode = "summary"
	block, err := f.Prompt(t.Context(), turn(prompt))
	if err != nil || strings.Contains(block, "anybody here remembers") || !strings.Contains(block, "gate nine") {
		t.Errorf("summary: %v\n%s", err, block)
	}
}

func TestChosen(t *testing.T) {
	at := func(days int) time.Time { return now.AddDate(0, 0, -days) }
	hit := func(id string, category memory.StoredCategory, fact string, days int) retrieve.Hit {
		return retrieve.Hit{Memory: memory.Memory{ID: id, Text: "text of " + id, Category: category, Time: at(days), Metadata: memory.Metadata{FactKey: fact}}}
	}
	hits := []retrieve.Hit{
		hit("old", memory.StoredFact, "seat", 40), hit("reflection", memory.StoredReflection, "", 1),
		hit("new", memory.StoredFact, "seat", 2), hit("choice", memory.StoredDecision, "", 3), hit("mid", memory.StoredFact, "seat", 20),
	}
	for name, c := range map[string]struct {
		config config.AutoRecall
		want   string
	}{
		"all":           {config.AutoRecall{}, "old reflection new choice mid"},
		"no reflection": {config.AutoRecall{ExcludeReflection: true}, "old new choice mid"},
		"recent":        {config.AutoRecall{MaxAgeDays: 30}, "reflection new choice mid"},
		"one version":   {config.AutoRecall{MaxPerKey: 1}, "reflection new choice"},
		"two versions":  {config.AutoRecall{MaxPerKey: 2}, "reflection new choice mid"},
		"categories":    {config.AutoRecall{Categories: []string{"decision", "reflection"}}, "reflection choice"},
		"together":      {config.AutoRecall{Categories: []string{"fact"}, MaxAgeDays: 30, MaxPerKey: 1, ExcludeReflection: true}, "new"},
	} {
		var got []string
		for _, h := range chosen(c.config, hits, now) {
			got = append(got, h.Memory.ID)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	if hits[1].Memory.ID != "reflection" {
		t.Error("the answer itself was changed")
	}
}

func TestConfiguredScopes(t *testing.T) {
	f := start(t, nil, func(o *Options) {
		o.Config.Scopes = config.Scopes{Default: "work", Access: map[string][]string{"main": {"work", "global"}, "shut": {}}}
	})
	stored, err := f.Store(t.Context(), StoreRequest{Who: main, Text: "The badge printer is on the fourth floor"})
	if err != nil || stored.Memory.Scope != "work" {
		t.Fatalf("stored in %q, %v", stored.Memory.Scope, err)
	}
	for _, c := range []struct {
		who  Who
		want int
	}{{main, 1}, {Agent("other", ""), 0}, {Agent("shut", ""), 0}, {Operator(), 1}} {
		answer, err := f.Recall(t.Context(), RecallRequest{Who: c.who, Query: "badge printer"})
		if err != nil || len(answer.Hits) != c.want {
			t.Errorf("%s finds %d, %v; want %d", c.who, len(answer.Hits), err, c.want)
		}
	}
	if _, err := f.Store(t.Context(), StoreRequest{Who: main, Text: "My locker is number twelve", Scope: "agent:main"}); FaultOf(err) != FaultDenied {
		t.Errorf("writing to a scope that is not listed: %v", err)
	}
	if _, err := f.Store(t.Context(), StoreRequest{Who: Agent("shut", ""), Text: "My locker is number twelve"}); FaultOf(err) != FaultDenied {
		t.Errorf("writing without any scope: %v", err)
	}
}

// A database path that cannot be read leaves the sidecar up, saying so.
func TestPathFault(t *testing.T) {
	e, err := Open(Options{Config: config.Config{PathFault: "dbPath: found 7; allowed: a string", Problems: []string{"dbPath: found 7; allowed: a string"}}, Embedder: nil})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Recall(t.Context(), RecallRequest{Who: main, Query: "tea"}); err == nil || !strings.Contains(err.Error(), "dbPath: found 7") {
		t.Errorf("recall: %v", err)
	}
	if h := e.Health(); h.OK() || !strings.Contains(h.StoreError, "dbPath") || len(h.Problems) != 1 {
		t.Errorf("health: %+v", h)
	}
}
