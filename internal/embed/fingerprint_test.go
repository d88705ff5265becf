package embed

import "testing"

// A setup of an earlier version keeps its fingerprint to the letter: another one
// would ask for everything to be embedded anew.
func TestFingerprintsThatStay(t *testing.T) {
	for want, o := range map[string]Options{
		`openai model="text-embedding-3-small" dimensions=1536 query="" passage=""`: {},
		`openai model="nomic-embed-text" dimensions=768 query="" passage=""`:        {BaseURL: "http://localhost:11434", Model: "nomic-embed-text", TaskQuery: "retrieval.query"},
		`openai model="bge-m3" dimensions=1024 query="" passage=""`:                 {BaseURL: "http://localhost:11434/v1", Model: "bge-m3"},
		`openai model="BAAI/bge-m3" dimensions=1024 query="" passage=""`:            {BaseURL: "https://api.siliconflow.cn/v1", Model: "BAAI/bge-m3"},
		`openai model="gemini-embedding-001" dimensions=768 query="" passage=""`:    {BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai/", Model: "gemini-embedding-001", RequestDimensions: 768},
		`openai model="small" dimensions=1536 query="" passage=""`:                  {BaseURL: "https://ours.openai.azure.com/openai/v1", Model: "small", Dimensions: 1536, Azure: true},
		`jina model="jina-embeddings-v5-text-small" dimensions=1024 query="retrieval.query" passage="retrieval.passage"`: {
			BaseURL: "https://api.jina.ai/v1", Model: "jina-embeddings-v5-text-small", TaskQuery: "retrieval.query", TaskPassage: "retrieval.passage"},
		`voyage model="voyage-4" dimensions=1024 query="query" passage="document"`:          {BaseURL: "https://api.voyageai.com/v1", Model: "voyage-4"},
		`nvidia model="nvidia/nv-embed-v1" dimensions=4096 query="query" passage="passage"`: {BaseURL: "https://integrate.api.nvidia.com/v1", Model: "nvidia/nv-embed-v1", Dimensions: 4096},
		`qwen model="Qwen/Qwen3-Embedding-8B" dimensions=4096 query="Find the notes that answer the question" passage=""`: {
			BaseURL: "https://api.siliconflow.cn/v1", Model: "Qwen/Qwen3-Embedding-8B", Dimensions: 4096},
		`openai model="text-embedding-v4" dimensions=1024 query="" passage=""`: {BaseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1", Model: "text-embedding-v4", Dimensions: 1024,
			APIKeys: []string{"a", "b"}, MaxInputChars: 500, CacheDir: "/nowhere"},
	} {
		e, err := NewRemote(o)
		if err != nil {
			t.Errorf("%+v: %v", o, err)
		} else if got := e.Fingerprint(); got != want {
			t.Errorf("fingerprint %s, want %s", got, want)
		}
	}
}

// Everything that changes a vector changes the fingerprint.
func TestFingerprintsThatDiffer(t *testing.T) {
	yes, no := true, false
	jina := Options{BaseURL: "https://api.jina.ai/v1", Model: "jina-embeddings-v5-text-small"}
	with := func(change func(*Options)) Options {
		o := jina
		change(&o)
		return o
	}
	seen := map[string]int{}
	for i, o := range []Options{
		jina,
		with(func(o *Options) { o.Model = "jina-embeddings-v3" }),
		with(func(o *Options) { o.RequestDimensions = 512 }),
		with(func(o *Options) { o.TaskQuery = "retrieval.query" }),
		with(func(o *Options) { o.TaskPassage = "retrieval.query" }),
		with(func(o *Options) { o.Normalized = &yes }),
		with(func(o *Options) { o.Normalized = &no }),
		with(func(o *Options) { o.Whole = true }),
		with(func(o *Options) { o.Whole, o.MaxInputChars = true, 500 }),
		with(func(o *Options) { o.Parts.Longest = 500 }),
		with(func(o *Options) { o.Parts.Anywhere = true }),
		with(func(o *Options) { o.Code = true }),
		with(func(o *Options) { o.Code, o.CodeLanguages = true, []string{"python"} }),
		{Model: "nomic-embed-text"},
		{Model: "nomic-embed-text", TaskQuery: "search_query:"},
		{Model: "gemini-embedding-001"},
		{Model: "gemini-embedding-001", BaseURL: "https://generativelanguage.googleapis.com"},
	} {
		e, err := NewRemote(o)
		if err != nil {
			t.Fatal(err)
		}
		if before, twice := seen[e.Fingerprint()]; twice {
			t.Errorf("options %d and %d have the fingerprint %s", before, i, e.Fingerprint())
		}
		seen[e.Fingerprint()] = i
	}
}
