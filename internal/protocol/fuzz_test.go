package protocol

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Whatever a model writes as the parameters of any tool: no panic, and either an
// error that names the tool or arguments within their documented bounds.
func FuzzToolParams(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[]`, `"text"`, `7`, `{}`, `{"text":"a"}`, `{"query":"a","limit":-1}`, `{"query":"a","limit":1e9}`, `{"query":"a","limit":"5"}`,
		`{"query":"a","limit":null,"maxCharsPerItem":0}`, `{"text":"a","importance":1e400}`, `{"text":"a","importance":"NaN"}`,
		`{"memoryId":"%' OR 1=1 --","text":"\u0000","category":"\ud800"}`, `{"memoryId":{"a":[{}]},"scope":"*"}`, `{"text":"\ud83d\ude00","force":"TRUE"}`,
		`{"query":"a","query":7}`, `{"QUERY":"a"}`, "{\"text\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		check := func(tool string, err error, texts ...string) bool {
			t.Helper()
			var pe *ParamError
			if err != nil {
				if !errors.As(err, &pe) || !strings.HasPrefix(err.Error(), tool) {
					t.Errorf("%s: error %v", tool, err)
				}
				return false
			}
			for _, s := range texts {
				if !utf8.ValidString(s) {
					t.Errorf("%s accepted %q", tool, s)
				}
			}
			return true
		}
		category := func(tool, name string) {
			t.Helper()
			if _, _, err := memory.ParseCategory(name); name != "" && err != nil {
				t.Errorf("%s accepted category %q", tool, name)
			}
		}
		if a, err := ParseRecall(json.RawMessage(raw)); check(ToolRecall, err, a.Query, a.Scope) {
			category(ToolRecall, a.Category)
			if strings.TrimSpace(a.Query) == "" || a.Limit < 1 || a.Limit > MaxLimit || a.MaxChars < MinMaxChars || a.MaxChars > MaxMaxChars || utf8.RuneCountInString(a.Query) > MaxQueryChars {
				t.Errorf("recall accepted %+v", a)
			}
		}
		if a, err := ParseStore(json.RawMessage(raw)); check(ToolStore, err, a.Text, a.Scope) {
			category(ToolStore, a.Category)
			if strings.TrimSpace(a.Text) == "" || !(a.Importance >= 0 && a.Importance <= 1) {
				t.Errorf("store accepted %+v", a)
			}
		}
		if a, err := ParseUpdate(json.RawMessage(raw)); check(ToolUpdate, err, a.Text, a.MemoryID, a.Query) {
			category(ToolUpdate, a.Category)
			if a.MemoryID == "" && a.Query == "" || a.Importance != nil && !(*a.Importance >= 0 && *a.Importance <= 1) {
				t.Errorf("update accepted %+v", a)
			}
		}
		for _, tool := range []string{ToolDebug, ToolExplainRank} {
			if a, err := ParseExplain(tool, json.RawMessage(raw)); check(tool, err, a.Query, a.Scope) {
				if strings.TrimSpace(a.Query) == "" || a.Limit < 1 || a.Limit > MaxLimit {
					t.Errorf("%s accepted %+v", tool, a)
				}
			}
		}
		scope, err := ParseStats(json.RawMessage(raw))
		check(ToolStats, err, scope)
		if a, err := ParseForget(json.RawMessage(raw)); check(ToolForget, err, a.MemoryID, a.Query, a.Scope) {
			if utf8.RuneCountInString(a.Query) > MaxQueryChars {
				t.Errorf("forget accepted a query of %d bytes", len(a.Query))
			}
		}
	})
}
