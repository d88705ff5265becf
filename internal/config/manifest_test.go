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
	Type       any
	Default    any
	Enum       []string
	Properties map[string]schemaNode
	AnyOf      []json.RawMessage
}

// The host validates against the manifest before we see anything, and fills in
// the manifest's defaults. So both have to list the same keys with the same
// defaults, and no default where absence has a meaning.
func TestManifestHasTheSameKeys(t *testing.T) {
	data, err := os.ReadFile("../../openclaw.plugin.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ ConfigSchema schemaNode }
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	got := map[string]schemaNode{}
	collect(manifest.ConfigSchema, "", got)
	want := map[string]Key{}
	for _, k := range Keys() {
		want[k.Path] = k
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Fatalf("keys of config and of the manifest's configSchema differ (-config +manifest)\n%s", diff)
	}
	for path, k := range want {
		node := got[path]
		if k.Type != "secret" && !accepts(node, k.Type) {
			t.Errorf("%s: manifest type %v does not admit %s", path, node.Type, k.Type)
		}
		if diff := cmp.Diff(asJSON(k.Default), asJSON(node.Default)); diff != "" {
			t.Errorf("%s: default differs (-config +manifest)\n%s", path, diff)
		}
	}
}

// collect lists the leaves under dotted paths. Only the blocks are opened:
// a secret reference is an object, too, but one value.
func collect(n schemaNode, prefix string, into map[string]schemaNode) {
	for name, child := range n.Properties {
		if slices.Contains(blocks, prefix+name) {
			collect(child, prefix+name+".", into)
			continue
		}
		into[prefix+name] = child
	}
}

func accepts(n schemaNode, kind string) bool {
	text := asJSON(n.Type)
	for _, alternative := range n.AnyOf {
		text += string(alternative)
	}
	return strings.Contains(text, `"`+kind+`"`)
}

func asJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
