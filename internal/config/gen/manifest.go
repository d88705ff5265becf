package main

import (
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// manifest renders the manifest anew, around what only the file itself knows.
func manifest(current []byte) (string, error) {
	parsed, err := parse(current)
	if err != nil {
		return "", err
	}
	m, ok := parsed.(object)
	if !ok {
		return "", fmt.Errorf("not an object")
	}
	var tools []any
	for _, t := range protocol.Tools() {
		tools = append(tools, t.Name)
	}
	contracts, _ := m.get("contracts").(object)
	m = m.put("contracts", contracts.put("tools", tools))
	// The folder of the default dbPath, where the state directory is the usual one.
	m = m.put("backupResources", []any{object{
		{"disposition", "include"}, {"scope", "state"},
		{"relativePath", strings.TrimPrefix(config.DefaultDBPath, "~/.openclaw/")},
	}})
	m = m.put("configGroups", groups()).put("uiHints", hints()).put("configSchema", schema())
	var b strings.Builder
	render(&b, m, "", width) // never on one line
	return b.String() + "\n", nil
}

// groups name the top-level properties of each section.
func groups() []any {
	var all []any
	for i, g := range config.Groups() {
		var properties []any
		seen := map[string]bool{}
		for _, k := range g.Keys {
			top, _, _ := strings.Cut(k.Path, ".")
			if !seen[top] {
				properties = append(properties, top)
			}
			seen[top] = true
		}
		all = append(all, object{{"id", g.ID}, {"title", g.Title}, {"order", (i + 1) * 10}, {"properties", properties}})
	}
	return all
}

func hints() object {
	var all object
	for _, k := range config.Keys() {
		hint := object{{"label", k.Label}}
		if help := strings.TrimSpace(status(k) + " " + k.Help); help != "" {
			hint = append(hint, member{"help", help})
		}
		if k.Sensitive() {
			hint = append(hint, member{"sensitive", true})
		}
		if k.Advanced {
			hint = append(hint, member{"advanced", true})
		}
		all = append(all, member{k.Path, hint})
	}
	return all
}

// status says in words what may surprise about a key.
func status(k config.Key) string {
	switch {
	case k.AliasOf != "":
		return "Older name of " + k.AliasOf + "."
	case k.Moot != "":
		return "Has no effect: " + k.Moot + "."
	case !k.Built:
		return "Accepted, not built yet."
	}
	return ""
}

// schema describes the settings to the host. It is permissive on purpose: the
// host refuses to start, with whatever command, on a configuration that does
// not fit, even of a plugin that is switched off. Wrong values and unknown keys
// are for the plugin to report. Blocks therefore name no type; the host's page
// takes what has properties for an object. It has no defaults: the host would fill them
// in, and nobody could tell what was set.
func schema() object {
	root := object{{"type", "object"}, {"additionalProperties", true}, {"properties", object{}}}
	for _, k := range config.Keys() {
		root = insert(root, strings.Split(k.Path, "."), leaf(k))
	}
	return root
}

func insert(block object, path []string, leaf object) object {
	properties := block.get("properties").(object)
	if len(path) == 1 {
		return block.put("properties", properties.put(path[0], leaf))
	}
	child, ok := properties.get(path[0]).(object)
	if !ok {
		child = object{{"additionalProperties", true}, {"properties", object{}}}
	}
	return block.put("properties", properties.put(path[0], insert(child, path[1:], leaf)))
}

// types admit every scalar for a scalar; the first one shapes the input field.
var types = map[string][]any{
	"boolean": strs("boolean", "string", "number", "null"),
	"integer": strs("number", "string", "boolean", "null"),
	"number":  strs("number", "string", "boolean", "null"),
	"string":  strs("string", "number", "boolean", "null"),
	"secret":  strs("string", "object", "array", "null"),
	"list":    strs("array", "string", "null"),
}

func leaf(k config.Key) object {
	if k.Type == "object" {
		return object{{"additionalProperties", true}}
	}
	l := object{{"type", types[k.Type]}}
	if k.Type == "list" {
		l = append(l, member{"items", object{{"type", strs("string", "number", "boolean", "null")}}})
	}
	if text := expects(k); text != "" {
		l = append(l, member{"description", text})
	}
	return l
}

// expects says in words what the schema must not insist on.
func expects(k config.Key) string {
	var parts []string
	switch {
	case len(k.Enum) > 0:
		parts = append(parts, strings.Join(k.Enum, ", "))
	case k.Type == "integer" || k.Type == "number":
		parts = append(parts, bounds(k))
	}
	if k.Default != nil {
		parts = append(parts, fmt.Sprintf("default %v", k.Default))
	}
	return strings.Join(parts, "; ")
}
