package embed

import "strings"

// widths of models whose name alone tells them. all-mpnet-base-v2 gives 768
// values; the plugin this product replaces says 512, which no server returns.
var widths = map[string]int{
	"text-embedding-3-small":        1536,
	"text-embedding-3-large":        3072,
	"text-embedding-ada-002":        1536,
	"text-embedding-004":            768,
	"gemini-embedding-001":          3072,
	"nomic-embed-text":              768,
	"mxbai-embed-large":             1024,
	"bge-m3":                        1024,
	"all-minilm-l6-v2":              384,
	"all-mpnet-base-v2":             768,
	"jina-embeddings-v5-text-small": 1024,
	"jina-embeddings-v5-text-nano":  768,
	"voyage-4":                      1024,
	"voyage-4-lite":                 1024,
	"voyage-4-large":                1024,
	"voyage-3":                      1024,
	"voyage-3-lite":                 512,
	"voyage-3-large":                1024,
}

// baseName drops what servers put around a model's name: "BAAI/bge-m3",
// "nomic-embed-text:latest", "models/text-embedding-004".
func baseName(model string) string {
	name := strings.ToLower(model)
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	name, _, _ = strings.Cut(name, ":")
	return name
}

// widthOf decides the width of the vectors: what is asked of the provider, what
// is configured, what is known of the model. 0 means unknown.
func widthOf(o Options) int {
	switch {
	case o.RequestDimensions > 0:
		return o.RequestDimensions
	case o.Dimensions > 0:
		return o.Dimensions
	}
	return widths[baseName(o.Model)]
}

// KnownDimensions is the vector width of a model in the table, 0 for others.
func KnownDimensions(model string) int { return widths[baseName(model)] }

// knownInputChars is the longest input of models that fail on more: the usual
// build of nomic-embed-text has a context of 2048 tokens but servers give it
// 512, about 1400 characters of dense text.
func knownInputChars(model string) int {
	if baseName(model) == "nomic-embed-text" {
		return 1400
	}
	return 0
}
