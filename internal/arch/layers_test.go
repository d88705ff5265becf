package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/memory-lancedb-pro/memory-lancedb-pro"

// layers says what each package may import of ours, and nothing else. A new
// package gets a line here, at the layer where its imports put it.
var layers = map[string][]string{
	"internal/memory":                {},
	"internal/native":                {},
	"internal/journal":               {},
	"internal/native/prebuilt":       {},
	"internal/native/unpack":         {"internal/native/prebuilt"},
	"internal/native/pack":           {"internal/native/prebuilt"},
	"internal/lance":                 {"internal/native"},
	"internal/manifest":              {},
	"internal/knn":                   {},
	"internal/hanzi":                 {},
	"internal/hanzi/gen":             {"internal/checkout"},
	"internal/rank":                  {"internal/hanzi", "internal/memory"},
	"internal/rank/calibration":      {"internal/checkout", "internal/rank", "internal/embed", "internal/embed/weights"},
	"internal/lifecycle":             {"internal/memory", "internal/rank"},
	"internal/config":                {"internal/memory", "internal/rank"},
	"internal/config/gen":            {"internal/checkout", "internal/config", "internal/protocol"},
	"internal/protocol":              {"internal/memory"},
	"internal/protocol/gen":          {"internal/checkout", "internal/protocol"},
	"internal/protocol/protocoltest": {},
	"internal/scope":                 {"internal/memory"},
	"internal/screen":                {"internal/memory"},
	"internal/host":                  {},
	"internal/provider":              {},
	"internal/rerank":                {"internal/provider"},
	"internal/embed":                 {"internal/memory", "internal/native", "internal/provider", "internal/embed/weights"},
	"internal/checkout":              {},
	"internal/distlock":              {},
	"internal/recalls":               {"internal/memory"},
	"internal/embed/weights":         {"internal/checkout"},
	"internal/embed/weights/fetch":   {"internal/checkout", "internal/embed/weights"},
	"internal/store":                 {"internal/hanzi", "internal/memory", "internal/scope", "internal/lance", "internal/journal", "internal/manifest", "internal/knn"},
	"internal/retrieve":              {"internal/memory", "internal/rank", "internal/scope"},
	"internal/archive":               {"internal/memory"},
	"internal/retrieve/retrievetest": {"internal/hanzi", "internal/memory", "internal/rank", "internal/scope"},
	"internal/engine": {"internal/memory", "internal/rank", "internal/config", "internal/scope", "internal/screen",
		"internal/embed", "internal/provider", "internal/store", "internal/journal", "internal/archive", "internal/retrieve", "internal/recalls", "internal/distlock",
		"internal/lifecycle", "internal/rerank"},
	"internal/servertest": {},
	"internal/server":     {"internal/engine", "internal/recalls", "internal/retrieve", "internal/protocol", "internal/config", "internal/memory"},
	"internal/doctor":     {"internal/engine", "internal/config", "internal/host", "internal/store", "internal/native", "internal/embed/weights"},
	"internal/cli":        {"internal/engine", "internal/recalls", "internal/retrieve", "internal/protocol", "internal/config", "internal/memory", "internal/server", "internal/doctor", "internal/host"},
	"internal/bench":      {"internal/embed", "internal/embed/weights", "internal/engine", "internal/store", "internal/memory", "internal/config", "internal/protocol", "internal/manifest", "internal/scope"},
	"internal/crash/disk": {},
	"internal/crash":      {"internal/config", "internal/crash/disk", "internal/engine", "internal/journal", "internal/memory", "internal/scope", "internal/store"},
	"internal/eval": {"internal/checkout", "internal/embed", "internal/embed/weights", "internal/engine", "internal/config", "internal/memory",
		"internal/retrieve", "internal/scope", "internal/store"},
	"internal/arch":  {},
	"cmd/memory-pro": {"internal/cli"},
}

type listed struct {
	ImportPath, Name string
	Imports          []string
	CgoFiles         []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Name,Imports,CgoFiles", module+"/...").Output()
	if err != nil {
		t.Fatalf("listing packages: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImportsGoDownOnly(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		allowed, known := layers[name]
		if !known {
			t.Errorf("package %s has no layer: add it to layers with what it may import", name)
			continue
		}
		for _, imp := range p.Imports {
			if ours, ok := strings.CutPrefix(imp, module+"/"); ok && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s: allowed are %v", name, ours, allowed)
			}
		}
	}
}

// Some libraries belong to one package each, so that replacing one touches one place.
func TestLibrariesHaveOneHome(t *testing.T) {
	homes := map[string][]string{
		"github.com/lancedb/lancedb-go":     {"internal/lance"},
		"github.com/sashabaranov/go-openai": {"internal/embed"},
		"github.com/creachadair/jrpc2":      {"internal/server", "internal/protocol", "internal/bench"},
		"github.com/gofrs/flock":            {"internal/store"},
		"google.golang.org/protobuf":        {"internal/manifest"},
		"github.com/go-redsync/redsync":     {"internal/distlock"},
		"github.com/redis/go-redis":         {"internal/distlock"},
		"github.com/spf13/cobra":            {"internal/cli"},
		"github.com/google/uuid":            {"internal/memory"},
		"github.com/apache/arrow/go":        {"internal/lance", "internal/store", "internal/native"},
	}
	used := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if len(p.CgoFiles) > 0 && name != "internal/native" {
			t.Errorf("%s uses cgo: only internal/native may", name)
		}
		for _, imp := range p.Imports {
			for lib, allowed := range homes {
				if !strings.HasPrefix(imp, lib) {
					continue
				}
				used[lib] = true
				if !slices.Contains(allowed, name) {
					t.Errorf("%s imports %s: its home is %v", name, imp, allowed)
				}
			}
		}
	}
	for lib := range homes {
		if !used[lib] {
			t.Errorf("%s is required but nothing imports it", lib)
		}
	}
}
