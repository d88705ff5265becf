package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// standIn answers embedding requests; each test says how.
type standIn struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
	auth   []string
	paths  []string
}

// serve starts a server. answer gets the inputs and returns status and body.
func serve(t *testing.T, answer func(r *http.Request, inputs []string) (int, string)) *standIn {
	t.Helper()
	s := &standIn{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var body map[string]any
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Errorf("request is no JSON: %v", err)
		}
		var inputs []string
		list, ok := body["input"].([]any)
		if !ok { // TEI's name for it
			list, _ = body["inputs"].([]any)
		}
		for _, in := range list {
			inputs = append(inputs, in.(string))
		}
		s.mu.Lock()
		s.bodies, s.auth, s.paths = append(s.bodies, body), append(s.auth, r.Header.Get("Authorization")), append(s.paths, r.URL.Path)
		s.mu.Unlock()
		status, text := answer(r, inputs)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s
}

// fixed answers every request with the same body.
func fixed(status int, body string) func(*http.Request, []string) (int, string) {
	return func(*http.Request, []string) (int, string) { return status, body }
}

// byLength answers each input with (its length, 1).
func byLength(_ *http.Request, inputs []string) (int, string) {
	var items []string
	for i, in := range inputs {
		items = append(items, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,1]}`, i, len(in)))
	}
	return 200, `{"object":"list","data":[` + strings.Join(items, ",") + `]}`
}

func open(t *testing.T, s *standIn, change func(*Options)) *Remote {
	t.Helper()
	o := Options{APIKeys: []string{"sk-secret"}, BaseURL: s.URL + "/v1/", Model: "tiny", Dimensions: 2}
	if change != nil {
		change(&o)
	}
	e, err := NewRemote(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestQueryAndPassages(t *testing.T) {
	s := serve(t, byLength)
	e := open(t, s, nil)
	v, err := e.EmbedQuery(t.Context(), "abc")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float32{3, 1}, v); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
	got, err := e.EmbedPassages(t.Context(), []string{"a", "bb", "a", "dddd"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float32{{1, 1}, {2, 1}, {1, 1}, {4, 1}}, got); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
	want := []map[string]any{
		{"input": []any{"abc"}, "model": "tiny", "encoding_format": "float"},
		{"input": []any{"a", "bb", "dddd"}, "model": "tiny", "encoding_format": "float"},
	}
	if diff := cmp.Diff(want, s.bodies); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if s.auth[0] != "Bearer sk-secret" || s.paths[0] != "/v1/embeddings" {
		t.Errorf("sent %q to %s", s.auth[0], s.paths[0])
	}
	if e.Dimensions() != 2 || e.Model() != "tiny" {
		t.Errorf("dimensions %d, model %s", e.Dimensions(), e.Model())
	}
}

func TestOrderIsRestoredAcrossBatches(t *testing.T) {
	s := serve(t, func(r *http.Request, inputs []string) (int, string) {
		if len(inputs) > 100 {
			return 400, `{"error":{"message":"too many inputs"}}`
		}
		var items []string
		for i, in := range inputs { // newest first
			items = append([]string{fmt.Sprintf(`{"index":%d,"embedding":[%s,1]}`, i, strings.TrimPrefix(in, "n"))}, items...)
		}
		return 200, `{"data":[` + strings.Join(items, ",") + `]}`
	})
	texts := make([]string, 250)
	for i := range texts {
		texts[i] = fmt.Sprintf("n%d", i)
	}
	got, err := open(t, s, nil).EmbedPassages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v[0] != float32(i) {
			t.Fatalf("text %d has the vector of text %v", i, v[0])
		}
	}
}

// B21: what a broken provider sends is an error that says so, never a vector.
func TestBrokenVectors(t *testing.T) {
	one := func(v string) string { return `{"data":[{"index":0,"embedding":` + v + `}]}` }
	for _, c := range []struct{ name, body, says string }{
		{"zeros", one(`[0,0.0]`), "all 2 values of the vector are zero"},
		{"null inside", one(`[0.1,null]`), "holds null"},
		{"NaN", one(`[0.1,NaN]`), "NaN or Infinity"},
		{"Infinity", one(`[0.1,-Infinity]`), "NaN or Infinity"},
		{"too large for float32", one(`[0.1,1e39]`), "where a number belongs"},
		{"NaN as text", one(`[0.1,"NaN"]`), "something other than numbers"},
		{"empty", one(`[]`), "the vector is empty, 2 values were expected"},
		{"null", one(`null`), "is missing"},
		{"no embedding", `{"data":[{"index":0}]}`, "is missing"},
		{"text that is no base64", one(`"zczMP*"`), "no base64"},
		{"base64 of a wrong width", one(`"zczMPQ=="`), "has 1 values, 2 were expected"},
		{"base64 of half a value", one(`"zczMPQAA"`), "no whole number of values"},
		{"base64 of NaN", one(`"AADAfwAAgD8="`), "no base64 of finite numbers"},
		{"object", one(`{"a":1}`), "is no list"},
		{"nested", one(`[[0.1,0.2]]`), "something other than numbers"},
		{"wrong width", one(`[0.1,0.2,0.3]`), "has 3 values, 2 were expected"},
		{"no data", `{"data":[]}`, "0 vectors came back for 1 texts"},
		{"two for one", `{"data":[{"embedding":[1,2]},{"embedding":[1,2]}]}`, "2 vectors came back for 1 texts"},
		{"index out of range", `{"data":[{"index":9,"embedding":[1,2]}]}`, "index 9"},
		{"empty object", `{}`, "0 vectors"},
		{"cut off", `{"data":[{"embedding":[1,`, "no valid JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := open(t, serve(t, fixed(200, c.body)), nil).EmbedPassage(t.Context(), "x")
			if !errors.Is(err, ErrBadVector) || errors.Is(err, ErrUnavailable) || v != nil {
				t.Fatalf("%v, %v; want ErrBadVector", v, err)
			}
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), `"tiny"`) {
				t.Errorf("error %q does not say %q and the model", err, c.says)
			}
		})
	}
}

func TestErrorsNameCauseAndNextStep(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		kind   error
		says   []string
	}{
		{"wrong key", 401, `{"error":{"message":"Incorrect API key provided: sk-secret."}}`, ErrRejected, []string{"embedding.apiKey", "[key]", "401"}},
		{"unknown model", 404, `{"error":{"message":"model not found"}}`, ErrRejected, []string{`no model "tiny"`, "embedding.model", "model not found"}},
		{"rate limit", 429, `{"error":{"message":"slow down"}}`, ErrUnavailable, []string{"limits the rate", "plan"}},
		{"key quoted back", 401, `{"error":{"message":"Incorrect API key provided: sk-se*****cret. See https://example.test"}}`, ErrRejected, []string{"provided: [key]. See https://example.test"}},
		{"quota used up", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, ErrRejected, []string{"quota", "pay for more", "429"}},
		{"fault", 500, `oops`, ErrUnavailable, []string{"try again later", "oops", "500"}},
		{"gateway", 503, `<html>down</html>`, ErrUnavailable, []string{"503"}},
		{"dimensions refused", 400, `{"error":{"message":"This model does not support dimensions"}}`, ErrRejected, []string{"embedding.omitDimensions"}},
		{"too long", 400, `{"error":{"message":"maximum context length is 512"}}`, ErrRejected, []string{"embedding.maxInputChars"}},
		{"other refusal", 422, `{"detail":"bad"}`, ErrRejected, []string{"422", "bad"}},
		{"page instead of API", 200, `<!doctype html><title>Welcome</title>`, ErrRejected, []string{"embedding.baseURL"}},
		{"error with status 200", 200, `{"error":{"message":"overloaded"}}`, ErrRejected, []string{"overloaded"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := open(t, serve(t, fixed(c.status, c.body)), nil).EmbedQuery(t.Context(), "x")
			if !errors.Is(err, c.kind) {
				t.Fatalf("%v; want %v", err, c.kind)
			}
			for _, says := range append(c.says, "127.0.0.1") {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("error %q does not say %q", err, says)
				}
			}
			if strings.Contains(err.Error(), "sk-secret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q shows the key or has several lines", err)
			}
		})
	}
}

func TestNothingListens(t *testing.T) {
	s := serve(t, byLength)
	e := open(t, s, nil)
	s.Close()
	if _, err := e.EmbedQuery(t.Context(), "x"); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "connection refused") || !strings.Contains(err.Error(), "embedding.baseURL") {
		t.Errorf("error %v", err)
	}
}

func TestTimeLimits(t *testing.T) {
	release := make(chan struct{})
	s := serve(t, func(r *http.Request, in []string) (int, string) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return byLength(r, in)
	})
	defer close(release)
	if _, err := open(t, s, func(o *Options) { o.Timeout = 20 * time.Millisecond }).EmbedQuery(t.Context(), "x"); !errors.Is(err, ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "clientTimeoutMs") {
		t.Errorf("client timeout: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := open(t, s, nil).EmbedQuery(ctx, "x"); !errors.Is(err, ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("caller's deadline: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, s, nil).EmbedQuery(ctx, "x"); !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnavailable) {
		t.Errorf("cancelled: %v", err)
	}
}

// B84, B85.
func TestDimensionsField(t *testing.T) {
	wide := func(n int) string {
		return `{"data":[{"index":0,"embedding":[1` + strings.Repeat(",1", n-1) + `]}]}`
	}
	strict := serve(t, func(r *http.Request, in []string) (int, string) { return 200, wide(1024) })
	refuse := func(o *Options) { o.Dimensions, o.RequestDimensions, o.OmitDimensions = 1024, 1024, true }
	if _, err := open(t, strict, refuse).EmbedQuery(t.Context(), "x"); err != nil {
		t.Errorf("omitDimensions: %v", err)
	}
	if _, sent := strict.bodies[0]["dimensions"]; sent {
		t.Error("omitDimensions sent the field")
	}
	flexible := serve(t, func(*http.Request, []string) (int, string) { return 200, "" })
	flexible.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Dimensions int }
		_ = json.NewDecoder(r.Body).Decode(&body)
		if body.Dimensions == 0 {
			body.Dimensions = 2048
		}
		_, _ = io.WriteString(w, wide(body.Dimensions))
	})
	if v, err := open(t, flexible, func(o *Options) { o.RequestDimensions = 1024 }).EmbedQuery(t.Context(), "x"); err != nil || len(v) != 1024 {
		t.Errorf("requestDimensions: %d values, %v", len(v), err)
	}
	_, err := open(t, flexible, func(o *Options) { o.Dimensions = 1024 }).EmbedQuery(t.Context(), "x")
	for _, says := range []string{"2048", "1024", "embedding.dimensions", "embedding.requestDimensions"} {
		if !errors.Is(err, ErrBadVector) || !strings.Contains(err.Error(), says) {
			t.Errorf("wrong option: %v, want it to say %s", err, says)
		}
	}
	_, err = open(t, flexible, refuse).EmbedQuery(t.Context(), "x")
	if !errors.Is(err, ErrBadVector) || !strings.Contains(err.Error(), "set embedding.omitDimensions to false") {
		t.Errorf("a width that had to be asked for: %v", err)
	}
	refusing := serve(t, fixed(400, `{"error":{"message":"Unrecognized request argument supplied: dimensions"}}`))
	if _, err := open(t, refusing, func(o *Options) { o.RequestDimensions = 1024 }).EmbedQuery(t.Context(), "x"); !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), "set embedding.omitDimensions to true") {
		t.Errorf("a width that is not taken: %v", err)
	}
	ignoring := serve(t, fixed(200, wide(512)))
	if _, err := open(t, ignoring, func(o *Options) { o.RequestDimensions = 1024 }).EmbedQuery(t.Context(), "x"); !errors.Is(err, ErrBadVector) || !strings.Contains(err.Error(), "ignores the width") {
		t.Errorf("ignored width: %v", err)
	}
}

// B87: each family gets its fields and no other.
func TestProviderFields(t *testing.T) {
	for _, c := range []struct {
		model          string
		change         func(*Options)
		query, passage map[string]any
	}{
		{"jina-embeddings-v5-text-small", func(o *Options) { o.TaskQuery, o.TaskPassage = "retrieval.query", "retrieval.passage" },
			map[string]any{"task": "retrieval.query", "encoding_format": "float"}, map[string]any{"task": "retrieval.passage", "encoding_format": "float"}},
		{"voyage-4", func(o *Options) { o.RequestDimensions = 2 },
			map[string]any{"input_type": "query", "output_dimension": 2.0}, map[string]any{"input_type": "document", "output_dimension": 2.0}},
		{"nvidia/nv-embedqa", nil, map[string]any{"input_type": "query", "encoding_format": "float"}, map[string]any{"input_type": "passage", "encoding_format": "float"}},
		{"Qwen3-Embedding-0.6B", func(o *Options) { o.TaskQuery = "Find it" },
			map[string]any{"encoding_format": "float", "input": []any{"Instruct: Find it\nQuery:x"}}, map[string]any{"encoding_format": "float"}},
		{"tiny", func(o *Options) { o.TaskQuery = "ignored here" }, map[string]any{"encoding_format": "float"}, map[string]any{"encoding_format": "float"}},
	} {
		t.Run(c.model, func(t *testing.T) {
			s := serve(t, byLength)
			e := open(t, s, func(o *Options) {
				o.Model = c.model
				if c.change != nil {
					c.change(o)
				}
			})
			if _, err := e.EmbedQuery(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
			if _, err := e.EmbedPassage(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
			for i, want := range []map[string]any{c.query, c.passage} {
				want["model"] = c.model
				if want["input"] == nil {
					want["input"] = []any{"x"}
				}
				if diff := cmp.Diff(want, s.bodies[i]); diff != "" {
					t.Errorf("request %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}

func TestInputs(t *testing.T) {
	s := serve(t, byLength)
	e := open(t, s, func(o *Options) { o.MaxInputChars, o.Whole = 3, true })
	if v, err := e.EmbedPassage(t.Context(), "支付网关"); err != nil || v[0] != 9 {
		t.Errorf("cut input: %v, %v; want three characters of three bytes", v, err)
	}
	for _, text := range []string{"", " \n"} {
		if _, err := e.EmbedQuery(t.Context(), text); !errors.Is(err, ErrInput) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := e.EmbedPassages(t.Context(), []string{"a", ""}); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "2 of 2") {
		t.Errorf("an empty text in a batch: %v", err)
	}
	if got, err := e.EmbedPassages(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no texts: %v, %v", got, err)
	}
}

func TestConfiguration(t *testing.T) {
	for model, want := range map[string]int{"": 1536, "text-embedding-3-large": 3072, "BAAI/bge-m3": 1024, "nomic-embed-text:latest": 768, "sentence-transformers/all-mpnet-base-v2": 768, "voyage-3-lite": 512} {
		e, err := NewRemote(Options{Model: model})
		if err != nil || e.Dimensions() != want {
			t.Errorf("width of %q: %v, want %d", model, err, want)
		}
	}
	if _, err := NewRemote(Options{Model: "mystery"}); err == nil || !strings.Contains(err.Error(), "embedding.dimensions") {
		t.Errorf("unknown model: %v", err)
	}
	a, _ := NewRemote(Options{Model: "jina-embeddings-v5-text-small"})
	b, _ := NewRemote(Options{Model: "jina-embeddings-v5-text-small", TaskQuery: "retrieval.query"})
	c, _ := NewRemote(Options{Model: "jina-embeddings-v5-text-small", APIKeys: []string{"other"}, Timeout: time.Second})
	if a.Fingerprint() == b.Fingerprint() || a.Fingerprint() != c.Fingerprint() {
		t.Errorf("fingerprints %q, %q, %q", a.Fingerprint(), b.Fingerprint(), c.Fingerprint())
	}
}

func mustURL(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}
