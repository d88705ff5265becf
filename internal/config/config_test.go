package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testEnv is an environment with nothing of this machine in it.
func testEnv(vars map[string]string) Env {
	return Env{
		Lookup:  func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
		Home:    "/home/ada",
		BaseDir: "/state",
	}
}

func TestDefaults(t *testing.T) {
	want := Config{
		DBPath: "/home/ada/.openclaw/memory/lancedb-pro",

		VectorCache: "/home/ada/.openclaw/memory/lancedb-pro/.memory-pro.kept-vectors",
		Backup:      Backup{Enabled: true, Keep: 7},
		Capture:     Capture{Enabled: true},
		AutoRecall: AutoRecall{TimeoutMs: 2000, MaxItems: 3, MaxChars: 600, PerItemMaxChars: 180,
			MaxQueryLength: 2000, MaxPerTurn: 10, Mode: "full", ExcludeReflection: true,
			MinRepeated: 8, BadRecallDecayMs: 86_400_000, SuppressionDurationMs: 1_800_000},
		Scopes: Scopes{Default: "global"},
		Retrieval: Retrieval{Mode: "hybrid", VectorWeight: 0.7, BM25Weight: 0.3, CandidatePoolSize: 20,
			Rerank: Rerank{Mode: "cross-encoder", Provider: "jina"}, QueryExpansion: true, LengthNormAnchor: 500, FilterNoise: true,
			RecencyHalfLifeDays: 14, RecencyWeight: 0.1, TimeDecayHalfLifeDays: 60,
			ReinforcementFactor: 0.5, MaxHalfLifeMultiplier: 3},
		Decay: Decay{Enabled: true, RecencyHalfLifeDays: 30, RecencyWeight: 0.4, FrequencyWeight: 0.3, IntrinsicWeight: 0.3,
			StaleThreshold: 0.3, SearchBoostMin: 0.3, ImportanceModulation: 1.5, BetaCore: 0.8, BetaWorking: 1, BetaPeripheral: 1.3,
			CoreFloor: 0.9, WorkingFloor: 0.7, PeripheralFloor: 0.5},
		Tier: Tier{CoreAccess: 10, CoreComposite: 0.7, CoreImportance: 0.8, PeripheralComposite: 0.15, PeripheralAgeDays: 60,
			WorkingAccess: 3, WorkingComposite: 0.4},
		RecallLog: true,
	}
	// A key in the environment must not send anybody's memories anywhere.
	env := testEnv(map[string]string{"OPENAI_API_KEY": "sk-ambient"})
	for _, raw := range []string{``, `null`, `{}`, `{"config":{}}`, `{"embedding":null}`} {
		got, err := Parse(json.RawMessage(raw), env)
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", raw, diff)
		}
	}
}

func TestEmbedding(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("sk-file \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := testEnv(map[string]string{"OPENAI_API_KEY": "sk-ambient", "KEY": "sk-env", "HOST": "example.test"})
	for _, c := range []struct {
		name, raw string
		want      []string
		err       string
	}{
		{"string", `{"apiKey":"sk-1"}`, []string{"sk-1"}, ""},
		{"placeholder", `{"apiKey":"${KEY}"}`, []string{"sk-env"}, ""},
		{"env reference", `{"apiKey":{"source":"env","id":"KEY","provider":"default"}}`, []string{"sk-env"}, ""},
		{"file reference", `{"apiKey":{"source":"file","id":"` + file + `"}}`, []string{"sk-file"}, ""},
		{"list drops blanks", `{"apiKey":["sk-1"," ",{"source":"env","id":"KEY"}]}`, []string{"sk-1", "sk-env"}, ""},
		{"ambient", `{}`, []string{"sk-ambient"}, ""},
		{"blank means ambient", `{"apiKey":" "}`, []string{"sk-ambient"}, ""},
		{"unset placeholder", `{"apiKey":"${NOPE}"}`, nil, "environment variable NOPE is not set"},
		{"unset reference", `{"apiKey":{"source":"env","id":"NOPE"}}`, nil, "embedding.apiKey: resolving the secret (source env, id NOPE)"},
		{"missing file", `{"apiKey":{"source":"file","id":"gone"}}`, nil, "/state/gone"},
		{"unknown source", `{"apiKey":{"source":"vault","id":"x"}}`, nil, `source "vault"`},
		{"malformed", `{"apiKey":{"source":"env"}}`, nil, "allowed: a string, or"},
		{"number", `{"apiKey":7}`, nil, "embedding.apiKey: found a value of another type"},
		{"empty list", `{"apiKey":[]}`, nil, "at least one key"},
		{"provider", `{"provider":"voodoo"}`, nil, `embedding.provider: found "voodoo"; allowed: local or openai-compatible or azure-openai`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(json.RawMessage(`{"embedding":`+c.raw+`}`), env)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error = %v, want it to contain %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Embedding.APIKeys); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	got, err := Parse(json.RawMessage(`{"embedding":{"baseURL":"http://${HOST}/v1","apiKey":"k"}}`), env)
	if err != nil || got.Embedding.BaseURL != "http://example.test/v1" || got.Embedding.Model != "text-embedding-3-small" {
		t.Errorf("embedding = %+v, %v", got.Embedding, err)
	}
	if _, err := Parse(json.RawMessage(`{"embedding":{}}`), testEnv(nil)); err == nil || !strings.Contains(err.Error(), "no embedding block at all") {
		t.Errorf("no key anywhere: error = %v", err)
	}
	if got, err := Parse(json.RawMessage(`{"embedding":{"baseURL":"http://127.0.0.1:11434/v1"}}`), testEnv(nil)); err != nil || got.Embedding.APIKeys[0] != "" {
		t.Errorf("an endpoint without a key: %+v, %v", got.Embedding, err)
	}
}

func TestZeroIsHonoured(t *testing.T) {
	got, err := Parse(json.RawMessage(`{"autoRecallTimeoutMs":0,"autoRecallMaxItems":0,"autoRecallMaxChars":0,"autoRecallPerItemMaxChars":0,
		"autoRecallMinLength":0,"maxRecallPerTurn":0,"autoRecallMinRepeated":0,"autoRecallMaxAgeDays":0,"autoRecallMaxEntriesPerKey":0,"embedding":{"apiKey":"k","clientTimeoutMs":0},
		"autoRecallBadRecallDecayMs":0,"autoRecallSuppressionDurationMs":0,"autoRecallMaxTokens":0,"autoRecallMinScore":0,
		"retrieval":{"vectorWeight":0,"bm25Weight":0,"minScore":0,"hardMinScore":0,"candidatePoolSize":0,"rerank":"none","lengthNormAnchor":0,
		"recencyHalfLifeDays":0,"recencyWeight":0,"timeDecayHalfLifeDays":0,"reinforcementFactor":0,"queryExpansion":false,"filterNoise":false},
		"decay":{"recencyWeight":0,"frequencyWeight":0,"intrinsicWeight":0,"staleThreshold":0,"searchBoostMin":0,"importanceModulation":0,
		"coreDecayFloor":0,"workingDecayFloor":0,"peripheralDecayFloor":0}}`), testEnv(nil))
	if err != nil {
		t.Fatal(err)
	}
	zero, none := 0.0, 0
	if diff := cmp.Diff(AutoRecall{MinScore: &zero, MinLength: &none, MaxQueryLength: 2000, Mode: "full", ExcludeReflection: true}, got.AutoRecall); diff != "" {
		t.Errorf("autoRecall (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(Retrieval{Mode: "hybrid", MinScore: &zero, HardMinScore: &zero, Rerank: Rerank{Mode: "none"},
		MaxHalfLifeMultiplier: 3}, got.Retrieval); diff != "" {
		t.Errorf("retrieval (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(Decay{Enabled: true, RecencyHalfLifeDays: 30, BetaCore: 0.8, BetaWorking: 1, BetaPeripheral: 1.3}, got.Decay); diff != "" {
		t.Errorf("decay (-want +got)\n%s", diff)
	}
	if got.Embedding.ClientTimeoutMs != 0 {
		t.Errorf("clientTimeoutMs = %d", got.Embedding.ClientTimeoutMs)
	}
}

func TestThresholdsAreConverted(t *testing.T) {
	got, err := Parse(json.RawMessage(`{"retrieval":{"minScore":0.3,"hardMinScore":0.8}}`), testEnv(nil))
	if err != nil {
		t.Fatal(err)
	}
	if *got.Retrieval.MinScore != 0 || *got.Retrieval.HardMinScore != 0.75 {
		t.Errorf("minScore %g, hardMinScore %g; want 0 and 0.75", *got.Retrieval.MinScore, *got.Retrieval.HardMinScore)
	}
	if len(got.Notices) != 2 || !strings.Contains(got.Notices[1], "retrieval.hardMinScore: 0.8") {
		t.Errorf("notices = %q", got.Notices)
	}
}

func TestNumbersOutsideAreMoved(t *testing.T) {
	got, err := Parse(json.RawMessage(`{"autoRecallMaxItems":99,"autoRecallMaxChars":" 300 ","autoRecall":"true"}`), testEnv(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got.AutoRecall.MaxItems != 20 || got.AutoRecall.MaxChars != 300 || !got.AutoRecall.Enabled {
		t.Errorf("autoRecall = %+v", got.AutoRecall)
	}
	if len(got.Notices) != 1 || !strings.HasPrefix(got.Notices[0], "autoRecallMaxItems: 99") {
		t.Errorf("notices = %q", got.Notices)
	}
}

func TestWrongTypes(t *testing.T) {
	_, err := Parse(json.RawMessage(`{"dbPath":7,"autoRecall":"yes","autoRecallMaxItems":2.5,"retrieval":{"mode":"magic","minScore":"high"},"embedding":[]}`), testEnv(nil))
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error = %v", err)
	}
	for _, want := range []string{
		"embedding: found a list; allowed: an object",
		"dbPath: found 7; allowed: a string",
		`autoRecall: found "yes"; allowed: true or false`,
		"autoRecallMaxItems: found 2.5; allowed: a whole number from 0 to 20",
		`retrieval.mode: found "magic"; allowed: hybrid or vector`,
		`retrieval.minScore: found "high"; allowed: a number from 0 to 1`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q:\n%v", want, err)
		}
	}
	if _, err := Parse(json.RawMessage(`[1]`), testEnv(nil)); err == nil {
		t.Error("a list was accepted as configuration")
	}
}

func TestUnknownKeysLeaveNotices(t *testing.T) {
	got, err := Parse(json.RawMessage(`{"zebras":true,"retrieval":{"quagga":"none"}}`), testEnv(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"this version does not use these keys and ignores them: retrieval.quagga, zebras"}
	if diff := cmp.Diff(want, got.Notices); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDBPath(t *testing.T) {
	for in, want := range map[string]string{
		"/var/db": "/var/db", "~/db": "/home/ada/db", "~": "/home/ada", "db": "/state/db", "./a/../db": "/state/db",
		"file:///var/my%20db": "/var/my db", "file://localhost/var/db": "/var/db", "FILE:///db": "/db",
	} {
		raw, _ := json.Marshal(map[string]string{"dbPath": in})
		got, err := Parse(raw, testEnv(nil))
		if err != nil || got.DBPath != want {
			t.Errorf("dbPath %q = %q, %v; want %q", in, got.DBPath, err, want)
		}
	}
	for _, in := range []string{"gs://bucket/db", "file://server/db", "file://"} {
		if _, err := Parse(json.RawMessage(`{"dbPath":"`+in+`"}`), testEnv(nil)); err == nil {
			t.Errorf("dbPath %q was accepted", in)
		}
	}
}

func TestManyUnknownKeys(t *testing.T) {
	many := map[string]any{"quagga\x1b[31m": 1, strings.Repeat("k", 500): 1}
	for i := range 2000 {
		many[fmt.Sprintf("zebra-%04d", i)] = i
	}
	raw, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(raw, testEnv(nil))
	if err != nil {
		t.Fatal(err)
	}
	heard := strings.Join(got.Notices, "\n")
	if len(got.Notices) != 1 || !strings.Contains(heard, "and 1952 more") || strings.Contains(heard, "\x1b") || len(heard) > 2000 {
		t.Errorf("heard %q", heard)
	}
}
