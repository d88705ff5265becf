package config

import (
	"encoding/json"
	"strings"
	"testing"
)

// What stands in the configuration and is not used is told, where it looks as if it were.
func TestNoticesAboutServices(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"embedding":{"provider":"local","model":"x","baseURL":"http://h"}}`, "without effect are embedding.model, embedding.baseURL"},
		{`{"embedding":{"provider":"local"}}`, ""},
		{`{"retrieval":{"rerankProvider":"jina"}}`, "retrieval.rerankProvider: reranking with jina needs retrieval.rerankApiKey"},
		{`{"retrieval":{"rerankProvider":"tei"}}`, "needs retrieval.rerankEndpoint"},
		{`{"retrieval":{"rerankApiKey":"k","rerankProvider":"tei"}}`, "needs retrieval.rerankEndpoint"},
		{`{"retrieval":{"rerankEndpoint":"http://h","rerank":"none"}}`, ""},
		{`{"retrieval":{"rerankProvider":"jina","rerankApiKey":"k"}}`, ""},
		{`{"retrieval":{"minScore":0.3}}`, "0.3 is read on the TypeScript plugin's scale and cuts nothing on this one; remove the key to use the default, 0.3 (written here: 0.588)"},
		{`{"retrieval":{"hardMinScore":0.8}}`, "acts as 0.75 on this one; remove the key to use the default, 0.35 (written here: 0.606)"},
	} {
		got, err := Parse(json.RawMessage(c.in), testEnv(nil))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
		}
		if heard := strings.Join(got.Notices, "\n"); !strings.Contains(heard, c.want) || c.want == "" && heard != "" {
			t.Errorf("%s: heard %q, want %q", c.in, heard, c.want)
		}
	}
}
