package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const bareHost = `{"plugins": {"entries": {"memory-lancedb-pro": {}}}}`

// setUp is a directory with configurations of the host, and a way to run a command on one.
func setUp(t *testing.T, files map[string]string) (dir string, run func(file string, args ...string) (int, string)) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("OPENCLAW_STATE_DIR", dir)
	t.Setenv("MEMORY_PRO_MODEL", "off")
	t.Setenv("OPENAI_API_KEY", "")
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, func(file string, args ...string) (int, string) {
		t.Setenv("OPENCLAW_CONFIG_PATH", filepath.Join(dir, file))
		var out bytes.Buffer
		code := (&app{in: strings.NewReader(""), out: &out, err: &out}).run(t.Context(), args)
		return code, out.String()
	}
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each file of a directory gets back what it had, whichever was set up last.
func TestSetupNotesEachFile(t *testing.T) {
	files := map[string]string{"a.json": bareHost, "b.json": bareHost, "openclaw.json": bareHost}
	dir, run := setUp(t, files)
	for _, name := range []string{"a.json", "openclaw.json", "b.json"} {
		if code, said := run(name, "setup", "--yes"); code != exitOK {
			t.Fatalf("%s: code %d: %s", name, code, said)
		}
	}
	for name, before := range files {
		if code, said := run(name, "setup", "--uninstall", "--yes"); code != exitOK || strings.Contains(said, "changed nothing") {
			t.Errorf("%s: code %d: %s", name, code, said)
		}
		if after := content(t, dir, name); after != before {
			t.Errorf("%s is left as %s", name, after)
		}
		if code, said := run(name, "setup", "--uninstall", "--yes"); code != exitOK || !strings.Contains(said, "changed nothing") {
			t.Errorf("%s once more: code %d: %s", name, code, said)
		}
	}
}

// A record of an older version, in the one place they had, counts for its file alone.
func TestSetupRecordOfAnOlderVersion(t *testing.T) {
	dir, run := setUp(t, map[string]string{"a.json": bareHost, "b.json": bareHost})
	if code, said := run("a.json", "setup", "--yes"); code != exitOK {
		t.Fatal(said)
	}
	if err := os.Rename(filepath.Join(dir, "memory-pro-setup-a.json"), filepath.Join(dir, recordOfAll)); err != nil {
		t.Fatal(err)
	}
	if _, said := run("b.json", "setup", "--uninstall", "--yes"); !strings.Contains(said, "changed nothing") {
		t.Errorf("the other file: %s", said)
	}
	if code, said := run("a.json", "setup", "--uninstall", "--yes"); code != exitOK || content(t, dir, "a.json") != bareHost {
		t.Errorf("code %d: %s", code, said)
	}
}

// What could not be used is refused before it is written.
func TestSetupRefusesFirst(t *testing.T) {
	dir, run := setUp(t, map[string]string{"openclaw.json": bareHost})
	for _, c := range []struct{ args, said string }{
		{"--embedding tei --embedding-url nonsense", "no http or https address"},
		{"--embedding ollama --embedding-url 127.0.0.1:1", "no http or https address"},
		{"--embedding azure --embedding-url ftp://h", "no http or https address"},
		{"--embedding-url http://localhost:1", "with --embedding"},
		{"--embedding local --embedding-url http://localhost:1", "has no address"},
		{"--uninstall --embedding tei", "leave out --embedding"},
	} {
		code, said := run("openclaw.json", append([]string{"setup", "--yes"}, strings.Fields(c.args)...)...)
		if code != exitUsage || !strings.Contains(said, c.said) || content(t, dir, "openclaw.json") != bareHost {
			t.Errorf("%s: code %d: %s\nthe file: %s", c.args, code, said, content(t, dir, "openclaw.json"))
		}
	}
}

// Every preset is written, also while the variable of its key is not set.
func TestSetupWritesPresets(t *testing.T) {
	for _, name := range presetNames() {
		_, run := setUp(t, map[string]string{"openclaw.json": bareHost})
		args := []string{"setup", "--dry-run", "--embedding", name}
		if name == "azure" {
			args = append(args, "--embedding-url", "https://ours.openai.azure.com")
		}
		if code, said := run("openclaw.json", args...); code != exitOK || !strings.Contains(said, "allowConversationAccess") {
			t.Errorf("%s: code %d: %s", name, code, said)
		}
	}
}

// config calls wrong what every other command refuses.
func TestConfigChecksServices(t *testing.T) {
	of := func(settings string) string {
		return `{"plugins": {"entries": {"memory-lancedb-pro": {"config": ` + settings + `}}}}`
	}
	_, run := setUp(t, nil)
	for settings, said := range map[string]string{
		`{"embedding":{"model":"foo","apiKey":"k","baseURL":"http://127.0.0.1:1/v1"}}`:            "width of model \"foo\" is not known",
		`{"embedding":{"provider":"azure-openai","apiKey":"k","model":"text-embedding-3-small"}}`: "Azure has an address for each resource",
		`{"embedding":{"apiKey":"k","model":"bge-m3","baseURL":"127.0.0.1:1"}}`:                   "no http or https address",
		`{"retrieval":{"rerankApiKey":"k","rerankEndpoint":"nonsense"}}`:                          "retrieval.rerankEndpoint",
		`{"retrieval":{"rerankEndpoint":"nonsense"}}`:                                             "retrieval.rerankEndpoint",
		`{"retrieval":{"rerankProvider":"tei","rerankEndpoint":"nonsense"}}`:                      "retrieval.rerankEndpoint",
	} {
		dir := os.Getenv("HOME")
		if err := os.WriteFile(filepath.Join(dir, "x.json"), []byte(of(settings)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"config"}, {"config", "--json"}} {
			if code, heard := run("x.json", args...); code != exitUsage || !strings.Contains(strings.ReplaceAll(heard, `\"`, `"`), said) {
				t.Errorf("%s: code %d: %s", settings, code, heard)
			}
		}
	}
}

// What a provider leaves in the block when the model inside takes over is named.
func TestSetupNamesWhatStays(t *testing.T) {
	_, run := setUp(t, map[string]string{"openclaw.json": `{"plugins": {"entries": {"memory-lancedb-pro": {"config": {"embedding":
		{"provider": "openai-compatible", "baseURL": "http://localhost:1234", "model": "bge-m3", "apiKey": "sk-hush-hush"}}}}}}`})
	code, said := run("openclaw.json", "setup", "--embedding", "local", "--yes")
	if code != exitOK || !strings.Contains(said, "embedding.apiKey, ") || !strings.Contains(said, "embedding.model") {
		t.Errorf("code %d: %s", code, said)
	}
	if code, said := run("openclaw.json", "config"); code != exitOK || !strings.Contains(said, "without effect are embedding.apiKey, embedding.model, embedding.baseURL") {
		t.Errorf("code %d: %s", code, said)
	}
}
