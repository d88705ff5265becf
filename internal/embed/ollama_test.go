package embed

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ollama has the given routes and answers a text with (its length, 1).
func ollama(t *testing.T, paths *[]string, routes ...string) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	note := func(r *http.Request) map[string]any {
		*paths = append(*paths, r.URL.Path)
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		return body
	}
	vector := func(text any) string { return fmt.Sprintf("[%d,1]", len(text.(string))) }
	for _, route := range routes {
		mux.HandleFunc("POST "+route, func(w http.ResponseWriter, r *http.Request) {
			body := note(r)
			if route == "/api/embeddings" {
				fmt.Fprintf(w, `{"embedding":%s}`, vector(body["prompt"]))
				return
			}
			var list []string
			for i, text := range body["input"].([]any) {
				if route == "/v1/embeddings" {
					list = append(list, fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, vector(text)))
				} else {
					list = append(list, vector(text))
				}
			}
			name := map[string]string{"/v1/embeddings": "data", "/api/embed": "embeddings"}[route]
			fmt.Fprintf(w, `{%q:[%s]}`, name, strings.Join(list, ","))
		})
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// B86: every way to write the address works with every route a server has.
func TestOllamaRoutes(t *testing.T) {
	for _, routes := range [][]string{{"/v1/embeddings"}, {"/api/embed"}, {"/api/embeddings"}, {"/v1/embeddings", "/api/embed", "/api/embeddings"}} {
		for _, end := range []string{"", "/", "/v1", "/v1/", "//v1//", "/api/embed", "/api/embeddings"} {
			t.Run(strings.Join(routes, "+")+" "+end, func(t *testing.T) {
				var paths []string
				s := ollama(t, &paths, routes...)
				client := &http.Client{Transport: elsewhere{mustURL(s.URL)}}
				e, err := NewRemote(Options{BaseURL: "http://box:11434" + end, Model: "bge-m3", Dimensions: 2, HTTPClient: client})
				if err != nil {
					t.Fatal(err)
				}
				if v, err := e.EmbedQuery(t.Context(), "abc"); err != nil || v[0] != 3 {
					t.Errorf("single: %v, %v", v, err)
				}
				got, err := e.EmbedPassages(t.Context(), []string{"a", "bb", "ccc", "dddd", "eeeee"})
				if diff := cmp.Diff([][]float32{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}, got); err != nil || diff != "" {
					t.Errorf("five: %v\n%s", err, diff)
				}
				for _, p := range paths {
					if p != routes[0] && len(routes) == 1 || strings.Contains(p, "//") {
						t.Errorf("asked %q", p)
					}
				}
			})
		}
	}
}

// The route that works is remembered; a model that is missing is no missing route.
func TestOllamaRemembersItsRoute(t *testing.T) {
	var paths []string
	tried := 0
	s := ollama(t, &paths, "/v1/embeddings")
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tried++; inner.ServeHTTP(w, r) })
	open := func(o Options) *Remote {
		o.BaseURL, o.Model, o.Dimensions, o.HTTPClient = "http://box:11434", "bge-m3", 2, &http.Client{Transport: elsewhere{mustURL(s.URL)}}
		e, err := NewRemote(o)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := open(Options{})
	for _, text := range []string{"a", "b", "c"} {
		if _, err := e.EmbedQuery(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if tried != 4 {
		t.Errorf("%d requests for three texts, want 4", tried)
	}
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tried++
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"model \"bge-m3\" not found, try pulling it first"}`)
	})
	tried = 0
	if _, err := open(Options{}).EmbedQuery(t.Context(), "a"); !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), "ollama pull bge-m3") || tried != 1 {
		t.Errorf("%v after %d requests", err, tried)
	}
	s.Config.Handler = http.NotFoundHandler()
	if _, err := open(Options{}).EmbedQuery(t.Context(), "a"); !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), "embedding.baseURL") {
		t.Errorf("no route at all: %v", err)
	}
	for _, empty := range []string{`{"embeddings":[]}`, `{"embeddings":null}`, `{}`, `{"embeddings":[[]]}`, `{"embeddings":[null]}`} {
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, empty) })
		if v, err := open(Options{}).EmbedQuery(t.Context(), "a"); !errors.Is(err, ErrBadVector) || v != nil {
			t.Errorf("%s: %v, %v", empty, v, err)
		}
	}
}
