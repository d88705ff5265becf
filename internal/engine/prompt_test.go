package engine

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func autoRecall(o *Options) { o.Config.AutoRecall.Enabled = true }

func turn(prompt string) PromptRequest {
	return PromptRequest{AgentID: "main", SessionKey: "agent:main:main", Prompt: prompt, Trigger: "user"}
}

func TestPromptInjectsWhatIsRelevant(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding(), autoRecall)
	f.remember("The train to Bergen leaves from gate nine <b>always</b>")
	block, err := f.Prompt(t.Context(), turn("Which gate does my train to Bergen leave from?"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(block, "gate nine") || strings.Contains(block, "<b>") || !strings.HasPrefix(block, "<relevant-memories>") {
		t.Errorf("block:\n%s", block)
	}
	if !strings.Contains(block, "agent:main") || !strings.Contains(block, "2026-03-02") {
		t.Errorf("the label is missing:\n%s", block)
	}
}

func TestTurnsWithoutMemories(t *testing.T) {
	f := start(t, nil, autoRecall)
	f.remember("The train to Bergen leaves from gate nine")
	const prompt = "Which gate does my train to Bergen leave from?"
	for name, change := range map[string]func(*PromptRequest){
		"cron":             func(r *PromptRequest) { r.Trigger = "cron" },
		"heartbeat":        func(r *PromptRequest) { r.Trigger = "heartbeat" },
		"no trigger":       func(r *PromptRequest) { r.Trigger = "" },
		"another session":  func(r *PromptRequest) { r.Provenance = "inter_session" },
		"sub-agent":        func(r *PromptRequest) { r.SessionKey = "agent:main:subagent:1f" },
		"active memory":    func(r *PromptRequest) { r.SessionKey = "agent:main:active-memory:1f" },
		"reflection":       func(r *PromptRequest) { r.SessionKey = "temp:memory-reflection:main" },
		"no agent":         func(r *PromptRequest) { r.AgentID, r.SessionKey = "", "main" },
		"greeting":         func(r *PromptRequest) { r.Prompt = "good morning" },
		"nothing relevant": func(r *PromptRequest) { r.Prompt = "How many moons does Jupiter have?" },
		"another agent":    func(r *PromptRequest) { r.AgentID, r.SessionKey = "other", "agent:other:main" },
	} {
		t.Run(name, func(t *testing.T) {
			r := turn(prompt)
			change(&r)
			if block, err := f.Prompt(t.Context(), r); err != nil || block != "" {
				t.Errorf("block %q, %v", block, err)
			}
		})
	}
	for name, change := range map[string]func(*Options){
		"off":      func(o *Options) { o.Config.AutoRecall.Enabled = false },
		"no items": func(o *Options) { autoRecall(o); o.Config.AutoRecall.MaxItems = 0 },
		"no chars": func(o *Options) { autoRecall(o); o.Config.AutoRecall.MaxChars = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			other := reopen(t, f.path, nil, change)
			if block, err := other.Prompt(t.Context(), turn(prompt)); err != nil || block != "" {
				t.Errorf("block %q, %v", block, err)
			}
		})
	}
}

func TestPromptBudgets(t *testing.T) {
	f := start(t, nil, func(o *Options) {
		autoRecall(o)
		o.Config.AutoRecall.MaxItems, o.Config.AutoRecall.MaxChars, o.Config.AutoRecall.PerItemMaxChars = 2, 200, 40
	})
	for _, text := range []string{
		"Bergen is rainy, so the umbrella stays in the red bag all the year round",
		"Bergen has a fish market that opens at seven on every day but Sunday",
		"Bergen trains leave from gate nine, unless the summer timetable says otherwise",
	} {
		f.remember(text)
	}
	block, err := f.Prompt(t.Context(), turn("What do you know about Bergen?"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, "- ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) != 2 {
		t.Errorf("%d lines, want 2:\n%s", len(lines), block)
	}
	if n := utf8.RuneCountInString(strings.Join(lines, "\n")); n > 200 {
		t.Errorf("%d characters, want at most 200:\n%s", n, block)
	}
}

// The hook's own deadline holds, whatever the host allows.
func TestPromptDeadline(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding(), func(o *Options) {
		autoRecall(o)
		o.Config.AutoRecall.TimeoutMs = 500
	})
	f.remember("The train to Bergen leaves from gate nine")
	p.set(func(p *provider) { p.hang = make(chan struct{}) })
	defer close(p.hang)
	began := time.Now()
	block, err := f.Prompt(t.Context(), turn("Which gate does the train to Bergen leave from?"))
	if took := time.Since(began); took > 1500*time.Millisecond {
		t.Errorf("took %s", took)
	}
	if err != nil || !strings.Contains(block, "gate nine") {
		t.Errorf("block %q, %v", block, err)
	}
}
