package config

import (
	"slices"
	"strings"
)

// Group is a section of the documentation and of the host's settings page.
type Group struct {
	ID, Title, Intro string
	Keys             []Key
}

// Groups lists every setting, in the order of the documentation. All keys that
// share a first segment are in one group: the host's page needs it so.
func Groups() []Group { return groups }

// Keys lists every setting without the groups.
func Keys() []Key { return keys }

var groups = []Group{
	{"embedding", "Embedding", "Who turns text into vectors. Without this block the model inside the program does, and nothing leaves the machine; " +
		"a key in the environment is not used then. With it, the apiKey falls back to OPENAI_API_KEY.", embeddingKeys},
	{"storage", "Storage", "Where memories are kept.", storageKeys},
	{"backup", "Backups", "Copies of all memories in plain files. `memory-pro backup` makes, lists, verifies and restores them.", backupKeys},
	{"capture", "Capture", "What is remembered from conversation.", captureKeys},
	{"recall", "Automatic recall", "What is put before a turn. Needs hooks.allowConversationAccess for this plugin.", recallKeys},
	{"retrieval", "Search", "How memories are found, by the tools, the command line and automatic recall alike.", retrievalKeys},
	{"scopes", "Scopes", "Who reads and writes what. An agent reaches global and its own scope agent:<id> unless agentAccess says otherwise.", scopeKeys},
	{"llm", "Language model", "The model that extracts memories from conversation.", llmKeys},
	{"lifecycle", "Ageing", "How memories fade, and how often used ones are kept.", lifecycleKeys},
	{"admission", "Admission", "Which extracted memories are let in.", admissionKeys},
	{"sessions", "Sessions and reflection", "What happens at /new and /reset.", sessionKeys},
	{"corpus", "Files and dreaming", "MEMORY.md, memory/**, transcripts, and what is made of them at night.", corpusKeys},
}

var (
	keys   = concat(groups)
	byPath = index(keys)
	blocks = prefixes(keys)
)

func concat(groups []Group) []Key {
	var all []Key
	for _, g := range groups {
		all = append(all, g.Keys...)
	}
	return all
}

func index(keys []Key) map[string]Key {
	m := make(map[string]Key, len(keys))
	for _, k := range keys {
		m[k.Path] = k
	}
	return m
}

// prefixes are the objects that hold keys: "embedding", "dreaming.phases", …
func prefixes(keys []Key) []string {
	var all []string
	for _, k := range keys {
		for i, r := range k.Path {
			if prefix := k.Path[:i]; r == '.' && !slices.Contains(all, prefix) {
				all = append(all, prefix)
			}
		}
	}
	return all
}

// parent splits a dotted path before its last segment.
func parent(path string) (block, name string) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:]
}
