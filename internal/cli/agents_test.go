package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creachadair/jrpc2"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

const (
	secret  = "Alice hides the spare key of the shed under pot 4471"
	trusted = "The shed of the allotment is painted green"
)

// as calls a tool with a context as the host's JSON has it.
func (s *sidecar) as(callContext, method string, params any) (protocol.ToolResult, error) {
	raw, err := json.Marshal(map[string]any{"context": json.RawMessage(callContext), "params": params})
	if err != nil {
		s.t.Fatal(err)
	}
	var r protocol.ToolResult
	err = s.rpc.CallResult(context.Background(), method, json.RawMessage(raw), &r)
	return r, err
}

// detail reads one key of a result's details.
func detail(r protocol.ToolResult, key string) string {
	d, _ := r.Details.(map[string]any)
	if d[key] == nil {
		return ""
	}
	return fmt.Sprint(d[key])
}

// calls is one call of every tool, aimed at the memory with this id. A new
// tool has to be added here.
func calls(id string) map[string]map[string]any {
	return map[string]map[string]any{
		protocol.ToolRecall: {"query": secret, "limit": 20, "includeFullText": true},
		protocol.ToolStore:  {"text": "Somebody tries to store this in the shed", "scope": "agent:alice"},
		protocol.ToolUpdate: {"memoryId": id, "text": "The spare key is gone", "importance": 0},
		protocol.ToolForget: {"memoryId": id},

		protocol.ToolDebug:       {"query": secret, "limit": 20},
		protocol.ToolExplainRank: {"query": secret, "limit": 20},
		protocol.ToolStats:       {},
	}
}

// B55, B56, peer-defects B2 and B5: a call that cannot be tied to an agent is
// refused by every tool alike, and no name has powers of its own.
func TestEveryToolNeedsAnAgentAndNoNameHasPowers(t *testing.T) {
	s := serve(t)
	path := filepath.Join(t.TempDir(), "db")
	s.initialize(dbConfig(path))
	stored, err := s.as(`{"agentId":"alice"}`, protocol.MethodToolStore, map[string]any{"text": secret, "category": "preferences"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.as(`{"agentId":"bob"}`, protocol.MethodToolStore, map[string]any{"text": trusted, "scope": "global"}); err != nil {
		t.Fatal(err)
	}
	id := detail(stored, "id")

	refused := map[string]string{
		"nothing":                       `{}`,
		"no agent, other fields":        `{"sessionId":"b5901cbb","workspaceDir":"/home","trigger":"user"}`,
		"null":                          `{"agentId":null,"sessionKey":null}`,
		"empty":                         `{"agentId":"","sessionKey":""}`,
		"blank":                         `{"agentId":" \t"}`,
		"a chat id":                     `{"agentId":"4711"}`,
		"a chat id in the session key":  `{"sessionKey":"agent:4711:main"}`,
		"session key of another form":   `{"sessionKey":"main"}`,
		"session key without an agent":  `{"sessionKey":"agent::main"}`,
		"a scope as agent":              `{"agentId":"agent:alice"}`,
		"two agents":                    `{"agentId":"bob:alice"}`,
		"a path":                        `{"agentId":"../alice"}`,
		"a wildcard":                    `{"agentId":"*"}`,
		"another wildcard":              `{"agentId":"%"}`,
		"a condition":                   `{"agentId":"' OR 1=1 --"}`,
		"300 characters":                `{"agentId":"` + strings.Repeat("a", 300) + `"}`,
		"control characters":            `{"agentId":"ali\u0000ce"}`,
		"half a character":              `{"agentId":"alice\ud800"}`,
		"a wildcard in the session key": `{"sessionKey":"agent:*:main"}`,
	}
	for name, who := range refused {
		for tool, params := range calls(id) {
			_, err := s.as(who, "tool."+tool, params)
			var e *jrpc2.Error
			if !errors.As(err, &e) || e.Code != jrpc2.Code(protocol.CodeNoAgent) || !strings.Contains(e.Message, "pass agentId") {
				t.Errorf("%s: %s: %v, want code %d", name, tool, err, protocol.CodeNoAgent)
			}
		}
	}
	for name, who := range map[string]string{
		"a number": `{"agentId":7}`, "a list": `{"agentId":["alice"]}`, "not an object": `"alice"`,
	} {
		for tool, params := range calls(id) {
			_, err := s.as(who, "tool."+tool, params)
			var e *jrpc2.Error
			if !errors.As(err, &e) || e.Code != jrpc2.Code(protocol.CodeBadParams) {
				t.Errorf("%s: %s: %v, want code %d", name, tool, err, protocol.CodeBadParams)
			}
		}
	}

	// Ordinary agents, whatever they are called: their own and global, no more.
	for name, who := range map[string]string{
		"system": `{"agentId":"system"}`, "undefined": `{"agentId":"undefined"}`, "null": `{"agentId":"null"}`, "admin": `{"agentId":"admin"}`,
		"upper case": `{"agentId":"ALICE"}`, "system by session": `{"sessionKey":"agent:system:main"}`, "global": `{"agentId":"global"}`,
		"the id wins over the session": `{"agentId":"bob","sessionKey":"agent:alice:main"}`,
	} {
		for tool, params := range calls(id) {
			r, err := s.as(who, "tool."+tool, params)
			if err != nil {
				t.Errorf("%s: %s: %v", name, tool, err)
				continue
			}
			text, _ := json.Marshal(r)
			// A recall repeats the question, and the others the id they were given.
			leaked := map[string]string{protocol.ToolRecall: id, protocol.ToolDebug: id, protocol.ToolExplainRank: id}[tool]
			if leaked == "" {
				leaked = "4471"
			}
			if strings.Contains(string(text), leaked) || detail(r, "count") > "1" {
				t.Errorf("%s: %s shows %s", name, tool, text)
			}
			want := map[string]string{protocol.ToolStore: protocol.ErrorScopeDenied, protocol.ToolUpdate: protocol.ErrorNotFound, protocol.ToolForget: protocol.ErrorNotFound}[tool]
			if detail(r, "error") != want {
				t.Errorf("%s: %s: %s, want error %q", name, tool, text, want)
			}
		}
	}

	// Blanks around a name are no other name.
	r, err := s.as(`{"agentId":" alice "}`, protocol.MethodToolRecall, map[string]any{"query": secret, "limit": 20})
	if err != nil || detail(r, "count") == "0" {
		t.Errorf("alice recalls %v, %v", r.Details, err)
	}
	text, _ := json.Marshal(r.Details)
	if !strings.Contains(string(text), id) || strings.Contains(string(text), "Somebody tries") {
		t.Errorf("alice's memories: %s", text)
	}
}

// Every tool is in the table above.
func TestEveryToolIsChecked(t *testing.T) {
	table := calls("x")
	for _, tool := range protocol.Tools() {
		if table[tool.Name] == nil {
			t.Errorf("%s has no call in calls", tool.Name)
		}
		delete(table, tool.Name)
	}
	for name := range table {
		t.Errorf("%s is no tool", name)
	}
}
