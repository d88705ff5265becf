package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// byFinishScopes marks keys that finishScopes reads together.
func byFinishScopes(*Config, any) {}

// scopeName is what a scope may be called; package scope checks the same again.
var scopeName = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,100}$`)

// ValidScope reports whether a scope may be called so.
func ValidScope(name string) bool { return scopeName.MatchString(name) }

// finishScopes checks the scopes against each other. What cannot be read never
// opens a scope to anybody.
func (p *parser) finishScopes() {
	s := &p.c.Scopes
	definitions, _ := p.given["scopes.definitions"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		if !scopeName.MatchString(name) {
			p.problems = append(p.problems, &KeyError{"scopes.definitions", "the name " + shown(name), "letters, digits and . _ : -, at most 100"})
		}
	}
	if _, defined := definitions[s.Default]; !defined && s.Default != "global" {
		p.problems = append(p.problems, &KeyError{"scopes.default", shown(s.Default), "global, or a name in scopes.definitions"})
		s.Default = "global"
	}
	if v, set := p.given["scopes.agentAccess"]; set {
		access, ok := v.(map[string]any)
		if !ok {
			s.OwnOnly = true // the problem has been told
		}
		for _, agent := range slices.Sorted(maps.Keys(access)) {
			p.grant(strings.TrimSpace(agent), access[agent], definitions)
		}
	}
	everyone, _ := p.env.Lookup("CLAWTEAM_MEMORY_SCOPE")
	for _, name := range strings.Split(everyone, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "":
		case !scopeName.MatchString(name):
			p.c.notice("CLAWTEAM_MEMORY_SCOPE: %s is no name of a scope and is ignored", shown(name))
		default:
			s.Everyone = append(s.Everyone, name)
		}
	}
}

// grant reads the entry of one agent. Agents have no ids with special powers;
// an entry for "system" is one for an agent of that name.
func (p *parser) grant(agent string, v any, definitions map[string]any) {
	key := "scopes.agentAccess." + shown(agent)
	if p.c.Scopes.Access == nil {
		p.c.Scopes.Access = map[string][]string{}
	}
	k := Key{Path: key, Type: "list", Built: true}
	out, err := p.list(k, v)
	names, _ := out.([]string)
	for _, name := range names {
		if err == nil && !scopeName.MatchString(name) {
			err = &KeyError{key, "the scope " + shown(name), "names with letters, digits and . _ : -"}
		}
		if _, defined := definitions[name]; !defined && name != "global" && !strings.Contains(name, ":") {
			p.c.notice("%s: the scope %s is not in scopes.definitions", key, shown(name))
		}
	}
	if agent == "" && err == nil {
		err = &KeyError{key, "a blank agent id", "the id of an agent"}
	}
	if err != nil {
		p.problems = append(p.problems, err)
		names = []string{"agent:" + agent} // its own scope and no more
	}
	p.c.Scopes.Access[agent] = names
}

// finishCategories drops names of categories nobody has.
func (p *parser) finishCategories() {
	r := &p.c.AutoRecall
	r.Categories = slices.DeleteFunc(r.Categories, func(name string) bool {
		if _, _, err := memory.ParseCategory(name); err != nil {
			p.problems = append(p.problems, fmt.Errorf("autoRecallCategories: %w", err))
			return true
		}
		return false
	})
	if len(r.Categories) == 0 {
		r.Categories = nil
	}
}
