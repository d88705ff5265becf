package rerank

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// stub is a provider on loopback.
type stub struct {
	*httptest.Server
	asked atomic.Int32
	inAll atomic.Int32 // requests at once, the most there were
	now   atomic.Int32

	mu      sync.Mutex
	status  int
	answer  string
	header  http.Header
	hang    bool
	body    map[string]any
	headers http.Header
	path    string
}

func newStub(t *testing.T) *stub {
	s := &stub{status: 200}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	s.inAll.Store(max(s.inAll.Load(), s.now.Add(1)))
	defer s.now.Add(-1)
	data, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.body, s.headers, s.path = map[string]any{}, r.Header, r.URL.Path
	_ = json.Unmarshal(data, &s.body)
	status, answer, hang := s.status, s.answer, s.hang
	for name, values := range s.header {
		w.Header()[name] = values
	}
	s.mu.Unlock()
	if hang {
		<-r.Context().Done()
		return
	}
	w.WriteHeader(status)
	fmt.Fprint(w, answer)
}

func (s *stub) set(change func(s *stub)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func reranker(t *testing.T, o Options) *Reranker {
	t.Helper()
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

var docs = []string{"first", "second", "third", "fourth"}

func TestRequests(t *testing.T) {
	texts := []any{"first", "second", "third", "fourth"}
	for _, c := range []struct {
		provider, path string
		auth           map[string]string
		body           map[string]any
		answer         string
	}{
		{"jina", "/v1/rerank", map[string]string{"Authorization": "Bearer k"},
			map[string]any{"model": "jina-reranker-v3", "query": "q", "documents": texts, "top_n": 4.0}, `{"results":[{"index":1,"relevance_score":0.5}]}`},
		{"siliconflow", "/v1/rerank", map[string]string{"Authorization": "Bearer k"},
			map[string]any{"model": "BAAI/bge-reranker-v2-m3", "query": "q", "documents": texts, "top_n": 4.0}, `{"results":[{"index":1,"relevance_score":0.5}]}`},
		{"voyage", "/v1/rerank", map[string]string{"Authorization": "Bearer k"},
			map[string]any{"model": "rerank-2.5", "query": "q", "documents": texts, "top_k": 4.0}, `{"data":[{"index":1,"relevance_score":0.5}]}`},
		{"pinecone", "/rerank", map[string]string{"Api-Key": "k", "X-Pinecone-API-Version": "2024-10", "Authorization": ""},
			map[string]any{"model": "bge-reranker-v2-m3", "query": "q", "top_n": 4.0, "rank_fields": []any{"text"}, "parameters": map[string]any{"truncate": "END"},
				"documents": []any{map[string]any{"text": "first"}, map[string]any{"text": "second"}, map[string]any{"text": "third"}, map[string]any{"text": "fourth"}}},
			`{"data":[{"index":1,"score":0.5}]}`},
		{"dashscope", "/api/v1/services/rerank/text-rerank/text-rerank", map[string]string{"Authorization": "Bearer k"},
			map[string]any{"model": "gte-rerank-v2", "input": map[string]any{"query": "q", "documents": texts}}, `{"output":{"results":[{"index":1,"relevance_score":0.5}]}}`},
		{"tei", "/rerank", map[string]string{"Authorization": "Bearer k"},
			map[string]any{"query": "q", "texts": texts, "truncate": true}, `[{"index":1,"score":0.5}]`},
	} {
		t.Run(c.provider, func(t *testing.T) {
			s := newStub(t)
			s.answer = c.answer
			base := s.URL
			if c.provider == "dashscope" {
				base += c.path
			}
			r := reranker(t, Options{Provider: c.provider, Endpoint: base, Keys: []string{"k"}})
			got, err := r.Rerank(t.Context(), "q", docs)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]float64{math.NaN(), 0.5, math.NaN(), math.NaN()}, got, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.body, s.body); diff != "" || s.path != c.path {
				t.Errorf("at %s (-want +got):\n%s", s.path, diff)
			}
			for name, want := range c.auth {
				if got := s.headers.Get(name); got != want {
					t.Errorf("%s: %q", name, got)
				}
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct{ provider, endpoint, model, want string }{
		{"jina", "", "", "https://api.jina.ai/v1/rerank"},
		{"siliconflow", "", "", "https://api.siliconflow.com/v1/rerank"},
		{"voyage", "", "", "https://api.voyageai.com/v1/rerank"},
		{"pinecone", "", "", "https://api.pinecone.io/rerank"},
		{"dashscope", "", "", dashScopeNative},
		{"dashscope", "", "qwen3-rerank", dashScopeFlat},
		{"dashscope", "https://dashscope-intl.aliyuncs.com", "", "https://dashscope-intl.aliyuncs.com/api/v1/services/rerank/text-rerank/text-rerank"},
		{"jina", "http://127.0.0.1:8080/v1/", "", "http://127.0.0.1:8080/v1/rerank"},
		{"jina", "https://my.example/models/rerank-2", "", "https://my.example/models/rerank-2"},
		{"tei", " http://127.0.0.1:8080/ ", "", "http://127.0.0.1:8080/rerank"},
		{"tei", "http://127.0.0.1:8080/rerank?x=1", "", "http://127.0.0.1:8080/rerank?x=1"},
		{"tei", "", "", "!set retrieval.rerankEndpoint"},
		{"jina", "my.example", "", "!no http or https address"},
		{"cohere", "", "", "!set retrieval.rerankProvider to one of dashscope, jina"},
	} {
		r, err := New(Options{Provider: c.provider, Endpoint: c.endpoint, Model: c.model, Keys: []string{"k"}})
		if word, wrong := strings.CutPrefix(c.want, "!"); wrong {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%s %q: %v", c.provider, c.endpoint, err)
			}
			continue
		}
		if err != nil || r.address.String() != c.want {
			t.Errorf("%s %q: %v, want %s (%v)", c.provider, c.endpoint, r, c.want, err)
		}
	}
	if _, err := New(Options{Provider: "jina", Keys: []string{" "}}); err == nil || !strings.Contains(err.Error(), "retrieval.rerankApiKey") {
		t.Errorf("without a key: %v", err)
	}
}

// B26, B28: whatever order, names and numbers an answer has.
func TestAnswers(t *testing.T) {
	nan := math.NaN()
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, c := range []struct {
		name, answer string
		want         []float64
		err          string
	}{
		{"logits", `{"results":[{"index":0,"relevance_score":-3.2},{"index":1,"relevance_score":5.1},{"index":2,"relevance_score":-8.0}]}`, []float64{sigmoid(-3.2), sigmoid(5.1), sigmoid(-8), nan}, ""},
		{"huge logits", `[{"index":0,"score":-1e300},{"index":1,"score":1e300}]`, []float64{0, 1, nan, nan}, ""},
		{"probabilities stay", `[{"index":3,"score":1},{"index":1,"score":0},{"index":0,"score":0.2}]`, []float64{0.2, 0, nan, 1}, ""},
		{"rounding is no logit", `[{"index":3,"score":1.00001},{"index":1,"score":-0.00001}]`, []float64{nan, 0, nan, 1}, ""},
		{"foreign ones", `{"results":[{"index":9,"relevance_score":7},{"index":1,"relevance_score":0.4},{"index":-1,"relevance_score":0.4},{"index":0.5,"relevance_score":0.4}]}`, []float64{nan, 0.4, nan, nan}, ""},
		{"twice", `{"results":[{"index":1,"relevance_score":0.9},{"index":1,"relevance_score":0.1}]}`, []float64{nan, 0.9, nan, nan}, ""},
		{"text", `{"results":[{"index":"2","score":"0.7"},{"index":" 1 ","score":0.1}]}`, []float64{nan, 0.1, 0.7, nan}, ""},
		{"under data", `{"data":[{"index":2,"score":0.7}]}`, []float64{nan, nan, 0.7, nan}, ""},
		{"under output", `{"output":{"results":[{"index":2,"relevance_score":0.7}]}}`, []float64{nan, nan, 0.7, nan}, ""},
		{"a bare list", `[{"index":2,"score":0.7,"text":"third"}]`, []float64{nan, nan, 0.7, nan}, ""},
		{"both scores", `{"results":[{"index":2,"relevance_score":0.7,"score":12}]}`, []float64{nan, nan, 0.7, nan}, ""},
		{"null scores", `{"results":[{"index":2,"relevance_score":null,"score":0.3},{"index":0,"relevance_score":null}]}`, []float64{nan, nan, 0.3, nan}, ""},
		{"odd items", `{"results":[null,3,"x",[],{"index":2,"score":0.3}]}`, []float64{nan, nan, 0.3, nan}, ""},
		{"results is no list", `{"results":{"a":1},"data":[{"index":2,"score":0.3}]}`, []float64{nan, nan, 0.3, nan}, ""},

		{"the same one each time", `[{"index":0,"score":0.9},{"index":0,"score":0.8},{"index":0,"score":0.7},{"index":0,"score":0.6}]`, nil, "with 4 scores for only 1 of 4 documents"},
		{"half of them, twice", `[{"index":0,"score":0.9},{"index":0,"score":0.8},{"index":2,"score":0.7},{"index":2,"score":0.6}]`, []float64{0.9, nan, 0.7, nan}, ""},
		{"empty list", `{"results":[]}`, nil, "with no score for any of 4 documents: unusable answer; check"},
		{"empty", ``, nil, "no JSON object"},
		{"no JSON", `<html>busy</html>`, nil, "no JSON object"},
		{"cut off", `{"results":[{"index":1`, nil, "no JSON object"},
		{"an error in a success", `{"error":{"message":"wrong key secret-key-1"}}`, nil, `it said: {"message":"wrong key [key]"}`},
		{"another server", `{"choices":[]}`, nil, "without a list of results: unusable answer; check that what answers at retrieval.rerankEndpoint"},
		{"not finite", `{"results":[{"index":1,"relevance_score":"NaN"},{"index":2,"relevance_score":1e999}]}`, nil, "with no score"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStub(t)
			s.answer = c.answer
			got, err := reranker(t, Options{Provider: "jina", Endpoint: s.URL, Keys: []string{"secret-key-1"}}).Rerank(t.Context(), "q", docs)
			if diff := cmp.Diff(c.want, got, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (err == nil) != (c.err == "") || err != nil && !(strings.Contains(err.Error(), c.err) && strings.HasPrefix(err.Error(), "reranking with jina (jina-reranker-v3 at 127.0.0.1:")) {
				t.Errorf("got %v, want %q", err, c.err)
			}
		})
	}
}

// B27: an error names the provider, the status and the next step, the provider is
// left alone after it, and what is said stays the same.
func TestFailures(t *testing.T) {
	for status, want := range map[int]string{
		503: "status 503 Service Unavailable (it said: secret [key]); the provider has a fault of its own; it is asked again later",
		401: "status 401 Unauthorized (it said: secret [key]); the provider refused the key; check retrieval.rerankApiKey and that it belongs to this endpoint",
		404: "no such address or model; check retrieval.rerankEndpoint and retrieval.rerankModel",
		429: "the provider limits the rate", 402: "quota", 400: "retrieval.rerankModel", 302: "correct retrieval.rerankEndpoint",
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			s := newStub(t)
			s.status, s.answer = status, `{"error":"secret secret-key-1"}`
			r := reranker(t, Options{Provider: "voyage", Endpoint: s.URL, Keys: []string{"secret-key-1"}})
			_, err := r.Rerank(t.Context(), "q", docs)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "key-1") {
				t.Fatalf("got %v, want %q", err, want)
			}
			asked := s.asked.Load()
			for range 5 {
				if _, again := r.Rerank(t.Context(), "q", docs); again == nil || again.Error() != err.Error() {
					t.Errorf("then: %v", again)
				}
			}
			if now := s.asked.Load(); now != asked {
				t.Errorf("asked %d times more", now-asked)
			}
			if r.Err() == nil {
				t.Error("Err says it is well")
			}
		})
	}
}

func TestHanging(t *testing.T) {
	s := newStub(t)
	s.hang = true
	r := reranker(t, Options{Provider: "jina", Endpoint: s.URL, Keys: []string{"k"}})
	var work sync.WaitGroup
	for range 10 {
		work.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			_, err := r.Rerank(ctx, "q", docs)
			if err == nil || !strings.Contains(err.Error(), "no answer within the time limit") || ctx.Err() != nil {
				t.Errorf("got %v, after the caller's deadline: %t", err, ctx.Err() != nil)
			}
		})
	}
	work.Wait()
	if most := s.inAll.Load(); most > atOnce {
		t.Errorf("%d requests at once", most)
	}
	asked := s.asked.Load()
	// Without a deadline a request would never end.
	if _, err := r.Rerank(t.Context(), "q", docs); err == nil || s.asked.Load() != asked {
		t.Errorf("a dead provider was asked again: %v", err)
	}
}

func TestGivenUp(t *testing.T) {
	s := newStub(t)
	s.hang = true
	r := reranker(t, Options{Provider: "jina", Endpoint: s.URL, Keys: []string{"k"}})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := r.Rerank(ctx, "q", docs); err == nil || r.Err() != nil {
		t.Errorf("got %v; left alone because of %v", err, r.Err())
	}
}

func TestItComesBack(t *testing.T) {
	s := newStub(t)
	s.status = 500
	r := reranker(t, Options{Provider: "jina", Endpoint: s.URL, Keys: []string{"k"}, Rest: time.Millisecond})
	if _, err := r.Rerank(t.Context(), "q", docs); err == nil {
		t.Fatal("no error")
	}
	s.set(func(s *stub) {
		s.status, s.answer = 200, `{"results":[{"index":0,"relevance_score":0.5},{"index":1,"relevance_score":0.2}]}`
	})
	for deadline := time.Now().Add(5 * time.Second); ; {
		scores, err := r.Rerank(t.Context(), "q", docs)
		if err == nil {
			if scores[0] != 0.5 {
				t.Errorf("got %v", scores)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("it stays alone: %v", err)
		}
	}
}

// B81 for rerankers.
func TestKeysInTurn(t *testing.T) {
	limited := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("Authorization") {
		case "Bearer k1":
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(429)
		case "Bearer k2":
			w.WriteHeader(503)
		case "Bearer k3":
			fmt.Fprint(w, `[{"index":0,"score":0.5}]`)
		}
	}))
	t.Cleanup(limited.Close)
	r := reranker(t, Options{Provider: "tei", Endpoint: limited.URL, Keys: []string{"k1", " ", "k2", "k3"}})
	if scores, err := r.Rerank(t.Context(), "q", docs); err != nil || scores[0] != 0.5 {
		t.Errorf("got %v, %v", scores, err)
	}
	r = reranker(t, Options{Provider: "tei", Endpoint: limited.URL, Keys: []string{"k1", "k2"}})
	if _, err := r.Rerank(t.Context(), "q", docs); err == nil || !strings.Contains(err.Error(), "all 2 keys exhausted") {
		t.Errorf("got %v", err)
	}
}

func TestTextsAreBounded(t *testing.T) {
	s := newStub(t)
	s.answer = `[{"index":1,"score":0.5},{"index":0,"score":0.4}]`
	r := reranker(t, Options{Provider: "tei", Endpoint: s.URL})
	many := make([]string, 300)
	for i := range many {
		many[i] = strings.Repeat("支", 5000)
	}
	many[0] = " \n"
	scores, err := r.Rerank(t.Context(), strings.Repeat("q", 5000), many)
	if err != nil {
		t.Fatal(err)
	}
	sent := s.body["texts"].([]any)
	if len(sent) != MaxDocuments || len([]rune(sent[0].(string))) != maxDocument || len(s.body["query"].(string)) != maxQuery {
		t.Errorf("%d documents, %d and %d characters", len(sent), len([]rune(sent[0].(string))), len(s.body["query"].(string)))
	}
	if !math.IsNaN(scores[0]) || scores[1] != 0.4 || scores[2] != 0.5 || len(scores) != len(many) {
		t.Errorf("got %v", scores[:4])
	}
	if s.headers.Get("Authorization") != "" {
		t.Error("a key nobody gave was sent")
	}
}

func FuzzAnswers(f *testing.F) {
	for _, s := range []string{`{"results":[{"index":1,"relevance_score":0.5}]}`, `[{"index":"0","score":-3}]`, `{"output":null,"data":[{}]}`, `{"output":3}`, "null", "[[", `{"results":[{"index":1e9,"score":1}]}`} {
		f.Add([]byte(s), 4)
	}
	f.Fuzz(func(t *testing.T, body []byte, n int) {
		n = min(max(n, 0), 1000)
		scores, err := read(body, n, []string{"score", "relevance_score"})
		if (err == nil) != (len(scores) > 0) {
			t.Fatalf("%v, %v", scores, err)
		}
		for at, s := range scores {
			if at < 0 || at >= n || !(s >= 0 && s <= 1) {
				t.Fatalf("index %d of %d: %g", at, n, s)
			}
		}
	})
}
