package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/host"
)

const embeddingPath = entryPath + ".config.embedding"

// preset is what to write for a well-known provider of embeddings. Keys stay in
// the environment; the file names the variable.
type preset struct {
	name, url, model, variable string
	// query and passage are task hints.
	query, passage string
	// ask: the address is one's own, so it has to be given.
	ask bool
}

var presets = []preset{
	{name: "openai", model: "text-embedding-3-small", variable: "OPENAI_API_KEY"},
	{name: "azure", model: "text-embedding-3-small", variable: "AZURE_OPENAI_API_KEY", ask: true},
	{name: "jina", url: "https://api.jina.ai/v1", model: "jina-embeddings-v5-text-small", variable: "JINA_API_KEY", query: "retrieval.query", passage: "retrieval.passage"},
	{name: "voyage", url: "https://api.voyageai.com/v1", model: "voyage-4", variable: "VOYAGE_API_KEY"},
	{name: "gemini", url: "https://generativelanguage.googleapis.com/v1beta", model: "gemini-embedding-001", variable: "GEMINI_API_KEY"},
	{name: "nvidia", url: "https://integrate.api.nvidia.com/v1", model: "nvidia/llama-3.2-nv-embedqa-1b-v2", variable: "NVIDIA_API_KEY"},
	{name: "siliconflow", url: "https://api.siliconflow.cn/v1", model: "BAAI/bge-m3", variable: "SILICONFLOW_API_KEY"},
	{name: "dashscope", url: "https://dashscope.aliyuncs.com/compatible-mode/v1", model: "text-embedding-v4", variable: "DASHSCOPE_API_KEY"},
	{name: "ollama", url: "http://localhost:11434", model: "bge-m3"},
	{name: "lmstudio", url: "http://localhost:1234/v1", model: "text-embedding-nomic-embed-text-v1.5", query: "search_query:", passage: "search_document:"},
	{name: "llamacpp", url: "http://localhost:8080/v1", model: "bge-m3"},
	{name: "tei", url: "http://localhost:8080/embed", model: "BAAI/bge-m3"},
}

// localPreset is the name of the preset for the model inside the program.
const localPreset = config.ProviderLocal

func presetNames() []string {
	names := []string{localPreset}
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// planEmbedding lists what it takes to use a provider. Settings that belong to the
// one before are not thrown away unasked.
func planEmbedding(f *host.File, name, url string) ([]change, error) {
	if name == "" {
		return nil, nil
	}
	values := map[string]any{"provider": localPreset}
	if name != localPreset {
		i := slices.IndexFunc(presets, func(p preset) bool { return p.name == name })
		if i < 0 {
			return nil, &engine.BadInputError{Problem: fmt.Sprintf("no provider of embeddings is called %q; there are %s", name, strings.Join(presetNames(), ", "))}
		}
		var err error
		if values, err = presets[i].values(url); err != nil {
			return nil, err
		}
		old, _ := f.Get(strings.Split(embeddingPath, ".")...)
		settings, _ := old.(map[string]any)
		for _, key := range []string{"apiKey", "baseURL", "dimensions", "requestDimensions", "taskQuery", "taskPassage", "apiVersion", "maxInputChars"} {
			if _, set := settings[key]; set && values[key] == nil {
				return nil, &engine.BadInputError{Problem: fmt.Sprintf("%s.%s is set and may not fit %s; remove it first: openclaw config unset %s.%s", embeddingPath, key, name, embeddingPath, key)}
			}
		}
	}
	var plan []change
	for _, key := range []string{"provider", "baseURL", "model", "apiKey", "taskQuery", "taskPassage"} {
		if value := values[key]; value != nil {
			if c, differs := planValue(f, embeddingPath+"."+key, value); differs {
				plan = append(plan, c)
			}
		}
	}
	return plan, nil
}

// idleSettings are those beside the provider, of which the model inside uses none.
func idleSettings(f *host.File) (paths []string) {
	block, _ := f.Get(strings.Split(embeddingPath, ".")...)
	settings, _ := block.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if key != "provider" {
			paths = append(paths, embeddingPath+"."+key)
		}
	}
	return paths
}

// keyVariable is where the key of a preset comes from, "" if it needs none.
func keyVariable(name string) string {
	for _, p := range presets {
		if p.name == name {
			return p.variable
		}
	}
	return ""
}

// values are the settings of a preset.
func (p preset) values(url string) (map[string]any, error) {
	if url == "" {
		url = p.url
	}
	if p.ask && url == "" {
		return nil, &engine.BadInputError{Problem: fmt.Sprintf("%s has an address for each customer; add --embedding-url, like https://NAME.openai.azure.com", p.name)}
	}
	values := map[string]any{"provider": config.ProviderOpenAI, "model": p.model}
	if p.name == "azure" {
		values["provider"] = config.ProviderAzure
	}
	for key, value := range map[string]string{"baseURL": url, "taskQuery": p.query, "taskPassage": p.passage} {
		if value != "" {
			values[key] = value
		}
	}
	if p.variable != "" {
		values["apiKey"] = "${" + p.variable + "}"
	}
	return values, nil
}

// usable refuses a file whose embedding would not work with any key, before it is
// written. The key itself may come later: its variable belongs where the gateway runs.
func usable(f *host.File, text []byte, env config.Env, variable string) error {
	after, err := f.With(text)
	if err != nil {
		return err
	}
	settings, _ := after.Get(strings.Split(entryPath+".config", ".")...)
	raw, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	lookup := env.Lookup
	env.Lookup = func(name string) (string, bool) {
		if value, set := lookup(name); set && value != "" || name != variable {
			return value, set
		}
		return "given later", true
	}
	c, err := config.Parse(raw, env)
	switch {
	case config.Fatal(err):
	case c.EmbeddingFault != "":
		err = errors.New(c.EmbeddingFault)
	default:
		err = engine.CheckEmbedding(c)
	}
	if err != nil {
		return &engine.BadInputError{Problem: fmt.Sprintf("nothing was written, because it could not be used: %v", err)}
	}
	return nil
}
