package config

import (
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// Key is one setting as the manifest and the documentation know it.
type Key struct {
	// Path is dotted: "embedding.model".
	Path string
	// Type is string, boolean, integer, number or secret.
	Type string
	// Default is nil when absence has a meaning of its own.
	Default any
	// Min and Max bound numbers; both 0 means unbounded.
	Min, Max float64
	// Enum lists the allowed strings, if there are few.
	Enum []string

	set func(c *Config, v any)
}

// Keys lists every setting in the order of the documentation.
func Keys() []Key { return keys }

var keys = []Key{
	str("embedding.provider", "openai-compatible", func(c *Config) *string { return &c.Embedding.Provider }, "openai-compatible", "azure-openai"),
	{Path: "embedding.apiKey", Type: "secret", set: func(c *Config, v any) { c.Embedding.APIKeys = v.([]string) }},
	str("embedding.model", "text-embedding-3-small", func(c *Config) *string { return &c.Embedding.Model }),
	str("embedding.baseURL", nil, func(c *Config) *string { return &c.Embedding.BaseURL }),
	integer("embedding.dimensions", nil, 0, 65536, func(c *Config) *int { return &c.Embedding.Dimensions }),
	integer("embedding.requestDimensions", nil, 0, 65536, func(c *Config) *int { return &c.Embedding.RequestDimensions }),
	boolean("embedding.omitDimensions", false, func(c *Config) *bool { return &c.Embedding.OmitDimensions }),
	str("embedding.taskQuery", nil, func(c *Config) *string { return &c.Embedding.TaskQuery }),
	str("embedding.taskPassage", nil, func(c *Config) *string { return &c.Embedding.TaskPassage }),
	integer("embedding.maxInputChars", nil, 0, 10_000_000, func(c *Config) *int { return &c.Embedding.MaxInputChars }),
	integer("embedding.clientTimeoutMs", 30_000, 0, 600_000, func(c *Config) *int { return &c.Embedding.ClientTimeoutMs }),

	str("dbPath", nil, func(c *Config) *string { return &c.DBPath }),

	boolean("autoCapture", true, func(c *Config) *bool { return &c.Capture.Enabled }),
	boolean("captureAssistant", false, func(c *Config) *bool { return &c.Capture.Assistant }),

	boolean("autoRecall", false, func(c *Config) *bool { return &c.AutoRecall.Enabled }),
	integer("autoRecallTimeoutMs", 2000, 0, 60_000, func(c *Config) *int { return &c.AutoRecall.TimeoutMs }),
	integer("autoRecallMaxItems", 3, 0, 20, func(c *Config) *int { return &c.AutoRecall.MaxItems }),
	integer("autoRecallMaxChars", 600, 0, 8000, func(c *Config) *int { return &c.AutoRecall.MaxChars }),
	integer("autoRecallPerItemMaxChars", 180, 0, 1000, func(c *Config) *int { return &c.AutoRecall.PerItemMaxChars }),
	{Path: "autoRecallMinLength", Type: "integer", Min: 0, Max: 200,
		set: func(c *Config, v any) { n := v.(int); c.AutoRecall.MinLength = &n }},

	str("retrieval.mode", "hybrid", func(c *Config) *string { return &c.Retrieval.Mode }, "hybrid", "vector"),
	number("retrieval.vectorWeight", 0.7, 0, 1, func(c *Config) *float64 { return &c.Retrieval.VectorWeight }),
	number("retrieval.bm25Weight", 0.3, 0, 1, func(c *Config) *float64 { return &c.Retrieval.BM25Weight }),
	threshold("retrieval.minScore", func(c *Config) **float64 { return &c.Retrieval.MinScore }),
	threshold("retrieval.hardMinScore", func(c *Config) **float64 { return &c.Retrieval.HardMinScore }),
	integer("retrieval.candidatePoolSize", 20, 0, 100, func(c *Config) *int { return &c.Retrieval.CandidatePoolSize }),
}

func str(path string, def any, at func(*Config) *string, enum ...string) Key {
	return Key{Path: path, Type: "string", Default: def, Enum: enum, set: func(c *Config, v any) { *at(c) = v.(string) }}
}

func boolean(path string, def bool, at func(*Config) *bool) Key {
	return Key{Path: path, Type: "boolean", Default: def, set: func(c *Config, v any) { *at(c) = v.(bool) }}
}

func integer(path string, def any, low, high float64, at func(*Config) *int) Key {
	return Key{Path: path, Type: "integer", Default: def, Min: low, Max: high, set: func(c *Config, v any) { *at(c) = v.(int) }}
}

func number(path string, def, low, high float64, at func(*Config) *float64) Key {
	return Key{Path: path, Type: "number", Default: def, Min: low, Max: high, set: func(c *Config, v any) { *at(c) = v.(float64) }}
}

// threshold is a score cut. Those in use were tuned on 1/(1+distance), where
// unrelated text scores 0.5; here unrelated text scores near 0.
func threshold(path string, at func(*Config) **float64) Key {
	return Key{Path: path, Type: "number", Min: 0, Max: 1, set: func(c *Config, v any) {
		was := v.(float64)
		now := rank.ConvertDistanceThreshold(was)
		*at(c) = &now
		c.notice("%s: %g was tuned on the TypeScript plugin's scale and acts as %.3g on this one; remove the key to use the default", path, was, now)
	}}
}

func (c *Config) notice(format string, args ...any) {
	c.Notices = append(c.Notices, fmt.Sprintf(format, args...))
}
