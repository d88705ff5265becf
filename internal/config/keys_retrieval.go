package config

import "github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"

var retrievalKeys = []Key{
	text("retrieval.mode", "hybrid", "hybrid", "vector").advanced().
		says("Search", "hybrid looks by meaning and by words; vector by meaning alone.").
		reads(at(func(c *Config) *string { return &c.Retrieval.Mode })),
	number("retrieval.vectorWeight", 0.7, 0, 1).advanced().
		says("Weight of meaning", "").
		reads(at(func(c *Config) *float64 { return &c.Retrieval.VectorWeight })),
	number("retrieval.bm25Weight", 0.3, 0, 1).advanced().
		says("Weight of words", "").
		reads(at(func(c *Config) *float64 { return &c.Retrieval.BM25Weight })),
	number("retrieval.minScore", nil, 0, 1).advanced().
		says("Lowest fused score", "On the TypeScript plugin's scale, 1/(1+distance), and converted. Left out: this product's own.").
		reads(threshold("retrieval.minScore", func(c *Config) **float64 { return &c.Retrieval.MinScore })),
	number("retrieval.hardMinScore", nil, 0, 1).advanced().
		says("Lowest final score", "Likewise.").
		reads(threshold("retrieval.hardMinScore", func(c *Config) **float64 { return &c.Retrieval.HardMinScore })),
	whole("retrieval.candidatePoolSize", 20, 0, 100).advanced().
		says("Candidates looked at", "By each half of the search.").
		reads(at(func(c *Config) *int { return &c.Retrieval.CandidatePoolSize })),

	text("retrieval.rerank", "none", "cross-encoder", "lightweight", "none").offAt("none").says("Rerank", "A second look at the best candidates."),
	secret("retrieval.rerankApiKey").says("Rerank API key", "As embedding.apiKey."),
	text("retrieval.rerankModel", "jina-reranker-v3").advanced().says("Rerank model", ""),
	text("retrieval.rerankEndpoint", nil).advanced().says("Rerank endpoint", "Left out: the provider's."),
	text("retrieval.rerankProvider", "jina", "jina", "siliconflow", "voyage", "pinecone", "dashscope", "tei").advanced().says("Rerank provider", ""),
	whole("retrieval.rerankTimeoutMs", 5000, 500, 600_000).advanced().says("Longest wait for reranking (ms)", ""),
	number("retrieval.recencyHalfLifeDays", 14, 0, 365).advanced().says("A memory is recent for (days)", ""),
	number("retrieval.recencyWeight", 0.1, 0, 0.5).advanced().says("Weight of recency", ""),
	flag("retrieval.filterNoise", true).advanced().says("Leave small talk out of results", "").moot("small talk is refused before it is stored"),
	flag("retrieval.neighborEnrichment.enabled", false).advanced().says("Add related memories to a result", ""),
	whole("retrieval.neighborEnrichment.maxPerResult", 2, 1, 5).advanced().says("Related memories for each", ""),
	flag("retrieval.disableNativeCosine", false).says("Compute similarity outside the database", "").moot("the native library needs no such workaround"),
	number("retrieval.lengthNormAnchor", 500, 0, 5000).advanced().says("Length from which a memory counts less (characters)", ""),
	number("retrieval.timeDecayHalfLifeDays", 60, 0, 365).advanced().says("Score halves after (days)", ""),
	number("retrieval.reinforcementFactor", 0.5, 0, 2).advanced().says("Effect of frequent recall", ""),
	number("retrieval.maxHalfLifeMultiplier", 3, 1, 10).advanced().says("Largest effect of frequent recall", ""),
	flag("retrieval.queryExpansion", true).advanced().says("Search for related words, too", ""),
	list("retrieval.tagPrefixes").advanced().says("Prefixes of tags", "Left out: proj, env, team, scope."),
}

// threshold is a score cut. Those in use were tuned on 1/(1+distance), where
// unrelated text scores 0.5; here unrelated text scores near 0.
func threshold(path string, field func(*Config) **float64) func(*Config, any) {
	return func(c *Config, v any) {
		was := v.(float64)
		now := rank.ConvertDistanceThreshold(was)
		*field(c) = &now
		c.notice("%s: %g was tuned on the TypeScript plugin's scale and acts as %.3g on this one; remove the key to use the default", path, was, now)
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
