package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const hostFile = `// the host's file
{
  plugins: {
    slots: {memory: 'memory-lancedb-pro'},
    entries: {
      'memory-lancedb-pro': {enabled: true, config: {dbPath: './db', autoRecallMaxItems: 0x5, /* five */},},
      other: {config: {dbPath: "/elsewhere"}},
    },
  },
}`

func TestLoadFromFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "openclaw.json")
	if err := os.WriteFile(file, []byte("\ufeff"+hostFile), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, vars := range map[string]map[string]string{
		"config path":     {"OPENCLAW_CONFIG_PATH": file, "OPENCLAW_STATE_DIR": dir, "HOME": "/home/ada"},
		"state directory": {"OPENCLAW_STATE_DIR": dir, "HOME": "/home/ada"},
		"home path":       {"OPENCLAW_CONFIG_PATH": "~/openclaw.json", "OPENCLAW_STATE_DIR": "~", "HOME": dir},
	} {
		t.Run(name, func(t *testing.T) {
			loaded, err := Load(Source{Env: Env{Lookup: testEnv(vars).Lookup}})
			if err != nil {
				t.Fatal(err)
			}
			if loaded.Origin != file {
				t.Errorf("origin = %q, want %q", loaded.Origin, file)
			}
			c, err := loaded.Parse()
			if err != nil || c.DBPath != filepath.Join(dir, "db") || c.AutoRecall.MaxItems != 5 {
				t.Errorf("config = %+v, %v", c, err)
			}
		})
	}
}

func TestLoadWithoutFile(t *testing.T) {
	home := t.TempDir()
	loaded, err := Load(Source{Env: Env{Lookup: testEnv(map[string]string{"HOME": home}).Lookup}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := loaded.Parse()
	if want := filepath.Join(home, ".openclaw/memory/lancedb-pro"); err != nil || c.DBPath != want {
		t.Errorf("dbPath = %q, %v; want %q", c.DBPath, err, want)
	}
	vars := map[string]string{"HOME": home, "OPENCLAW_CONFIG_PATH": filepath.Join(home, "gone.json")}
	if _, err := Load(Source{Env: Env{Lookup: testEnv(vars).Lookup}}); err == nil || !strings.Contains(err.Error(), "gone.json") {
		t.Errorf("a named file that is missing: error = %v", err)
	}
}

// Without HOME the account's home directory counts, and without that nothing
// that would stand in it: never the working directory.
func TestNoHome(t *testing.T) {
	t.Chdir(t.TempDir())
	home := t.TempDir()
	for name, c := range map[string]struct {
		vars          map[string]string
		account, raw  string
		want, problem string
	}{
		"unset":           {nil, home, ``, home + "/.openclaw/memory/lancedb-pro", ""},
		"empty":           {map[string]string{"HOME": ""}, home, ``, home + "/.openclaw/memory/lancedb-pro", ""},
		"no account":      {nil, "", ``, "", "pass --db or set dbPath"},
		"relative":        {nil, "", `{"dbPath":"db"}`, "", "pass --db or set dbPath"},
		"state in home":   {map[string]string{"OPENCLAW_STATE_DIR": "~/state"}, "", `{"dbPath":"db"}`, "", "pass --db or set dbPath"},
		"state elsewhere": {map[string]string{"OPENCLAW_STATE_DIR": "/state"}, "", `{"dbPath":"db"}`, "/state/db", ""},
		"absolute":        {nil, "", `{"dbPath":"/db"}`, "/db", ""},
	} {
		t.Run(name, func(t *testing.T) {
			env := Env{Lookup: testEnv(c.vars).Lookup, account: func() string { return c.account }}
			loaded, err := Load(Source{Env: env})
			if err != nil || loaded.Raw != nil {
				t.Fatalf("loaded %+v, %v", loaded, err)
			}
			got, err := Parse([]byte(c.raw), loaded.Env)
			if got.DBPath != c.want || (err == nil) != (c.problem == "") || !strings.Contains(got.PathFault, c.problem) {
				t.Errorf("dbPath = %q, %q, %v; want %q", got.DBPath, got.PathFault, err, c.want)
			}
			if rest := Without(err, ErrNoHome); rest != nil {
				t.Errorf("besides: %v", rest)
			}
		})
	}
	env := Env{Lookup: testEnv(nil).Lookup, account: func() string { return "" }}
	if file := HostFile(env); file != "" {
		t.Errorf("host file %q", file)
	}
}

func TestLoadFromPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString(`{"config":{"dbPath":"db"},"stateDir":"/srv/state"}`); err != nil {
		t.Fatal(err)
	}
	w.Close()
	defer r.Close()
	fd, err := syscall.Dup(int(r.Fd())) // Load closes the one it is given
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(Source{FD: fd, Env: testEnv(nil)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := loaded.Parse()
	if err != nil || c.DBPath != "/srv/state/db" {
		t.Errorf("dbPath = %q, %v", c.DBPath, err)
	}
}

func TestBrokenFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "openclaw.json")
	for content, want := range map[string]string{
		`{plugins: `:                      "not JSON5",
		`{plugins: {entries: "nothing"}}`: "plugins.entries",
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(Source{Env: Env{Lookup: testEnv(map[string]string{"OPENCLAW_STATE_DIR": dir}).Lookup}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%q: error = %v", content, err)
		}
	}
}
