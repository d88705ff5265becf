package config

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type schemaNode struct {
	Type                 any
	Default              any
	Enum                 []any
	Minimum, Maximum     *float64
	Required             []string
	AdditionalProperties *bool
	Properties           map[string]schemaNode
}

// The host validates against the manifest before we see anything, also for a
// plugin that is switched off, and then refuses every command. So the manifest
// has to list the same keys and let every scalar and every unknown key pass. It
// must hold no defaults: the host would fill them in as if they had been set.
func TestManifestHasTheSameKeys(t *testing.T) {
	data, err := os.ReadFile("../../openclaw.plugin.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		ConfigSchema schemaNode
		UIHints      map[string]struct {
			Label     string
			Sensitive bool
		}
		ConfigGroups    []struct{ Properties []string }
		BackupResources []struct{ Disposition, Scope, RelativePath string }
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	got := map[string]schemaNode{}
	collect(t, manifest.ConfigSchema, "", got)
	want := map[string]Key{}
	var hinted, tops []string
	for _, k := range Keys() {
		want[k.Path] = k
		if h := manifest.UIHints[k.Path]; h.Label == "" || h.Sensitive != k.Sensitive() {
			t.Errorf("%s: uiHints say label %q, sensitive %t", k.Path, h.Label, h.Sensitive)
		}
		hinted = append(hinted, k.Path)
		if top, _, _ := strings.Cut(k.Path, "."); !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Fatalf("keys of config and of the manifest's configSchema differ (-config +manifest)\n%s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(hinted)), slices.Sorted(maps.Keys(manifest.UIHints))); diff != "" {
		t.Errorf("uiHints (-config +manifest)\n%s", diff)
	}
	for path, k := range want {
		node := got[path]
		types := asJSON(node.Type)
		first := map[string]string{"integer": "number", "secret": "string", "list": "array"}[k.Type]
		if first == "" {
			first = k.Type
		}
		if k.Type == "object" {
			if node.Type != nil {
				t.Errorf("%s: anything else would keep the host from starting: %s", path, types)
			}
			continue
		}
		if !strings.HasPrefix(types, `["`+first+`"`) {
			t.Errorf("%s: the manifest's types %s do not begin with %s", path, types, first)
		}
		for _, wrong := range []string{"string", "null"} {
			if !strings.Contains(types, `"`+wrong+`"`) {
				t.Errorf("%s: a %s would keep the host from starting", path, wrong)
			}
		}
		if node.Default != nil || node.Enum != nil || node.Minimum != nil || node.Maximum != nil || node.Required != nil {
			t.Errorf("%s: the manifest insists on %+v", path, node)
		}
	}
	var grouped []string
	for _, g := range manifest.ConfigGroups {
		grouped = append(grouped, g.Properties...)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(tops)), slices.Sorted(slices.Values(grouped))); diff != "" {
		t.Errorf("configGroups must hold every property once (-config +manifest)\n%s", diff)
	}
	if b := manifest.BackupResources; len(b) != 1 || b[0].Disposition != "include" || "~/.openclaw/"+b[0].RelativePath != DefaultDBPath {
		t.Errorf("backupResources = %+v", b)
	}
}

// collect lists the leaves under dotted paths.
func collect(t *testing.T, n schemaNode, prefix string, into map[string]schemaNode) {
	if n.AdditionalProperties == nil || !*n.AdditionalProperties {
		t.Errorf("%q: an unknown key would keep the host from starting", prefix)
	}
	if prefix != "" && n.Type != nil {
		t.Errorf("%q: anything but an object would keep the host from starting", prefix)
	}
	for name, child := range n.Properties {
		if slices.Contains(blocks, prefix+name) {
			collect(t, child, prefix+name+".", into)
			continue
		}
		into[prefix+name] = child
	}
}

func asJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
