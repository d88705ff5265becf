package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// An address, or the name of a service, that stands under a wrong name must not send
// memories and a key to the default one.
func TestNothingGoesToAServiceNobodyChose(t *testing.T) {
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf(`"a%d":1`, i))
	}
	for _, raw := range []string{
		`{"embedding":{"apiKey":"k","baseUrl":"http://127.0.0.1:1/v1"}}`,
		`{"embedding":{"apiKey":"k","serverAddress":"http://127.0.0.1:1/v1"}}`,
		`{"embedding":{"apiKey":"k","ollama":" HTTP://127.0.0.1:1/v1"}}`,
		`{"embedding":{"apiKey":"k"},"baseURL":"http://127.0.0.1:1/v1"}`,
		`{` + strings.Join(many, ",") + `,"embedding":{"apiKey":"k","zUrl":"https://embeddings.example/v1"}}`,
	} {
		c := parsed(t, raw, testEnv(nil))
		if c.Embedding != nil || c.Local() || c.EmbeddingFault == "" || len(c.Problems) != 1 || !strings.Contains(c.EmbeddingFault, "embedding.baseURL") {
			t.Errorf("%.100s: embedding %+v, %q", raw, c.Embedding, said(c))
		}
	}
	for _, settings := range []string{
		`"rerankEndpont":"http://127.0.0.1:1"`, `"rerankerEndpoint":"http://127.0.0.1:1"`, `"rerank_endpoint":"127.0.0.1:1"`, `"rerankUrl":"http://127.0.0.1:1"`,
		`"rerankBaseURL":"https://rerank.example"`, `"rerankProvidr":"voyage"`, `"rerank_provider":"tei"`, `"rerankProvider":"voyage","rerankUrl":"https://rerank.example"`,
	} {
		for _, raw := range []string{`{"retrieval":{"rerankApiKey":"k",` + settings + `}}`, `{` + strings.Join(many, ",") + `,"retrieval":{"rerankApiKey":"k",` + settings + `}}`} {
			c := parsed(t, raw, testEnv(nil))
			if c.Retrieval.Rerank.Fault == "" || len(c.Problems) != 1 || !strings.Contains(c.Retrieval.Rerank.Fault, "retrieval.rerank") {
				t.Errorf("%s: %+v, %q", settings, c.Retrieval.Rerank, said(c))
			}
		}
	}
	if c := parsed(t, `{"rerankEndpoint":"http://127.0.0.1:1","retrieval":{"rerankApiKey":"k"}}`, testEnv(nil)); c.Retrieval.Rerank.Fault == "" {
		t.Errorf("one level too high: %q", said(c))
	}
	// Where it is chosen, or nothing is sent, a slip is a remark.
	for _, raw := range []string{
		`{"embedding":{"apiKey":"k","baseURL":"http://127.0.0.1:1","serverAddress":"http://127.0.0.1:2"}}`,
		`{"embedding":{"provider":"local","serverAddress":"http://127.0.0.1:2"}}`,
		`{"retrieval":{"rerankApiKey":"k","rerankEndpoint":"http://127.0.0.1:1","rerankUrl":"http://127.0.0.1:2"}}`,
		`{"retrieval":{"rerank":"none","rerankApiKey":"k","rerankUrl":"http://127.0.0.1:2"}}`,
		`{"retrieval":{"rerankUrl":"http://127.0.0.1:2"}}`, // no key: nobody is asked
	} {
		c, err := Parse(json.RawMessage(raw), testEnv(nil))
		if err != nil || c.EmbeddingFault != "" || c.Retrieval.Rerank.Fault != "" || len(c.Notices) == 0 {
			t.Errorf("%s: %v, %q", raw, err, said(c))
		}
	}
}
