package config

import (
	"fmt"
	"slices"
	"strings"
)

// misnamed are names people use for something that is called otherwise. The
// values are advice, not mere keys, where one key is not the answer.
var misnamed = map[string]string{
	"recallTopK":                           "retrieval.candidatePoolSize for the candidates, autoRecallMaxItems for what is added to a turn",
	"recallThreshold":                      "retrieval.minScore and retrieval.hardMinScore",
	"topK":                                 "autoRecallMaxItems",
	"retrieval.topK":                       "retrieval.candidatePoolSize",
	"retrieval.limit":                      "retrieval.candidatePoolSize",
	"retrieval.threshold":                  "retrieval.minScore",
	"retrieval.keywordWeight":              "retrieval.bm25Weight",
	"retrieval.ftsWeight":                  "retrieval.bm25Weight",
	"retrieval.reranker":                   "retrieval.rerank",
	"embedding.kind":                       "embedding.provider",
	"embedding.type":                       "embedding.provider",
	"embedding.url":                        "embedding.baseURL",
	"embedding.host":                       "embedding.baseURL",
	"embedding.endpoint":                   "embedding.baseURL",
	"embedding.baseURI":                    "embedding.baseURL",
	"embedding.key":                        "embedding.apiKey",
	"embedding.token":                      "embedding.apiKey",
	"embedding.dim":                        "embedding.dimensions",
	"embedding.dims":                       "embedding.dimensions",
	"embedding.vectorDim":                  "embedding.dimensions",
	"embedding.timeout":                    "embedding.clientTimeoutMs",
	"embedding.timeoutMs":                  "embedding.clientTimeoutMs",
	"db":                                   "dbPath",
	"path":                                 "dbPath",
	"dataDir":                              "dbPath",
	"storagePath":                          "dbPath",
	"storageOptions.aws_endpoint":          "storageOptions.endpoint",
	"storageOptions.endpoint_url":          "storageOptions.endpoint",
	"storageOptions.aws_region":            "storageOptions.region",
	"storageOptions.aws_access_key_id":     "storageOptions.accessKeyId",
	"storageOptions.aws_secret_access_key": "storageOptions.secretAccessKey",
	"storageOptions.aws_session_token":     "storageOptions.sessionToken",
	"autoRecallLimit":                      "autoRecallMaxItems",
	"autoRecallTimeout":                    "autoRecallTimeoutMs",
	"recall":                               "autoRecall",
	"capture":                              "autoCapture",
	"enabled":                              "plugins.entries." + PluginID + ".enabled, beside config",
	"hooks":                                "plugins.entries." + PluginID + ".hooks, beside config",
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
	if place := elsewhere(fold(name)); place != "" {
		return place
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

// elsewhere finds the right name at another place, if there is only one such
// place; one that is built counts before those that are not.
func elsewhere(name string) string {
	var built, all []string
	for _, k := range keys {
		if _, last := parent(k.Path); fold(last) == name && last != "enabled" {
			all = append(all, k.Path)
			if k.Built {
				built = append(built, k.Path)
			}
		}
	}
	switch {
	case len(built) == 1:
		return built[0]
	case len(all) == 1:
		return all[0]
	}
	return ""
}

// edits counts what separates two short names: letters added, lost, replaced,
// or swapped with their neighbour.
func edits(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := 1
			if a[i-1] == b[j-1] {
				replace = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// mostUnknown is how many unknown keys are looked at: a file with more of them
// is not a configuration of this plugin.
const mostUnknown = 50

// noteUnknown tells about keys nobody knows: those that look like a slip one by
// one, with the right name, the rest together.
func (p *parser) noteUnknown() {
	slices.Sort(p.unknown)
	var rest []string
	more := 0
	for i, name := range p.unknown {
		if i >= mostUnknown && !choosesService(name) {
			more++
			continue
		}
		right := suggest(name)
		switch {
		case p.misspeltAddress(name, right):
		case i >= mostUnknown:
			more++
		case right == "":
			rest = append(rest, shown(name))
		default:
			p.c.notice("%s: no such key, it is ignored; did you mean %s?", shown(name), right)
		}
	}
	if more > 0 {
		rest = append(rest, fmt.Sprintf("and %d more", more))
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
