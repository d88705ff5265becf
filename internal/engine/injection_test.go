package engine

import (
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
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
		"a shorter id":          {func(c *config.AutoRecall) { c.IncludeAgents = []string{"mai"} }, 0},
		"a longer id":           {func(c *config.AutoRecall) { c.ExcludeAgents = []string{"main2", "mai", "Main"} }, 2},
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
