package engine

import (
	"slices"
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
	p.set(func(p *fakeProvider) { p.hang = make(chan struct{}) })
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

// B16: what is embedded is what the person wrote, and nothing of the channel.
func TestPromptAsksForTheWordsAlone(t *testing.T) {
	const wrapped = "Conversation info (untrusted metadata):\n```json\n{\"message_id\": \"12\", \"sender_id\": \"77\"}\n```\n\n" +
		"Sender (untrusted metadata):\n```json\n{\"name\": \"Mara\"}\n```\n\n"
	for name, prompt := range map[string]string{
		"two blocks and a stamp": wrapped + "[Thu 2026-02-12 07:05 CET] which gate does my train leave from",
		"with CRLF":              strings.ReplaceAll(wrapped, "\n", "\r\n") + "which gate does my train leave from",
		"with a picture":         wrapped + "[media attached: /tmp/a.png (image/png)]\nwhich gate does my train leave from",
		"wrapper at the end":     "which gate does my train leave from\n\n" + wrapped,
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			f := start(t, p.embedding(), autoRecall)
			f.remember("The train to Bergen leaves from gate nine")
			p.set(func(p *fakeProvider) { p.asked = nil })
			if _, err := f.Prompt(t.Context(), turn(prompt)); err != nil {
				t.Fatal(err)
			}
			if want := []string{"which gate does my train leave from"}; !slices.Equal(p.asked, want) {
				t.Errorf("embedded %q, want %q", p.asked, want)
			}
		})
	}
}

// A question asked again is a question: it gets its memories each time.
func TestRepeatedQuestion(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding(), autoRecall)
	f.remember("The train to Bergen leaves from gate nine")
	for i := range 3 {
		block, err := f.Prompt(t.Context(), turn("Which gate does my train to Bergen leave from?"))
		if err != nil || !strings.Contains(block, "gate nine") {
			t.Errorf("time %d: block %q, %v", i+1, block, err)
		}
	}
}

// B58, B59, B64: turns no person has begun cost nothing, even where only the
// text or the session's key gives them away. What is injected into the next
// turn holds no token of the host.
func TestNobodysTurnsCostNothing(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding(), autoRecall)
	f.remember("The report for the inbox is due on Fridays, HEARTBEAT is a monitor")
	p.set(func(p *fakeProvider) { p.asked = nil })
	const poll = "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. If nothing needs attention, reply HEARTBEAT_OK."
	for name, change := range map[string]func(*PromptRequest){
		"a poll":             func(r *PromptRequest) { r.Trigger = "heartbeat" },
		"a poll by its text": func(r *PromptRequest) {},
		"a job":              func(r *PromptRequest) { r.Prompt, r.Trigger = "[cron:daily] summarise the report of the inbox", "cron" },
		"a job by its text":  func(r *PromptRequest) { r.Prompt = "[cron:daily] summarise the report of the inbox" },
		"a job by its key":   func(r *PromptRequest) { r.Prompt, r.SessionKey = "when is the report due?", "agent:main:cron:daily" },
		"a sub-agent": func(r *PromptRequest) {
			r.Prompt, r.SessionKey = "when is the report due?", "agent:main:subagent:7f3a"
		},
		"a flush": func(r *PromptRequest) {
			r.Prompt = "Pre-compaction memory flush. Store the report. Otherwise reply with NO_REPLY."
		},
		"a command": func(r *PromptRequest) { r.Prompt = "/status of the report for the inbox" },
	} {
		t.Run(name, func(t *testing.T) {
			r := turn(poll)
			change(&r)
			for range 10 {
				if block, err := f.Prompt(t.Context(), r); err != nil || block != "" {
					t.Fatalf("block %q, %v", block, err)
				}
			}
			if len(p.asked) != 0 {
				t.Errorf("embedded %q", p.asked)
			}
		})
	}
	block, err := f.Prompt(t.Context(), turn("When is the report for the inbox due?"))
	if err != nil || !strings.Contains(block, "Fridays") || strings.Contains(block, "HEARTBEAT_OK") {
		t.Errorf("block %q, %v", block, err)
	}
}

// A prompt somebody pasted a book into costs no more than one of a page.
func TestHugePrompt(t *testing.T) {
	f := start(t, nil, autoRecall)
	f.remember("The train to Bergen leaves from gate nine")
	began := time.Now()
	block, err := f.Prompt(t.Context(), turn("Which gate does my train to Bergen leave from?\n\n"+strings.Repeat("It was the best of times. ", 1<<17)))
	if err != nil || !strings.Contains(block, "gate nine") {
		t.Errorf("block %q, %v", block, err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
}
