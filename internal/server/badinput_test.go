package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol/protocoltest"
)

const somebody = `{"agentId":"main","sessionKey":"agent:main:main","sessionId":"s","workspaceDir":"/w","trigger":"user","inputProvenance":{"kind":"external_user"}}`

// plausible is one good message of every method; a new method has to be added.
var plausible = map[string]string{
	protocol.MethodInitialize: `{"protocolVersion":1,"pluginVersion":"1","hostVersion":"1","stateDir":"/s","agents":["main"],"logLevel":"info","config":{}}`,
	protocol.MethodToolRecall: `{"callId":"c","context":` + somebody + `,"params":{"query":"tea","limit":3,"includeFullText":true,"maxCharsPerItem":180,"scope":"global","category":"fact"},"deadlineMs":60000}`,
	protocol.MethodToolStore:  `{"callId":"c","context":` + somebody + `,"params":{"text":"tea","importance":0.5,"category":"fact","scope":"global","force":true},"deadlineMs":60000}`,
	protocol.MethodToolUpdate: `{"callId":"c","context":` + somebody + `,"params":{"memoryId":"00000000-0000-4000-8000-000000000001","query":"tea","text":"tea","importance":0.5,"category":"fact"},"deadlineMs":60000}`,
	protocol.MethodToolForget: `{"callId":"c","context":` + somebody + `,"params":{"memoryId":"00000000-0000-4000-8000-000000000001","query":"tea","scope":"global"},"deadlineMs":60000}`,

	protocol.MethodToolDebug:       `{"callId":"c","context":` + somebody + `,"params":{"query":"tea","limit":3,"scope":"global"},"deadlineMs":60000}`,
	protocol.MethodToolExplainRank: `{"callId":"c","context":` + somebody + `,"params":{"query":"tea","limit":3,"scope":"global"},"deadlineMs":60000}`,
	protocol.MethodToolStats:       `{"callId":"c","context":` + somebody + `,"params":{"scope":"global"},"deadlineMs":60000}`,
	protocol.MethodWhy:             `{"context":` + somebody + `,"query":"tea","id":"00000000-0000-4000-8000-000000000001","scope":"global","category":"fact","limit":3,"turn":true,"deadlineMs":60000}`,

	protocol.MethodBeforePromptBuild: `{"event":{"prompt":"tea"},"context":` + somebody + `,"deadlineMs":60000}`,
	protocol.MethodAgentEnd:          `{"event":{"messages":[{"role":"user","content":"tea","timestamp":1},{"role":"user","content":[{"type":"text","text":"tea"}]}],"success":true},"context":` + somebody + `}`,
	protocol.MethodMessageReceived:   `{"event":{"content":"tea"},"context":` + somebody + `}`,
	protocol.MethodSessionEnd:        `{"event":{"reason":"new"},"context":` + somebody + `,"deadlineMs":60000}`,

	protocol.MethodHealth:   `{}`,
	protocol.MethodShutdown: `{}`,
	protocol.MethodCancel:   `{"id":1}`,
}

// Every method answers every odd message, with a result or an error that says
// what is wrong, and the session goes on.
func TestOddMessages(t *testing.T) {
	for _, name := range protocol.Methods() {
		if plausible[name] == "" && name != protocol.MethodLog {
			t.Errorf("%s has no message in plausible", name)
		}
	}
	for method, message := range plausible {
		t.Run(method, func(t *testing.T) {
			c := start(t, nil)
			if method != protocol.MethodInitialize {
				c.initialize()
			}
			id := 0
			for name, variant := range protocoltest.Variants(message) {
				if method == protocol.MethodShutdown && variantEnds(variant) {
					continue // it does what it is asked
				}
				id++
				c.send(request(id, method, string(variant)))
				a := c.answer(id)
				if a.code == int(protocol.CodeInternal) || a.code != 0 && a.message == "" || a.code == 0 && len(a.result) == 0 {
					t.Fatalf("%s: %d %.200s", name, a.code, a.message)
				}
				if strings.ContainsAny(a.message, "\x00\x07\x1b") || len(a.message) > 2000 {
					t.Errorf("%s: the error is no message for people: %.300q", name, a.message)
				}
			}
			c.send(request(id+1, protocol.MethodHealth, `{}`))
			if a := c.answer(id + 1); a.code != 0 {
				t.Errorf("afterwards: %+v", a)
			}
		})
	}
}

// variantEnds reports whether a shutdown with these parameters is one.
func variantEnds(params json.RawMessage) bool {
	var p protocol.Empty
	return json.Unmarshal(params, &p) == nil
}

// Whatever a frame holds costs at most an answer.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[]`, `null`, `{"jsonrpc":"2.0","id":1,"method":"health"}`, `{"jsonrpc":"2.0","id":null,"method":"health"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"health"},{"jsonrpc":"2.0","id":1,"method":"health"}]`, `{"jsonrpc":"1.0","id":{},"method":7}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":[]}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`, "\x00", "{\"a\":\"\xff\"}",
		`{"jsonrpc":"2.0","id":3,"method":"tool.memory_store","params":{"context":{"agentId":"main"},"params":{"text":"tea"}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		// Counting what is in flight must agree with itself on any bytes.
		if n := requests(body); n < 0 || answers(body) < 0 {
			t.Errorf("%d requests", n)
		}
		var probe struct{ Method string }
		if json.Unmarshal(body, &probe) == nil && probe.Method == protocol.MethodShutdown || strings.Contains(string(body), "shutdown") {
			return
		}
		c := start(t, nil)
		c.initialize()
		c.send(string(body))
		c.send(request(77_777, protocol.MethodHealth, `{}`))
		if a := c.answer(77_777); a.code != 0 {
			t.Errorf("after %q: %+v", body, a)
		}
	})
}
