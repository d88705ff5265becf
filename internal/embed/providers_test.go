package embed

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asked is a request as the provider saw it.
type asked struct {
	URL    string // scheme, host, path and query
	Auth   string // the header that authorises, with its name
	Body   map[string]any
	inputs int
}

// cloud stands for every host: it answers as the provider at that address does,
// and refuses a field that provider does not know.
func cloud(t *testing.T, known ...string) (*http.Client, *[]asked) {
	t.Helper()
	var seen []asked
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := asked{URL: r.Header.Get("X-Asked")}
		for _, name := range []string{"Authorization", "Api-Key", "X-Goog-Api-Key"} {
			if v := r.Header.Get(name); v != "" {
				a.Auth += name + ": " + v
			}
		}
		raw, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(raw, &a.Body)
		for field := range a.Body {
			if !slices.Contains(known, field) {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"error":{"message":"unknown field %s"}}`, field)
			}
		}
		for _, name := range []string{"input", "inputs", "requests"} {
			if list, ok := a.Body[name].([]any); ok {
				a.inputs = len(list)
			}
		}
		seen = append(seen, a)
		one, list := `[1,0]`, ""
		for i := range a.inputs {
			comma := ","
			if i == 0 {
				comma = ""
			}
			switch {
			case strings.HasSuffix(r.URL.Path, ":batchEmbedContents"):
				list += comma + `{"values":` + one + `}`
			case strings.HasSuffix(r.URL.Path, "/embed"):
				list += comma + one
			default:
				list += comma + fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, one)
			}
		}
		switch {
		case strings.HasSuffix(r.URL.Path, ":batchEmbedContents"), strings.HasSuffix(r.URL.Path, "/api/embed"):
			fmt.Fprintf(w, `{"embeddings":[%s]}`, list)
		case strings.HasSuffix(r.URL.Path, "/embed"):
			fmt.Fprintf(w, `[%s]`, list)
		default:
			fmt.Fprintf(w, `{"data":[%s]}`, list)
		}
	}))
	t.Cleanup(s.Close)
	to, _ := url.Parse(s.URL)
	return &http.Client{Transport: elsewhere{to}}, &seen
}

// elsewhere sends every request to one server, which is told where it was for.
type elsewhere struct{ to *url.URL }

func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Asked", r.URL.String())
	r.URL.Scheme, r.URL.Host = e.to.Scheme, e.to.Host
	return http.DefaultTransport.RoundTrip(r)
}

// B87: each provider is asked at its address, with its header and its fields, for
// questions and for statements, and with nothing it does not know.
func TestEachProviderGetsItsFields(t *testing.T) {
	yes := true
	part := func(text string) map[string]any {
		return map[string]any{"parts": []any{map[string]any{"text": text}}}
	}
	for _, c := range []struct {
		name           string
		o              Options
		url, auth      string
		known          []string
		query, passage map[string]any
	}{
		{"OpenAI", Options{Model: "text-embedding-3-small", RequestDimensions: 2},
			"https://api.openai.com/v1/embeddings", "Authorization: Bearer k", []string{"model", "input", "encoding_format", "dimensions"},
			map[string]any{"model": "text-embedding-3-small", "input": []any{"x"}, "encoding_format": "float", "dimensions": 2.0}, nil},
		{"Azure, a deployment", Options{BaseURL: "https://ours.openai.azure.com/", Model: "small", Dimensions: 2, APIVersion: "2024-06-01"},
			"https://ours.openai.azure.com/openai/deployments/small/embeddings?api-version=2024-06-01", "Api-Key: k", []string{"model", "input", "encoding_format"},
			map[string]any{"model": "small", "input": []any{"x"}, "encoding_format": "float"}, nil},
		{"Azure behind a name of one's own, address in full", Options{Azure: true, BaseURL: "https://ai.example/openai/deployments/dep/embeddings?api-version=2023-05-15", Model: "m", Dimensions: 2},
			"https://ai.example/openai/deployments/dep/embeddings?api-version=2023-05-15", "Api-Key: k", []string{"model", "input", "encoding_format"},
			map[string]any{"model": "m", "input": []any{"x"}, "encoding_format": "float"}, nil},
		{"Azure, version left out", Options{BaseURL: "https://ours.openai.azure.com/openai", Model: "small", Dimensions: 2},
			"https://ours.openai.azure.com/openai/deployments/small/embeddings?api-version=2024-10-21", "Api-Key: k", []string{"model", "input", "encoding_format"},
			map[string]any{"model": "small", "input": []any{"x"}, "encoding_format": "float"}, nil},
		{"Azure, v1", Options{BaseURL: "https://ours.openai.azure.com/openai/v1/", Model: "small", Dimensions: 2},
			"https://ours.openai.azure.com/openai/v1/embeddings", "Api-Key: k", []string{"model", "input", "encoding_format"},
			map[string]any{"model": "small", "input": []any{"x"}, "encoding_format": "float"}, nil},
		{"Jina", Options{BaseURL: "https://api.jina.ai/v1", Model: "jina-embeddings-v5-text-small", RequestDimensions: 2, Normalized: &yes, TaskQuery: "retrieval.query", TaskPassage: "retrieval.passage"},
			"https://api.jina.ai/v1/embeddings", "Authorization: Bearer k", []string{"model", "input", "encoding_format", "normalized", "task", "dimensions"},
			map[string]any{"model": "jina-embeddings-v5-text-small", "input": []any{"x"}, "encoding_format": "float", "normalized": true, "task": "retrieval.query", "dimensions": 2.0},
			map[string]any{"model": "jina-embeddings-v5-text-small", "input": []any{"x"}, "encoding_format": "float", "normalized": true, "task": "retrieval.passage", "dimensions": 2.0}},
		{"Voyage", Options{BaseURL: "https://api.voyageai.com/v1/", Model: "voyage-4", RequestDimensions: 2, Normalized: &yes},
			"https://api.voyageai.com/v1/embeddings", "Authorization: Bearer k", []string{"model", "input", "input_type", "output_dimension"},
			map[string]any{"model": "voyage-4", "input": []any{"x"}, "input_type": "query", "output_dimension": 2.0},
			map[string]any{"model": "voyage-4", "input": []any{"x"}, "input_type": "document", "output_dimension": 2.0}},
		{"Gemini", Options{BaseURL: "https://generativelanguage.googleapis.com/v1beta", Model: "gemini-embedding-001", RequestDimensions: 2},
			"https://generativelanguage.googleapis.com/v1beta/models/gemini-embedding-001:batchEmbedContents", "X-Goog-Api-Key: k", []string{"requests"},
			map[string]any{"requests": []any{map[string]any{"model": "models/gemini-embedding-001", "content": part("x"), "taskType": "RETRIEVAL_QUERY", "outputDimensionality": 2.0}}},
			map[string]any{"requests": []any{map[string]any{"model": "models/gemini-embedding-001", "content": part("x"), "taskType": "RETRIEVAL_DOCUMENT", "outputDimensionality": 2.0}}}},
		{"Gemini in OpenAI's protocol", Options{BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai/", Model: "gemini-embedding-001", Dimensions: 2},
			"https://generativelanguage.googleapis.com/v1beta/openai/embeddings", "Authorization: Bearer k", []string{"model", "input", "encoding_format"},
			map[string]any{"model": "gemini-embedding-001", "input": []any{"x"}, "encoding_format": "float"}, nil},
		{"NVIDIA", Options{BaseURL: "https://integrate.api.nvidia.com/v1", Model: "nvidia/nv-embedqa-e5-v5", Dimensions: 2},
			"https://integrate.api.nvidia.com/v1/embeddings", "Authorization: Bearer k", []string{"model", "input", "encoding_format", "input_type"},
			map[string]any{"model": "nvidia/nv-embedqa-e5-v5", "input": []any{"x"}, "encoding_format": "float", "input_type": "query"},
			map[string]any{"model": "nvidia/nv-embedqa-e5-v5", "input": []any{"x"}, "encoding_format": "float", "input_type": "passage"}},
		{"SiliconFlow with Qwen3", Options{BaseURL: "https://api.siliconflow.cn/v1", Model: "Qwen/Qwen3-Embedding-8B", RequestDimensions: 2},
			"https://api.siliconflow.cn/v1/embeddings", "Authorization: Bearer k", []string{"model", "input", "encoding_format", "dimensions"},
			map[string]any{"model": "Qwen/Qwen3-Embedding-8B", "input": []any{"Instruct: Find the notes that answer the question\nQuery:x"}, "encoding_format": "float", "dimensions": 2.0},
			map[string]any{"model": "Qwen/Qwen3-Embedding-8B", "input": []any{"x"}, "encoding_format": "float", "dimensions": 2.0}},
		{"DashScope", Options{BaseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1", Model: "text-embedding-v4", Dimensions: 2},
			"https://dashscope.aliyuncs.com/compatible-mode/v1/embeddings", "Authorization: Bearer k", []string{"model", "input", "encoding_format", "dimensions"},
			map[string]any{"model": "text-embedding-v4", "input": []any{"x"}, "encoding_format": "float"}, nil},
		{"Ollama", Options{BaseURL: "http://localhost:11434", Model: "bge-m3", Dimensions: 2},
			"http://localhost:11434/api/embed", "Authorization: Bearer k", []string{"model", "input", "truncate"},
			map[string]any{"model": "bge-m3", "input": []any{"x"}, "truncate": false}, nil},
		{"LM Studio", Options{BaseURL: "http://localhost:1234/v1", Model: "text-embedding-nomic-embed-text-v1.5", Dimensions: 2, TaskQuery: "search_query:", TaskPassage: "search_document: "},
			"http://localhost:1234/v1/embeddings", "Authorization: Bearer k", []string{"model", "input", "encoding_format"},
			map[string]any{"model": "text-embedding-nomic-embed-text-v1.5", "input": []any{"search_query: x"}, "encoding_format": "float"},
			map[string]any{"model": "text-embedding-nomic-embed-text-v1.5", "input": []any{"search_document: x"}, "encoding_format": "float"}},
		{"llama.cpp", Options{BaseURL: "http://localhost:8080/v1", Model: "any.gguf", Dimensions: 2, TaskQuery: "retrieval.query"},
			"http://localhost:8080/v1/embeddings", "Authorization: Bearer k", []string{"model", "input", "encoding_format"},
			map[string]any{"model": "any.gguf", "input": []any{"x"}, "encoding_format": "float"}, nil},
		{"TEI", Options{BaseURL: "http://tei.lan:3000/embed", Model: "any", Dimensions: 2, TaskQuery: "query"},
			"http://tei.lan:3000/embed", "Authorization: Bearer k", []string{"inputs", "truncate", "prompt_name"},
			map[string]any{"inputs": []any{"x"}, "truncate": false, "prompt_name": "query"},
			map[string]any{"inputs": []any{"x"}, "truncate": false}},
		{"TEI with prefixes", Options{BaseURL: "http://tei.lan:3000/embed", Model: "e5", Dimensions: 2, TaskQuery: "query: ", TaskPassage: "passage: "},
			"http://tei.lan:3000/embed", "Authorization: Bearer k", []string{"inputs", "truncate"},
			map[string]any{"inputs": []any{"query: x"}, "truncate": false}, map[string]any{"inputs": []any{"passage: x"}, "truncate": false}},
		{"TEI in OpenAI's protocol", Options{BaseURL: "http://tei.lan:3000/v1", Model: "any", Dimensions: 2},
			"http://tei.lan:3000/v1/embeddings", "Authorization: Bearer k", []string{"model", "input", "encoding_format"},
			map[string]any{"model": "any", "input": []any{"x"}, "encoding_format": "float"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, seen := cloud(t, c.known...)
			c.o.HTTPClient, c.o.APIKeys = client, []string{"k"}
			e, err := NewRemote(c.o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.EmbedQuery(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
			if _, err := e.EmbedPassages(t.Context(), []string{"x"}); err != nil {
				t.Fatal(err)
			}
			if c.passage == nil {
				c.passage = c.query
			}
			want := []asked{{c.url, c.auth, c.query, 1}, {c.url, c.auth, c.passage, 1}}
			if diff := cmp.Diff(want, *seen, cmp.AllowUnexported(asked{})); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// A provider gets no more texts at once than it takes.
func TestBatchesOfEachProvider(t *testing.T) {
	for _, c := range []struct {
		url, model string
		most       int
	}{
		{"", "text-embedding-3-small", 64}, {"https://dashscope.aliyuncs.com/compatible-mode/v1", "text-embedding-v4", 10},
		{"https://api.siliconflow.com/v1", "BAAI/bge-m3", 32}, {"http://tei.lan/embed", "any", 32}, {"https://integrate.api.nvidia.com/v1", "nvidia/nv-embed-v1", 50},
	} {
		client, seen := cloud(t, "model", "input", "inputs", "encoding_format", "input_type", "truncate")
		e, err := NewRemote(Options{BaseURL: c.url, Model: c.model, Dimensions: 2, HTTPClient: client})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.EmbedPassages(t.Context(), statements(130)); err != nil {
			t.Fatal(err)
		}
		most, all := 0, 0
		for _, a := range *seen {
			most, all = max(most, a.inputs), all+a.inputs
		}
		if most != c.most || all != 130 {
			t.Errorf("%s: %d at once, %d in all; want %d and 130", c.url, most, all, c.most)
		}
	}
}

func statements(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("statement %d", i)
	}
	return texts
}

func TestAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"": DefaultBaseURL, "http://h:8080/v1/": "http://h:8080/v1", "http://h/v1/embeddings": "http://h/v1", "http://h//v1//": "http://h/v1",
		"http://h:11434": "http://h:11434", "http://h:11434/v1/embeddings/": "http://h:11434", "http://h:11434/api/embed": "http://h:11434",
		"https://gate/ollama/v1": "https://gate/ollama", "https://gate/ollama/": "https://gate/ollama", "http://h/embed/": "http://h/embed",
	} {
		if got, err := addressOf(Options{BaseURL: in}); err != nil || got.at("") != want {
			t.Errorf("address %q = %v, %v; want %s", in, got.root, err, want)
		}
	}
	if _, err := addressOf(Options{Azure: true}); err == nil || !strings.Contains(err.Error(), "embedding.baseURL") {
		t.Errorf("Azure without an address: %v", err)
	}
	for _, in := range []string{"h:8080", "ftp://h", "http://", "::", "https://me:secret@h/v1?key=secret"} {
		if _, err := addressOf(Options{BaseURL: in}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("address %q: %v", in, err)
		}
	}
}
