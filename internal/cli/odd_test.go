package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/creachadair/jrpc2"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol/protocoltest"
)

// The tools against a real database: whatever a model puts into the parameters,
// it gets an answer or an error about its parameters, the next call works, and
// nobody else's memories change.
func TestOddToolParameters(t *testing.T) {
	s := serve(t)
	s.initialize(dbConfig(filepath.Join(t.TempDir(), "db")))
	kept, err := s.as(`{"agentId":"alice"}`, protocol.MethodToolStore, map[string]any{"text": secret, "importance": 0.4})
	if err != nil {
		t.Fatal(err)
	}
	mine, err := s.as(`{"agentId":"main"}`, protocol.MethodToolStore, map[string]any{"text": "The boiler is serviced in October", "category": "preferences"})
	if err != nil {
		t.Fatal(err)
	}
	for tool, params := range map[string]string{
		protocol.ToolRecall: `{"query":"the boiler","limit":3,"maxCharsPerItem":180,"scope":"global","category":"fact"}`,
		protocol.ToolStore:  `{"text":"The boiler is loud","importance":0.5,"category":"fact","scope":"global","force":true}`,
		protocol.ToolUpdate: fmt.Sprintf(`{"memoryId":%q,"text":"The boiler is serviced in May","importance":0.5,"category":"fact"}`, detail(mine, "id")),
		protocol.ToolForget: `{"memoryId":"00000000","query":"the boiler","scope":"global"}`,
	} {
		for name, variant := range protocoltest.Variants(params) {
			_, err := s.as(`{"agentId":"main"}`, "tool."+tool, variant)
			var e *jrpc2.Error
			if err != nil && (!errors.As(err, &e) || e.Code != jrpc2.Code(protocol.CodeBadParams) || e.Message == "") {
				t.Errorf("%s, %s: %.300v", tool, name, err)
			}
		}
	}
	r, err := s.as(`{"agentId":"alice"}`, protocol.MethodToolRecall, map[string]any{"query": secret, "scope": "agent:alice", "limit": 20})
	if err != nil || detail(r, "count") != "1" || !strings.Contains(fmt.Sprint(r.Details), detail(kept, "id")) || !strings.Contains(fmt.Sprint(r.Details), "importance:0.4") {
		t.Errorf("alice's memories: %v, %v", r.Details, err)
	}
}

// B120, B121: text comes out as it went in, except for control characters, which
// are taken out and counted.
func TestTextRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s := serve(t)
	s.initialize(dbConfig(path))
	for _, c := range []struct {
		name, text, want, removed string
		queries                   []string
	}{
		{"Hebrew in three lines", "שלום עולם\u200f\nשורה שנייה\u200f\n\tשורה שלישית", "", "", []string{"שורה"}},
		{"composed", "Das caf\u00e9 Morgenrot", "", "", []string{"cafe\u0301 Morgenrot", "CAFE\u0301", "caf\u00e9"}},
		{"decomposed", "Le cafe\u0301 du matin", "", "", []string{"caf\u00e9 du matin"}},
		{"full width", "Raum ＡＢＣ１２３ ist frei", "", "", []string{"abc123", "ＡＢＣ１２３"}},
		{"joiners", "The family 👩‍👩‍👧 moved to नई\u200dदिल्ली", "", "", []string{"family moved"}},
		{"quotes and wildcards", `She said "it's 100% _done_" \o/ */ --; DROP TABLE memories`, "", "", []string{"100% done"}},
		{"not characters but text", "The sign \ufffd and \ufeff and \u2060 stay, 𝒳 too", "", "", []string{"sign stay"}},
		{"control characters", "Invoice\u0000 paid\u0007 by\u001b[31m Mara\u2028today", "Invoice paid by Mara\ntoday", "7", []string{"invoice Mara", "invoice\u0000 Mara\u001b[0m"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if want == "" {
				want = c.text
			}
			stored, err := s.as(`{"agentId":"main"}`, protocol.MethodToolStore, map[string]any{"text": c.text, "force": true})
			if err != nil || detail(stored, "action") != "created" {
				t.Fatalf("store: %v, %v", stored.Details, err)
			}
			if got := detail(stored, "removedControlCharacters"); got != c.removed {
				t.Errorf("%q control characters removed, want %q", got, c.removed)
			}
			for _, query := range c.queries {
				r, err := s.as(`{"agentId":"main"}`, protocol.MethodToolRecall, map[string]any{"query": query, "includeFullText": true, "limit": 20})
				if err != nil {
					t.Fatal(err)
				}
				got, _ := json.Marshal(r.Details)
				if quoted, _ := json.Marshal(want); !strings.Contains(string(got), `"text":`+string(quoted)) {
					t.Errorf("recall of %q: %s", query, got)
				}
			}
			var out, errs strings.Builder
			cli := &app{in: strings.NewReader(""), out: &out, err: &errs}
			if code := cli.run(context.Background(), []string{"show", detail(stored, "id"), "--db", path, "--json"}); code != exitOK {
				t.Fatalf("show: exit code %d: %s", code, errs.String())
			}
			var shown struct{ Text string }
			if err := json.Unmarshal([]byte(out.String()), &shown); err != nil || shown.Text != want {
				t.Errorf("show: %q, %v, want %q", shown.Text, err, want)
			}
		})
	}
	var out strings.Builder
	cli := &app{in: strings.NewReader(""), out: &out, err: os.Stderr}
	if code := cli.run(context.Background(), []string{"list", "--db", path}); code != exitOK || strings.ContainsFunc(out.String(), func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
		t.Errorf("list: exit code %d, %q", code, out.String())
	}
}

// Every command with odd arguments: one of the documented exit codes, an error
// that a terminal can show, and with --json one value on standard output.
func TestOddArguments(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("MEMORY_PRO_MODEL", "off")
	t.Setenv("OPENCLAW_CONFIG_PATH", "")
	t.Setenv("OPENCLAW_STATE_DIR", "")
	path := filepath.Join(t.TempDir(), "db")
	run := func(args ...string) (code int, out, errs string) {
		var o, e strings.Builder
		cli := &app{in: strings.NewReader(""), out: &o, err: &e}
		return cli.run(context.Background(), append(args, "--db", path)), o.String(), e.String()
	}
	if code, _, errs := run("store", "The boiler is serviced in October", "--scope", "agent:main"); code != exitOK {
		t.Fatal(errs)
	}
	words := []string{"", " ", "null", "%", "' OR 1=1 --", "agent:*", "\x1b[31m", "caf\xe9\u202e", strings.Repeat("x", 5000)}
	numbers := []string{"", "-1", "0", "1e9", "5", "null", "NaN", "Inf", strings.Repeat("9", 400)}
	for command, flags := range map[string][]string{
		"list":    {"--scope", "--category", "--limit", "--offset", "--cursor", "--nonsense"},
		"search":  {"", "--scope", "--category", "--limit", "--explain"},
		"stats":   {"--scope"},
		"store":   {"", "--scope", "--category", "--importance"},
		"show":    {""},
		"edit":    {"", "--text", "--scope", "--category", "--importance"},
		"delete":  {"", "--scope"},
		"version": {""},
	} {
		for _, flag := range flags {
			odd := words
			if flag == "--limit" || flag == "--offset" || flag == "--importance" {
				odd = numbers
			}
			for _, value := range odd {
				args := []string{command}
				if flag != "" {
					switch command {
					case "search", "store":
						args = append(args, "the boiler in the cellar")
					case "edit", "delete":
						args = append(args, "00000000-0000-4000-8000-000000000001")
					}
					args = append(args, flag+"="+value)
				} else {
					args = append(args, "--", value)
					args = []string{args[0], "--json", args[1], args[2]}
				}
				if flag != "" {
					args = append(args, "--json")
				}
				name := fmt.Sprintf("%.60q", args)
				// "--" ends the flags, so the database goes before it.
				args = append([]string{args[0], "--db", path}, args[1:]...)
				var o, e strings.Builder
				cli := &app{in: strings.NewReader(""), out: &o, err: &e}
				code := cli.run(context.Background(), args)
				if code < exitOK || code > exitProvider || code == exitFailure {
					t.Errorf("%s: exit code %d: %.300s", name, code, e.String())
				}
				if !json.Valid([]byte(o.String())) {
					t.Errorf("%s: standard output is no JSON: %.200q", name, o.String())
				}
				if code != exitOK && (e.Len() == 0 || e.Len() > 4000 || strings.ContainsAny(e.String(), "\x00\x1b")) {
					t.Errorf("%s: %d bytes of error: %.300q", name, e.Len(), e.String())
				}
			}
		}
	}
	if code, out, _ := run("list", "--scope", "agent:main", "--json"); code != exitOK || !strings.Contains(out, "The boiler is serviced in October") {
		t.Errorf("afterwards: %d %s", code, out)
	}
}
