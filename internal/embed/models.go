package embed

import "strings"

// widths of models whose name alone tells them. all-mpnet-base-v2 gives 768
// values; the plugin this product replaces says 512, which no server returns.
var widths = map[string]int{
	"text-embedding-3-small":               1536,
	"text-embedding-3-large":               3072,
	"text-embedding-ada-002":               1536,
	"text-embedding-004":                   768,
	"gemini-embedding-001":                 3072,
	"text-embedding-v1":                    1536,
	"text-embedding-v2":                    1536,
	"text-embedding-v3":                    1024,
	"text-embedding-v4":                    1024,
	"nomic-embed-text":                     768,
	"nomic-embed-text-v1.5":                768,
	"text-embedding-nomic-embed-text-v1.5": 768,
	"mxbai-embed-large":                    1024,
	"embeddinggemma":                       768,
	"bge-m3":                               1024,
	"bge-large-en-v1.5":                    1024,
	"bge-large-zh-v1.5":                    1024,
	"multilingual-e5-large":                1024,
	"qwen3-embedding-0.6b":                 1024,
	"qwen3-embedding-4b":                   2560,
	"qwen3-embedding-8b":                   4096,
	"all-minilm-l6-v2":                     384,
	"all-minilm":                           384,
	"all-mpnet-base-v2":                    768,
	"jina-embeddings-v3":                   1024,
	"jina-embeddings-v5-text-small":        1024,
	"jina-embeddings-v5-text-nano":         768,
	"voyage-4":                             1024,
	"voyage-4-lite":                        1024,
	"voyage-4-large":                       1024,
	"voyage-3.5":                           1024,
	"voyage-3.5-lite":                      1024,
	"voyage-3":                             1024,
	"voyage-3-lite":                        512,
	"voyage-3-large":                       1024,
	"nv-embedqa-e5-v5":                     1024,
	"llama-3.2-nv-embedqa-1b-v2":           2048,
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

// knownInputChars is the longest input of models that fail on more, or cut it and
// say nothing; 0 is not known. The usual build of nomic-embed-text has a context
// of 2048 tokens but servers give it 512, about 1400 characters of dense text.
func knownInputChars(model string) int {
	switch baseName(model) {
	case "nomic-embed-text":
		return 1400
	case "gemini-embedding-001", "text-embedding-004":
		return 2 * tokensOf["gemini"]
	}
	return 0
}

// tokensOf is the context of models, by a word of their name, in tokens.
var tokensOf = map[string]int{"minilm": 512, "mpnet": 512, "gemini": 2048, "text-embedding-004": 2048, "-e5-": 512, "mxbai": 512, "-en-v1.5": 512, "-zh-v1.5": 512}

// contextOf is the context of a model in tokens.
func contextOf(model string) int {
	tokens := commonTokens
	for word, n := range tokensOf {
		if strings.Contains(baseName(model), word) {
			tokens = min(tokens, n)
		}
	}
	return tokens
}
