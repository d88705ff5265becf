package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/host"
)

// A plugin that is neither named nor installed is not switched on, unless the host runs us.
func TestUnknownPlugin(t *testing.T) {
	for _, text := range []string{`{}`, `{"plugins": {"entries": {}}}`, `{"plugins": {"slots": {"memory": "memory-lancedb-pro"}}}`} {
		path := filepath.Join(t.TempDir(), "openclaw.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := host.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, loaded(f, false), Fail, "does not know the plugin", "")
		if got := loaded(f, true); got.Status != OK {
			t.Errorf("run by the host: %+v", got)
		}
		installed := filepath.Join(filepath.Dir(path), "extensions", "memory-lancedb-pro")
		if err := os.MkdirAll(installed, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(installed, "openclaw.plugin.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := loaded(f, false); got.Status != OK {
			t.Errorf("installed: %+v", got)
		}
	}
}

// A configuration with an entry of the plugin knows it.
func TestNamedPlugin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openclaw.json")
	if err := os.WriteFile(path, []byte(`{"plugins": {"entries": {"memory-lancedb-pro": {}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := host.Read(path)
	if got := loaded(f, false); err != nil || got.Status != OK || !strings.Contains(got.Summary, "switched on") {
		t.Errorf("%+v, %v", got, err)
	}
}
