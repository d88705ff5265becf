package config

import (
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

var retrievalKeys = []Key{
	text("retrieval.mode", "hybrid", "hybrid", "vector").advanced().
		says("Search", "hybrid looks by meaning and by words; vector by meaning alone.").
		reads(at(func(c *Config) *string { return &c.Retrieval.Mode })),
	number("retrieval.vectorWeight", 0.7, 0, 1).advanced().
		says("Weight of meaning", "Only the ratio to the other weight counts. 0: no influence, unless the words cannot be searched. Both 0: the defaults.").
		reads(at(func(c *Config) *float64 { return &c.Retrieval.VectorWeight })),
	number("retrieval.bm25Weight", 0.3, 0, 1).advanced().
		says("Weight of words", "Likewise; with 0 they find only what has no vector yet.").
		reads(at(func(c *Config) *float64 { return &c.Retrieval.BM25Weight })),
	number("retrieval.minScore", nil, 0, 1).advanced().
		says("Lowest fused score", "Read on the TypeScript plugin's scale, 1/(1+distance), and converted: t acts as 2 − 1/t, and up to 0.5 nothing is cut. Left out: 0.3 on this product's own scale, which is 0.588 here.").
		reads(threshold("retrieval.minScore", 0.3, func(c *Config) **float64 { return &c.Retrieval.MinScore })),
	number("retrieval.hardMinScore", nil, 0, 1).advanced().
		says("Lowest final score", "Likewise. Left out: 0.35 on this product's own scale, which is 0.606 here.").
		reads(threshold("retrieval.hardMinScore", 0.35, func(c *Config) **float64 { return &c.Retrieval.HardMinScore })),
	whole("retrieval.candidatePoolSize", 20, 0, 100).advanced().
		says("Candidates looked at", "By each half of the search, and at least twice the results asked for. 0: the default.").
		reads(at(func(c *Config) *int { return &c.Retrieval.CandidatePoolSize })),

	text("retrieval.rerank", "cross-encoder", "cross-encoder", "lightweight", "none").offAt("none").
		says("Rerank", "A second look at the best candidates: by a provider's model, which needs a key or, for tei, an endpoint and is left out without; lightweight by meaning alone; or none.").
		reads(at(func(c *Config) *string { return &c.Retrieval.Rerank.Mode })),
	secret("retrieval.rerankApiKey").
		says("Rerank API key", "As embedding.apiKey.").
		reads(at(func(c *Config) *[]string { return &c.Retrieval.Rerank.APIKeys })),
	text("retrieval.rerankModel", nil).advanced().
		says("Rerank model", "Left out: the provider's usual one.").
		reads(at(func(c *Config) *string { return &c.Retrieval.Rerank.Model })),
	text("retrieval.rerankEndpoint", nil).advanced().
		says("Rerank endpoint", "Left out: the provider's.").
		reads(at(func(c *Config) *string { return &c.Retrieval.Rerank.Endpoint })),
	text("retrieval.rerankProvider", "jina", "jina", "siliconflow", "voyage", "pinecone", "dashscope", "tei").advanced().
		says("Rerank provider", "").
		reads(at(func(c *Config) *string { return &c.Retrieval.Rerank.Provider })),
	whole("retrieval.rerankTimeoutMs", nil, 500, 600_000).advanced().
		says("Longest wait for reranking (ms)", "Left out: 5000 for a tool, half the time of automatic recall. Recall goes on without it.").
		reads(atOptional(func(c *Config) **int { return &c.Retrieval.Rerank.TimeoutMs })),
	number("retrieval.recencyHalfLifeDays", 14, 0, 365).advanced().
		says("A memory is recent for (days)", "").
		reads(at(func(c *Config) *float64 { return &c.Retrieval.RecencyHalfLifeDays })),
	number("retrieval.recencyWeight", 0.1, 0, 0.5).advanced().
		says("Weight of recency", "").
		reads(at(func(c *Config) *float64 { return &c.Retrieval.RecencyWeight })),
	flag("retrieval.filterNoise", true).advanced().
		says("Leave small talk out of results", "").
		reads(at(func(c *Config) *bool { return &c.Retrieval.FilterNoise })),
	flag("retrieval.neighborEnrichment.enabled", false).advanced().
		says("Add related memories to a result", "").
		reads(at(func(c *Config) *bool { return &c.Retrieval.Neighbours.Enabled })),
	whole("retrieval.neighborEnrichment.maxPerResult", 2, 1, 5).advanced().
		says("Related memories for each", "").
		reads(at(func(c *Config) *int { return &c.Retrieval.Neighbours.MaxPerResult })),
	flag("retrieval.disableNativeCosine", false).advanced().
		says("Compute similarity outside the database", "Slower in large databases; for processors the native library does not suit. Also MEMORY_LANCEDB_DISABLE_NATIVE_COSINE=1.").
		reads(at(func(c *Config) *bool { return &c.Retrieval.DisableNativeCosine })),
	whole("retrieval.lengthNormAnchor", 500, 0, 5000).advanced().
		says("Length from which a memory counts less (characters)", "").
		reads(at(func(c *Config) *int { return &c.Retrieval.LengthNormAnchor })),
	number("retrieval.timeDecayHalfLifeDays", 60, 0, 365).advanced().
		says("Score halves after (days)", "").
		reads(at(func(c *Config) *float64 { return &c.Retrieval.TimeDecayHalfLifeDays })),
	number("retrieval.reinforcementFactor", 0.5, 0, 2).advanced().
		says("Effect of frequent recall", "").
		reads(at(func(c *Config) *float64 { return &c.Retrieval.ReinforcementFactor })),
	number("retrieval.maxHalfLifeMultiplier", 3, 1, 10).advanced().
		says("Largest effect of frequent recall", "").
		reads(at(func(c *Config) *float64 { return &c.Retrieval.MaxHalfLifeMultiplier })),
	flag("retrieval.queryExpansion", true).advanced().
		says("Search for related words, too", "").
		reads(at(func(c *Config) *bool { return &c.Retrieval.QueryExpansion })),
	list("retrieval.tagPrefixes").advanced().
		says("Prefixes of tags", "Left out: proj, env, team, scope.").
		reads(at(func(c *Config) *[]string { return &c.Retrieval.TagPrefixes })),
}

// threshold is a score cut. Those in use were tuned on 1/(1+distance), where
// unrelated text scores 0.5; here unrelated text scores near 0. def is the default, on this product's scale.
func threshold(path string, def float64, field func(*Config) **float64) func(*Config, any) {
	return func(c *Config, v any) {
		was := v.(float64)
		now := rank.ConvertDistanceThreshold(was)
		*field(c) = &now
		acts := fmt.Sprintf("acts as %.3g on this one", now)
		if now == 0 {
			acts = "cuts nothing on this one"
		}
		c.notice("%s: %g is read on the TypeScript plugin's scale and %s; remove the key to use the default, %g (written here: %.3f)", path, was, acts, def, 1/(2-def))
	}
}

var scopeKeys = []Key{
	text("scopes.default", "global").advanced().
		says("Scope of an agent that cannot write to its own", "Has to be global or one of scopes.definitions.").
		reads(at(func(c *Config) *string { return &c.Scopes.Default })),
	object("scopes.definitions").advanced().
		says("Scopes of your own", "{name: {description}}; a name has letters, digits and . _ : - only.").
		reads(byFinishScopes),
	object("scopes.agentAccess").advanced().
		says("What an agent reaches", "{agent id: [scopes]}; replaces what it would reach otherwise.").
		reads(byFinishScopes),
}

var llmKeys = []Key{
	text("llm.auth", "api-key", "api-key", "oauth").says("Sign in with", ""),
	secret("llm.apiKey").says("Model API key", "As embedding.apiKey."),
	text("llm.model", nil).says("Model", "Left out: the host's own."),
	text("llm.baseURL", nil).says("Model endpoint", ""),
	whole("llm.timeoutMs", 30_000, 0, 600_000).advanced().says("Longest wait for the model (ms)", ""),
	text("llm.thinkLevel", nil).advanced().says("Thinking", ""),
	text("llm.oauthProvider", "openai-codex").advanced().says("OAuth provider", ""),
	text("llm.oauthPath", ".memory-lancedb-pro/oauth.json").advanced().says("File of the OAuth tokens", ""),
}
