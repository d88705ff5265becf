package embed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rooted is a server that speaks at one path. Elsewhere it answers with status and body.
func rooted(t *testing.T, path string, status int, body string) (address string, asked *[]string) {
	t.Helper()
	asked = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.Path)
		if r.URL.Path != path {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return
		}
		if r.Header.Get("Authorization") != "Bearer k" {
			t.Errorf("%s was asked without the key", r.URL.Path)
		}
		var sent map[string]any
		_ = json.NewDecoder(r.Body).Decode(&sent)
		if strings.HasSuffix(path, "/embed") {
			_, _ = io.WriteString(w, "["+strings.Repeat("[1,0],", len(sent["inputs"].([]any))-1)+"[1,0]]")
			return
		}
		var list []string
		for i := range sent["input"].([]any) {
			list = append(list, fmt.Sprintf(`{"index":%d,"embedding":[1,0]}`, i))
		}
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(list, ","))
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func withKey(t *testing.T, address string) *Remote {
	t.Helper()
	e, err := NewRemote(Options{APIKeys: []string{"k"}, BaseURL: address, Model: "any", Dimensions: 2, CacheSize: -1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// An address without /v1 finds what is below it, whatever the server says at the root,
// and asks there alone from then on.
func TestAddressesWithoutAVersion(t *testing.T) {
	for _, c := range []struct {
		name, end, path string
		status          int
		body            string
		first           []string
	}{
		{"not found", "", "/v1/embeddings", 404, `{"error":{"code":404,"message":"File Not Found"}}`, []string{"/embeddings", "/v1/embeddings"}},
		{"a method not allowed", "/", "/v1/embeddings", 405, "", []string{"/embeddings", "/v1/embeddings"}},
		{"LM Studio", "", "/v1/embeddings", 200, `{"error":"Unexpected endpoint or method. (POST /embeddings)"}`, []string{"/embeddings", "/v1/embeddings"}},
		{"a page", "", "/v1/embeddings", 200, "<html>", []string{"/embeddings", "/v1/embeddings"}},
		{"llama.cpp's own call", "", "/v1/embeddings", 200, `[{"index":0,"embedding":[[1,0]]}]`, []string{"/embeddings", "/v1/embeddings"}},
		{"nothing of ours", "", "/v1/embeddings", 200, `{"ok":true}`, []string{"/embeddings", "/v1/embeddings"}},
		{"written in full", "/embeddings", "/v1/embeddings", 404, "", []string{"/embeddings", "/v1/embeddings"}},
		{"behind a gateway", "/llm", "/llm/v1/embeddings", 404, "", []string{"/llm/embeddings", "/llm/v1/embeddings"}},
		{"right as written", "/llm", "/llm/embeddings", 404, "", []string{"/llm/embeddings"}},
		{"TEI", "", "/embed", 404, "", []string{"/embeddings", "/v1/embeddings", "/embed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			address, asked := rooted(t, c.path, c.status, c.body)
			e := withKey(t, address+c.end)
			for range 2 {
				if _, err := e.EmbedPassages(t.Context(), []string{"x", "y"}); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(append(slices.Clone(c.first), c.path), *asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// What is not there anywhere is told with the address in mind; a model that is missing,
// a refused key and an address with a version are no reason to look further.
func TestAddressesThatAreNotLookedFor(t *testing.T) {
	for _, c := range []struct {
		name, end string
		status    int
		body      string
		asked     int
		said      string
	}{
		{"nowhere", "", 404, "", 3, "ends in /v1 with most servers"},
		{"no such model", "", 404, `{"error":{"message":"The model any does not exist"}}`, 1, "no model"},
		{"a refused key", "", 401, "", 1, "refused the key"},
		{"a version", "/v1", 404, "", 1, "no such address"},
		{"another version", "/api/v3", 404, "", 1, "no such address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			address, asked := rooted(t, "/elsewhere", c.status, c.body)
			_, err := withKey(t, address+c.end).EmbedQuery(t.Context(), "x")
			if !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), c.said) || len(*asked) != c.asked {
				t.Errorf("asked %v: %v", *asked, err)
			}
		})
	}
}

// A server that sends elsewhere gets no key there.
func TestNoKeyForAnotherHost(t *testing.T) {
	other, asked := rooted(t, "/v1/embeddings", 404, "")
	s := httptest.NewServer(http.RedirectHandler(other+"/v1/embeddings", http.StatusTemporaryRedirect))
	t.Cleanup(s.Close)
	if _, err := withKey(t, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)).EmbedQuery(t.Context(), "x"); err == nil || len(*asked) > 0 {
		t.Errorf("asked %v there: %v", *asked, err)
	}
}
