package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// An agent, whatever it is called, learns nothing of another's memories and recalls by
// any of the verbs that explain or count.
func TestVerbsThatExplainKeepToScopes(t *testing.T) {
	f := start(t, nil, autoRecall, func(o *Options) {
		o.Config.Retrieval.Neighbours.Enabled, o.Config.Retrieval.Neighbours.MaxPerResult = true, 3
	})
	alice := Agent("alice", "")
	var secrets []string
	for n := range 5 {
		a, err := f.Store(t.Context(), StoreRequest{Who: alice, Text: fmt.Sprintf("The vault of Alice opens with the code 4471%d in room %d", n, n), Importance: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, a.Memory.ID)
	}
	if _, err := f.Recall(t.Context(), RecallRequest{Who: alice, Query: "code of the vault", Limit: 5, Source: retrieve.SourceManual}); err != nil {
		t.Fatal(err)
	}
	f.entries(1)
	if _, err := f.Store(t.Context(), StoreRequest{Who: main, Text: "The vault of the bank is in the cellar", Importance: 0.7}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"main", "system", "admin", "operator", "root", "undefined", "null", "agent", "global", "ALICE", "cli", "0x"} {
		who := Agent(id, "agent:alice:main") // the id counts, not the key
		found, err := f.Explain(t.Context(), RecallRequest{Who: who, Query: "code of the vault 44711", Limit: 20, Scope: "agent:alice", Watch: secrets, Source: retrieve.SourceManual})
		if err != nil {
			t.Fatal(err)
		}
		told := fmt.Sprintf("%+v %v", found, found.Explain)
		for _, q := range []WhyRequest{{ID: secrets[0][:8]}, {ID: secrets[0]}, {ID: secrets[0], Turn: true}} {
			q.Who, q.Query = who, "code of the vault"
			why, err := f.Why(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if why.Memory != nil || why.By != "" || why.Score != 0 {
				t.Errorf("%s: %+v", id, why)
			}
			told += why.Text + why.Next
		}
		stats, err := f.Stats(t.Context(), StatsRequest{Who: who, Scope: "agent:alice"})
		if err != nil {
			t.Fatal(err)
		}
		own := int64(0)
		if id == "main" {
			own = 1
		}
		if stats.Total != own || stats.TextIndex.Indexed+stats.TextIndex.Unindexed != 0 || stats.Recalls.Recalls != 0 || stats.Recorded.Recalls != 0 || stats.Unscoped != 0 {
			t.Errorf("%s counts %+v", id, stats)
		}
		if list, err := f.Recorded(t.Context(), RecordedRequest{Who: who}); len(list) != 0 || err != nil {
			t.Errorf("%s sees recalls: %+v, %v", id, list, err)
		}
		if _, err := f.Replay(t.Context(), ReplayRequest{Who: who, Ref: "1"}); err == nil {
			t.Errorf("%s replays what another asked", id)
		}
		block, err := f.Prompt(t.Context(), PromptRequest{AgentID: id, SessionKey: "agent:alice:main", SessionID: "s", Event: "1", Run: "r", Prompt: "What is the code of the vault of Alice?", Trigger: "user"})
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range append([]string{"4471", "opens with"}, secrets...) {
			if secret != "4471" && strings.Contains(told, secret) || strings.Contains(block, secret) {
				t.Errorf("%s learns %q: %.500s %s", id, secret, told, block)
			}
		}
	}
	for _, id := range []string{"", "*", "alice/..", "agent:alice", "alice' OR 1=1 --", "alice\x00", " "} {
		if _, err := f.Explain(t.Context(), RecallRequest{Who: Agent(id, ""), Query: "vault"}); FaultOf(err) != FaultNoAgent {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// What one agent was shown in a session is no business of another with the same key.
func TestSessionsAreOfAnAgent(t *testing.T) {
	f := start(t, nil, autoRecall, func(o *Options) { o.Config.AutoRecall.MinRepeated = 8 })
	f.puts(made("The train to Bergen leaves from gate nine", memory.Cases, now, func(m *memory.Memory) { m.Scope, m.Metadata.State = "global", "confirmed" }))
	for _, agent := range []string{"main", "bob"} {
		r := inSession("shared", "1", bergen)
		r.AgentID = agent
		if block := f.prompted(r); !strings.Contains(block, "gate nine") {
			t.Errorf("%s was shown %q", agent, block)
		}
	}
	// Nor does the end of one agent's turn count for the other's.
	key := sessionID(CaptureRequest{AgentID: "bob", SessionKey: "agent:main:shared", SessionID: "s-shared"})
	f.NoteAnswer(AnswerRequest{AgentID: "main", SessionKey: "agent:main:shared", SessionID: "s-shared", Run: "run-1", Success: true, Answer: elsewhere})
	if shown := f.chats.take(key, "run-1"); shown == nil {
		t.Error("bob's turn was judged by main's answer")
	}
}
