package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// said is everything a configuration makes the operator hear.
func said(c Config) string { return strings.Join(slices.Concat(c.Problems, c.Notices), "\n") }

func parsed(t *testing.T, raw string, env Env) Config {
	t.Helper()
	c, err := Parse(json.RawMessage(raw), env)
	if Fatal(err) {
		t.Fatalf("%s: %v", raw, err)
	}
	if (err != nil) != (len(c.Problems) > 0) {
		t.Errorf("%s: error %v, problems %q", raw, err, c.Problems)
	}
	return c
}

// B114: environment placeholders.
func TestPlaceholders(t *testing.T) {
	env := testEnv(map[string]string{"A": "alpha", "B_2": "beta", "EMPTY": "", "NESTED": "${A}", "OPENAI_API_KEY": "sk-ambient"})
	const embedding = `"embedding":{"apiKey":"k"`
	for _, c := range []struct {
		name, raw string
		get       func(Config) any
		want      any
		says      string // part of what is told; "" when nothing is
	}{
		{"apiKey", `{"embedding":{"apiKey":"${A}"}}`, keysOf, []string{"alpha"}, ""},
		{"apiKey in a list", `{"embedding":{"apiKey":["${A}","${B_2}","plain"]}}`, keysOf, []string{"alpha", "beta", "plain"}, ""},
		{"inside a text", `{"embedding":{"apiKey":"k-${A}-${B_2}"}}`, keysOf, []string{"k-alpha-beta"}, ""},
		{"shorthand", `{"embedding":{"apiKey":"$A"}}`, keysOf, []string{"alpha"}, ""},
		{"a dollar sign", `{"embedding":{"apiKey":"pa$$word"}}`, keysOf, []string{"pa$$word"}, ""},
		{"lower-case dollar", `{"embedding":{"apiKey":"$alpha"}}`, keysOf, []string{"$alpha"}, ""},
		{"baseURL", `{` + embedding + `,"baseURL":"http://${A}:1/${B_2}"}}`, func(c Config) any { return c.Embedding.BaseURL }, "http://alpha:1/beta", ""},
		{"model", `{` + embedding + `,"model":"${A}"}}`, func(c Config) any { return c.Embedding.Model }, "alpha", ""},
		{"a number", `{` + embedding + `,"dimensions":"${N}"}}`, func(c Config) any { return c.Embedding }, (*Embedding)(nil), "N is not set"},
		{"dbPath", `{"dbPath":"/srv/${A}/db"}`, func(c Config) any { return c.DBPath }, "/srv/alpha/db", ""},
		{"agents", `{"autoRecallExcludeAgents":["${A}","b"]}`, func(c Config) any { return c.AutoRecall.ExcludeAgents }, []string{"alpha", "b"}, ""},

		{"unset", `{"embedding":{"apiKey":"${NOPE}"}}`, embeddingOf, (*Embedding)(nil), "embedding.apiKey: the environment variable NOPE is not set"},
		{"unset shorthand", `{"embedding":{"apiKey":"$NOPE"}}`, embeddingOf, (*Embedding)(nil), "NOPE is not set"},
		{"unset in a list", `{"embedding":{"apiKey":["k","${NOPE}"]}}`, embeddingOf, (*Embedding)(nil), "embedding.apiKey[1]: the environment variable NOPE"},
		{"empty", `{"embedding":{"apiKey":"${EMPTY}"}}`, embeddingOf, (*Embedding)(nil), "EMPTY is not set or empty"},
		{"no name", `{"embedding":{"apiKey":"${}"}}`, embeddingOf, (*Embedding)(nil), "embedding.apiKey: holds a ${…}"},
		{"no end", `{` + embedding + `,"baseURL":"http://${A"}}`, embeddingOf, (*Embedding)(nil), "embedding.baseURL: holds a ${…}"},
		{"not a name", `{` + embedding + `,"baseURL":"http://${A-B}"}}`, embeddingOf, (*Embedding)(nil), "embedding.baseURL"},
		{"a variable with a placeholder", `{"embedding":{"apiKey":"${NESTED}"}}`, embeddingOf, (*Embedding)(nil), "embedding.apiKey"},

		{"reranking off", `{"retrieval":{"rerank":"none","rerankApiKey":"${NOPE}","rerankEndpoint":"${NOPE}","rerankModel":"${NOPE}"}}`, problemsOf, 0, ""},
		{"reranking on", `{"retrieval":{"rerank":"cross-encoder","rerankApiKey":"${NOPE}"}}`, problemsOf, 1, "retrieval.rerankApiKey: the environment variable NOPE"},
		{"reranking endpoint", `{"retrieval":{"rerank":"cross-encoder","rerankEndpoint":"https://${NOPE}/v1"}}`, problemsOf, 1, "retrieval.rerankEndpoint: the environment variable NOPE"},
		{"extraction off", `{"smartExtraction":false,"llm":{"apiKey":"${NOPE}","baseURL":"${NOPE}"}}`, problemsOf, 0, ""},
		{"extraction on", `{"llm":{"apiKey":"${NOPE}"}}`, problemsOf, 0, "llm.apiKey: the environment variable NOPE"},
		{"the model inside", `{"embedding":{"provider":"local","apiKey":"${NOPE}","baseURL":"${NOPE}"}}`, func(c Config) any { return c.Local() }, true, ""},
		{"no embedding block", `{"maxInputChars":"${NOPE}"}`, func(c Config) any { return c.Local() }, true, ""},
		{"mirror off", `{"mdMirror":{"enabled":false,"dir":"${NOPE}"}}`, problemsOf, 0, ""},
		{"lock server off", `{"redisUrl":"${NOPE}","locking":{"redis":{"enabled":false,"url":"${NOPE}"}}}`, problemsOf, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := parsed(t, c.raw, env)
			if diff := cmp.Diff(c.want, c.get(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if heard := said(got); !strings.Contains(heard, c.says) || (c.says == "" && heard != "") {
				t.Errorf("heard %q, want %q", heard, c.says)
			}
			if got.Embedding != nil && strings.Contains(fmt.Sprint(*got.Embedding), "${") {
				t.Errorf("a placeholder would leave the machine: %+v", *got.Embedding)
			}
		})
	}
}

func keysOf(c Config) any {
	if c.Embedding == nil {
		return nil
	}
	return c.Embedding.APIKeys
}
func embeddingOf(c Config) any { return c.Embedding }
func problemsOf(c Config) any  { return len(c.Problems) }

// B115: secret references.
func TestSecretReferences(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, empty := write("good", "sk-file\r\n"), write("empty", " \n\n")
	two, huge := write("two", "sk-1\nsk-2\n"), write("huge", strings.Repeat("x", maxSecret+1))
	ref := func(source, id string) string {
		return fmt.Sprintf(`{"source":%q,"provider":"default","id":%q}`, source, id)
	}
	env := testEnv(map[string]string{"KEY": " sk-env\n"})
	env.Home, env.BaseDir = dir, dir
	for _, c := range []struct{ name, ref, want, says string }{
		{"environment, trimmed", ref("env", "KEY"), "sk-env", ""},
		{"file, trimmed", ref("file", good), "sk-file", ""},
		{"home", ref("file", "~/good"), "sk-file", ""},
		{"relative to the state directory", ref("file", "good"), "sk-file", ""},
		{"in a list", `["sk-0",` + ref("file", good) + `]`, "sk-0", ""},
		{"variable unset", ref("env", "NOPE"), "", "embedding.apiKey: resolving the secret (source env, id NOPE)"},
		{"file missing", ref("file", "gone"), "", filepath.Join(dir, "gone")},
		{"file empty", ref("file", empty), "", "the file is empty"},
		{"two lines", ref("file", two), "", "line break"},
		{"a folder", ref("file", dir), "", "is not a file"},
		{"too large", ref("file", huge), "", "is not a file of at most"},
		{"exec", ref("exec", "pass show key"), "", `source "exec"`},
		{"unknown source", ref("vault", "x"), "", `source "vault"`},
		{"no id", `{"source":"env"}`, "", "a reference without source or id"},
		{"no source", `{"id":"KEY"}`, "", "a reference without source or id"},
		{"a list in the list", `[["sk-deep"]]`, "", "a list inside the list"},
		{"a number", `4711`, "", "a value of another type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := parsed(t, `{"embedding":{"apiKey":`+c.ref+`}}`, env)
			if c.want == "" {
				if got.Embedding != nil || got.EmbeddingFault == "" || got.Local() {
					t.Errorf("embedding %+v, fault %q", got.Embedding, got.EmbeddingFault)
				}
			} else if got.Embedding == nil || got.Embedding.APIKeys[0] != c.want {
				t.Errorf("embedding %+v, want key %q", got.Embedding, c.want)
			}
			heard := said(got)
			if !strings.Contains(heard, c.says) || (c.says != "" && !strings.Contains(heard, "embedding.apiKey")) {
				t.Errorf("heard %q, want it to name embedding.apiKey and say %q", heard, c.says)
			}
			for _, value := range []string{"sk-1", "sk-deep", "4711", "sk-file"} {
				if strings.Contains(heard, value) {
					t.Errorf("the value itself was told: %q", heard)
				}
			}
			// The same reference for something that is off concerns nobody.
			quiet := parsed(t, `{"retrieval":{"rerank":"none","rerankApiKey":`+c.ref+`},"smartExtraction":false,"llm":{"apiKey":`+c.ref+`},"embedding":{"provider":"local","apiKey":`+c.ref+`}}`, env)
			if heard := said(quiet); heard != "" || !quiet.Local() {
				t.Errorf("an unused reference was heard of: %q", heard)
			}
		})
	}
}

// B116: unknown keys and wrong types.
func TestMisspeltKeys(t *testing.T) {
	for _, c := range []struct{ raw, names, right string }{
		{`{"embedding":{"apiKey":"k","baseUrl":"http://127.0.0.1:1"}}`, "embedding.baseUrl", "embedding.baseURL"},
		{`{"embedding":{"apiKey":"k","base_url":"http://127.0.0.1:1"}}`, "embedding.base_url", "embedding.baseURL"},
		{`{"embedding":{"apiKey":"k","endpoint":"http://127.0.0.1:1"}}`, "embedding.endpoint", "embedding.baseURL"},
		{`{"embedding":{"apiKey":"k","kind":"ollama"}}`, "embedding.kind", "embedding.provider"},
		{`{"embedding":{"apiKey":"k","baseURL":"http://127.0.0.1:1","kind":"ollama"}}`, "embedding.kind", "embedding.provider"},
		{`{"embedding":{"apikey":"k","baseURL":"http://127.0.0.1:1"}}`, "embedding.apikey", "embedding.apiKey"},
		{`{"embedding":{"apiKey":"k","dimension":1024}}`, "embedding.dimension", "embedding.dimensions"},
		{`{"Embedding":{"apiKey":"k"}}`, "Embedding", "embedding"},
		{`{"recallTopK":5}`, "recallTopK", "retrieval.candidatePoolSize"},
		{`{"recallThreshold":0.5}`, "recallThreshold", "retrieval.minScore and retrieval.hardMinScore"},
		{`{"autorecall":true}`, "autorecall", "autoRecall"},
		{`{"auto_recall":true}`, "auto_recall", "autoRecall"},
		{`{"autoRecal":true}`, "autoRecal", "autoRecall"},
		{`{"autoRecallMaxItmes":3}`, "autoRecallMaxItmes", "autoRecallMaxItems"},
		{`{"dbpath":"/x"}`, "dbpath", "dbPath"},
		{`{"minScore":0.4}`, "minScore", "retrieval.minScore"},
		{`{"bm25Weight":0.4}`, "bm25Weight", "retrieval.bm25Weight"},
		{`{"retrieval":{"minscore":0.4}}`, "retrieval.minscore", "retrieval.minScore"},
		{`{"retrieval":{"vectorWieght":0.4}}`, "retrieval.vectorWieght", "retrieval.vectorWeight"},
		{`{"retrieval":{"hybrid":true}}`, "retrieval.hybrid", ""},
		{`{"dreaming":{"phases":{"ligth":{"enabled":true}}}}`, "dreaming.phases.ligth", "dreaming.phases.light"},
		{`{"scopes":{"agentaccess":{}}}`, "scopes.agentaccess", "scopes.agentAccess"},
		{`{"enabled":false}`, "enabled", "plugins.entries.memory-lancedb-pro.enabled"},
		{`{"quaggas":1}`, "quaggas", ""},
	} {
		got := parsed(t, c.raw, testEnv(nil))
		heard := said(got)
		if !strings.Contains(heard, c.names) || !strings.Contains(heard, c.right) {
			t.Errorf("%s: heard %q, want it to name %q and %q", c.raw, heard, c.names, c.right)
		}
		if c.right == "" && strings.Contains(heard, "did you mean") {
			t.Errorf("%s: heard %q, want no guess", c.raw, heard)
		}
		// A misspelt address must not send memories to the default one.
		if c.right == "embedding.baseURL" && (got.Embedding != nil || got.Local()) {
			t.Errorf("%s: embedding %+v", c.raw, got.Embedding)
		}
	}
}

func TestWrongValuesBlockNothingElse(t *testing.T) {
	for _, c := range []struct{ raw, says string }{
		{`{"autoRecall":"yes","dbPath":"/srv/db"}`, `autoRecall: found "yes"; allowed: true or false`},
		{`{"autoRecall":1,"dbPath":"/srv/db"}`, "autoRecall: found 1"},
		{`{"autoRecallMaxItems":1e999,"dbPath":"/srv/db"}`, "autoRecallMaxItems: found 1e999"},
		{`{"autoRecallMaxItems":[3],"dbPath":"/srv/db"}`, "autoRecallMaxItems: found a list"},
		{`{"autoRecallTopK":"many","dbPath":"/srv/db"}`, `autoRecallTopK: found "many"`},
		{`{"retrieval":"fast","dbPath":"/srv/db"}`, "retrieval: found \"fast\"; allowed: an object"},
		{`{"retrieval":{"mode":"magic"},"dbPath":"/srv/db"}`, "retrieval.mode"},
		{`{"autoRecallCategories":["fact","beverages"],"dbPath":"/srv/db"}`, "autoRecallCategories"},
		{`{"embedding":"openai","dbPath":"/srv/db"}`, "embedding: found"},
		{`{"embedding":{"apiKey":"k","provider":"voodoo"},"dbPath":"/srv/db"}`, "embedding.provider"},
		{`{"embedding":{"apiKey":"k","dimensions":1024.5},"dbPath":"/srv/db"}`, "embedding.dimensions: found 1024.5; allowed: a whole number from 1"},
		{`{"embedding":{"apiKey":"k","dimensions":0},"dbPath":"/srv/db"}`, "embedding.dimensions: found 0"},
		{`{"embedding":{"apiKey":"k","dimensions":-1},"dbPath":"/srv/db"}`, "embedding.dimensions: found -1"},
		{`{"embedding":{"apiKey":"k","dimensions":"wide"},"dbPath":"/srv/db"}`, "embedding.dimensions"},
		{`{"embedding":{"apiKey":"k"},"dimensions":0,"dbPath":"/srv/db"}`, "dimensions: found 0"},
		{`{"scopes":{"default":"work"},"dbPath":"/srv/db"}`, "scopes.default: found work"},
		{`{"scopes":7,"dbPath":"/srv/db"}`, "scopes: found 7"},
		{`{"dreaming":{"phases":"all"},"dbPath":"/srv/db"}`, "dreaming.phases: found \"all\""},
		{`{"decay":{"betaCore":"steep"},"dbPath":"/srv/db"}`, "decay.betaCore"},
	} {
		got := parsed(t, c.raw, testEnv(nil))
		if !strings.Contains(said(got), c.says) {
			t.Errorf("%s: heard %q, want %q", c.raw, said(got), c.says)
		}
		if got.DBPath != "/srv/db" || got.AutoRecall.Enabled || got.Retrieval.Mode != "hybrid" || got.AutoRecall.MaxItems != 3 {
			t.Errorf("%s: %+v", c.raw, got)
		}
		if strings.Contains(c.raw, `"embedding"`) && (got.Embedding != nil || got.Local()) {
			t.Errorf("%s: another model took over: %+v", c.raw, got.Embedding)
		}
	}
}

func TestAcceptedSpellingsOfValues(t *testing.T) {
	got := parsed(t, `{"config":{"embedding":{"apiKey":"k","dimensions":"1024","provider":"OpenAI-Compatible"},"autoRecall":"True","autoRecallTopK":" 5 ",
		"autoRecallExcludeAgents":"bot-","retrieval":{"mode":null}},"autoCapture":"false"}`, testEnv(nil))
	if got.Embedding == nil || got.Embedding.Dimensions != 1024 || got.Embedding.Provider != ProviderOpenAI {
		t.Errorf("embedding = %+v", got.Embedding)
	}
	if !got.AutoRecall.Enabled || got.AutoRecall.MaxItems != 5 || got.Capture.Enabled || !slices.Equal(got.AutoRecall.ExcludeAgents, []string{"bot-"}) {
		t.Errorf("%+v", got)
	}
	if len(got.Problems) > 0 || len(got.Notices) != 1 || !strings.Contains(got.Notices[0], "one level up") {
		t.Errorf("heard %q", said(got))
	}
	both := parsed(t, `{"autoRecallTopK":5,"autoRecallMaxItems":2,"maxInputChars":9,"embedding":{"apiKey":"k"}}`, testEnv(nil))
	if both.AutoRecall.MaxItems != 2 || both.Embedding.MaxInputChars != 9 {
		t.Errorf("older and newer name: %+v, %+v", both.AutoRecall, both.Embedding)
	}
}

// B118: the path of the database.
func TestUnusualPaths(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "real place")
	link := filepath.Join(dir, "link")
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(target)
	if err != nil {
		t.Fatal(err)
	}
	env := testEnv(map[string]string{"PLACE": "/srv/x"})
	for in, want := range map[string]string{
		"~/x": "/home/ada/x", "x/../y": "/state/y", "/srv/a b/'c\" d": "/srv/a b/'c\" d", "${PLACE}/db": "/srv/x/db", " /srv/db ": "/srv/db", "": "/home/ada/.openclaw/memory/lancedb-pro",
		link: real, "file://" + link: real, "/srv/100%": "/srv/100%", "~other/db": "/state/~other/db", "/srv/数据库": "/srv/数据库", "/srv/db/": "/srv/db",
	} {
		raw, _ := json.Marshal(map[string]string{"dbPath": in})
		got := parsed(t, string(raw), env)
		if got.DBPath != want || got.PathFault != "" {
			t.Errorf("dbPath %q = %q (%s), want %q", in, got.DBPath, got.PathFault, want)
		}
	}
	for _, in := range []string{`"gs://bucket/db"`, `"file://server/db"`, `"https://x/db"`, `7`, `"/srv/\u0000db"`, `"${NOPE}/db"`, `["/srv/db"]`, `{}`} {
		got := parsed(t, `{"dbPath":`+in+`,"autoRecall":true}`, env)
		if got.DBPath != "" || got.PathFault == "" || !strings.Contains(said(got), "dbPath") || !got.AutoRecall.Enabled {
			t.Errorf("dbPath %s: path %q, fault %q, heard %q", in, got.DBPath, got.PathFault, said(got))
		}
	}
}
