package config

// Providers of embedding.
const (
	ProviderLocal  = "local"
	ProviderOpenAI = "openai-compatible"
	ProviderAzure  = "azure-openai"
)

var embeddingKeys = []Key{
	text("embedding.provider", ProviderOpenAI, ProviderLocal, ProviderOpenAI, ProviderAzure).
		says("Embedding provider", "local is the model inside the program; openai-compatible is any service with the embeddings call of OpenAI. azure-openai is Azure's. Without an embedding block: local.").
		reads(at(func(c *Config) *string { return &c.Embedding.Provider })),
	secret("embedding.apiKey").
		says("Embedding API key", "Text, ${VARIABLE}, {source: env or file, id}, or a list of them, used in turn: a key that is limited or refused is left alone for a while. Left out: OPENAI_API_KEY.").
		reads(at(func(c *Config) *[]string { return &c.Embedding.APIKeys })),
	text("embedding.model", "text-embedding-3-small").
		says("Embedding model", "As the provider calls it.").
		reads(at(func(c *Config) *string { return &c.Embedding.Model })),
	text("embedding.baseURL", nil).
		says("Embedding endpoint", "Left out: https://api.openai.com/v1. A /v1 that is missing is found. Ollama, Azure and text-embeddings-inference (…/embed) are known by the address.").
		reads(at(func(c *Config) *string { return &c.Embedding.BaseURL })),
	whole("embedding.dimensions", nil, 1, 65536).exact().advanced().
		says("Vector width", "Needed for models the plugin does not know.").
		reads(at(func(c *Config) *int { return &c.Embedding.Dimensions })),
	whole("embedding.requestDimensions", nil, 1, 65536).exact().advanced().
		says("Width asked of the provider", "Is the width of the stored vectors, too.").
		reads(at(func(c *Config) *int { return &c.Embedding.RequestDimensions })),
	flag("embedding.omitDimensions", false).advanced().
		says("Never ask for a width", "For providers that refuse the field.").
		reads(at(func(c *Config) *bool { return &c.Embedding.OmitDimensions })),
	text("embedding.taskQuery", nil).advanced().
		says("Task hint for queries", "For example retrieval.query; with a model that wants a prefix, that one, with its colon (search_query:). A changed hint makes other vectors: embed the stored memories again.").
		reads(at(func(c *Config) *string { return &c.Embedding.TaskQuery })),
	text("embedding.taskPassage", nil).advanced().
		says("Task hint for memories", "For example retrieval.passage.").
		reads(at(func(c *Config) *string { return &c.Embedding.TaskPassage })),
	whole("embedding.maxInputChars", nil, 0, 10_000_000).advanced().
		says("Longest text sent", "Longer texts are split, or cut with chunking off. 0 or left out: the model's own limit.").
		reads(at(func(c *Config) *int { return &c.Embedding.MaxInputChars })),
	whole("embedding.clientTimeoutMs", 30_000, 0, 600_000).advanced().
		says("Provider timeout (ms)", "0 leaves only the deadline of the call itself.").
		reads(at(func(c *Config) *int { return &c.Embedding.ClientTimeoutMs })),

	flag("embedding.normalized", nil).advanced().
		says("Ask for vectors of length 1", "Sent to Jina only.").
		reads(atOptional(func(c *Config) **bool { return &c.Embedding.Normalized })),
	text("embedding.apiVersion", nil).advanced().
		says("Azure API version", "Left out: that of the address, or 2024-10-21.").
		reads(at(func(c *Config) *string { return &c.Embedding.APIVersion })),
	flag("embedding.chunking", true).advanced().
		says("Split long texts", "Parts are embedded apart and averaged.").
		reads(at(func(c *Config) *bool { return &c.Embedding.Chunking })),
	flag("embedding.astChunking.enabled", false).advanced().
		says("Split code at its boundaries", "Functions and classes stay whole.").
		reads(at(func(c *Config) *bool { return &c.Embedding.ASTChunking })),
	list("embedding.astChunking.languages", "javascript", "typescript", "python").advanced().
		says("Languages split that way", "Left out: all.").
		reads(at(func(c *Config) *[]string { return &c.Embedding.ASTLanguages })),
	whole("embedding.autoChunk.maxChunkSize", nil, 100, 1_000_000).advanced().
		says("Longest part (characters)", "Of an earlier version.").
		reads(atOptional(func(c *Config) **int { return &c.Embedding.AutoChunk.MaxChunkSize })),
	whole("embedding.autoChunk.overlapSize", nil, 0, 100_000).advanced().
		says("Overlap of parts", "Of an earlier version.").
		reads(atOptional(func(c *Config) **int { return &c.Embedding.AutoChunk.OverlapSize })),
	whole("embedding.autoChunk.minChunkSize", nil, 0, 100_000).advanced().
		says("Shortest part", "Of an earlier version.").
		reads(atOptional(func(c *Config) **int { return &c.Embedding.AutoChunk.MinChunkSize })),
	flag("embedding.autoChunk.semanticSplit", true).advanced().
		says("Split at sentences", "Of an earlier version.").
		reads(at(func(c *Config) *bool { return &c.Embedding.AutoChunk.SemanticSplit })),
	whole("embedding.autoChunk.maxLinesPerChunk", nil, 1, 100_000).advanced().
		says("Most lines in a part", "Of an earlier version.").
		reads(atOptional(func(c *Config) **int { return &c.Embedding.AutoChunk.MaxLines })),
	whole("maxInputChars", nil, 0, 10_000_000).older("embedding.maxInputChars").says("Longest text sent", ""),
	whole("dimensions", nil, 1, 65536).exact().older("embedding.dimensions").says("Vector width", ""),
}
