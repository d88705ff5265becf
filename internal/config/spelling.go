package config

import (
	"fmt"
	"slices"
	"strings"
)

// misnamed are names people use for something that is called otherwise. The
// values are advice, not mere keys, where one key is not the answer.
var misnamed = map[string]string{
	"recallTopK":              "retrieval.candidatePoolSize for the candidates, autoRecallMaxItems for what is added to a turn",
	"recallThreshold":         "retrieval.minScore and retrieval.hardMinScore",
	"topK":                    "autoRecallMaxItems",
	"retrieval.topK":          "retrieval.candidatePoolSize",
	"retrieval.limit":         "retrieval.candidatePoolSize",
	"retrieval.threshold":     "retrieval.minScore",
	"retrieval.keywordWeight": "retrieval.bm25Weight",
	"retrieval.ftsWeight":     "retrieval.bm25Weight",
	"retrieval.reranker":      "retrieval.rerank",
	"embedding.kind":          "embedding.provider",
	"embedding.type":          "embedding.provider",
	"embedding.url":           "embedding.baseURL",
	"embedding.host":          "embedding.baseURL",
	"embedding.endpoint":      "embedding.baseURL",
	"embedding.baseURI":       "embedding.baseURL",
	"embedding.key":           "embedding.apiKey",
	"embedding.token":         "embedding.apiKey",
	"embedding.dim":           "embedding.dimensions",
	"embedding.dims":          "embedding.dimensions",
	"embedding.vectorDim":     "embedding.dimensions",
	"embedding.timeout":       "embedding.clientTimeoutMs",
	"embedding.timeoutMs":     "embedding.clientTimeoutMs",
	"db":                      "dbPath",
	"path":                    "dbPath",
	"dataDir":                 "dbPath",
	"storagePath":             "dbPath",
	"autoRecallLimit":         "autoRecallMaxItems",
	"autoRecallTimeout":       "autoRecallTimeoutMs",
	"recall":                  "autoRecall",
	"capture":                 "autoCapture",
	"enabled":                 "plugins.entries." + PluginID + ".enabled, beside config",
	"hooks":                   "plugins.entries." + PluginID + ".hooks, beside config",
}

// fold makes names that differ in case and separators equal.
func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
}

// suggest finds the key somebody may have meant; "" when nothing is near.
func suggest(unknown string) string {
	if right, ok := misnamed[unknown]; ok {
		return right
	}
	block, name := parent(unknown)
	names := slices.Clone(blocks)
	for _, k := range keys {
		names = append(names, k.Path)
	}
	for _, candidate := range names {
		if fold(candidate) == fold(unknown) {
			return candidate
		}
	}
	for wrong, right := range misnamed {
		if fold(wrong) == fold(unknown) {
			return right
		}
	}
	// The right name at the wrong place, if there is only one such place.
	var elsewhere []string
	for _, candidate := range names {
		if _, last := parent(candidate); fold(last) == fold(name) && fold(last) != "enabled" {
			elsewhere = append(elsewhere, candidate)
		}
	}
	if len(elsewhere) == 1 {
		return elsewhere[0]
	}
	// A slip of the finger among the siblings.
	best, distance := "", 3
	for _, candidate := range names {
		under, last := parent(candidate)
		if fold(under) != fold(block) {
			continue
		}
		if d := edits(fold(last), fold(name)); d < distance && d*3 < len(last) {
			best, distance = candidate, d
		}
	}
	return best
}

// edits is the Levenshtein distance of two short names.
func edits(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// noteUnknown tells about keys nobody knows: those that look like a slip one by
// one, with the right name, the rest together.
func (p *parser) noteUnknown() {
	slices.Sort(p.unknown)
	var rest []string
	for _, name := range p.unknown {
		right := suggest(name)
		switch {
		case right == "":
			rest = append(rest, shown(name))
		case !p.misspeltAddress(shown(name), right):
			p.c.notice("%s: no such key, it is ignored; did you mean %s?", shown(name), right)
		}
	}
	if len(rest) > 0 {
		p.c.notice("this version does not use these keys and ignores them: %s", strings.Join(rest, ", "))
	}
}

// shown keeps a hostile name from filling the log or painting the terminal.
func shown(name string) string {
	if len(name) > 80 || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Sprintf("%.80q", name)
	}
	return name
}
