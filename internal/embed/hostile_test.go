package embed

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Whatever a server says, an error holds neither key nor text: it goes into logs.
func TestErrorsRepeatNeitherKeyNorText(t *testing.T) {
	const key, text = "0a1b2c3d4e5f60718293", "Mara's blood pressure was 180 to 110 on Monday"
	for name, c := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"an error with status 200":      {200, `{"error":{"message":"bad key ` + key + ` for ` + text + `"}}`, "answered with an error"},
		"words with status 200":         {200, `Bad key ` + key, "no JSON"},
		"a page with status 200":        {200, `<html>` + text + key, "no JSON"},
		"the key":                       {401, `{"error":{"message":"no such key ` + key + `"}}`, "refused the key"},
		"the text":                      {400, `{"error":{"message":"cannot embed: ` + text + `"}}`, "cannot embed: [text]"},
		"part of the text":              {400, `{"error":"invalid input '` + text[:30] + `…'"}`, "invalid input"},
		"a list of faults":              {422, `{"detail":[{"type":"string_type","loc":["body","input"],"msg":"Input should be short","input":"` + text + `"}]}`, "Input should be short"},
		"the input, escaped":            {422, `{"detail":{"input":["` + strings.ReplaceAll(text, "'", `\u0027`) + `"]}}`, "[text]"},
		"a number that is too large":    {200, `{"data":[{"index":1` + strings.Repeat("0", 100000) + `,"embedding":[1,2]}]}`, "number 1000"},
		"key behind a lot of emptiness": {500, strings.Repeat(" \x01", 2040) + key, "fault of its own"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, fixed(c.status, c.body))
			e, err := NewRemote(Options{BaseURL: s.URL, Model: "m", Dimensions: 2, APIKeys: []string{key}})
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.EmbedPassages(t.Context(), []string{text})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			if m := err.Error(); strings.Contains(m, key[:8]) || strings.Contains(m, "blood") || len(m) > 700 {
				t.Errorf("%d bytes: %.900s", len(m), m)
			}
		})
	}
}

// A server that floods, trickles or inflates costs no more than the time limit and a
// few megabytes.
func TestFloods(t *testing.T) {
	for name, serve := range map[string]func(http.ResponseWriter, *http.Request){
		"empty objects": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"data":[`+strings.Repeat("{},", 400_000)+"{}]}")
		},
		"lists":   func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("[", 1_000_000)) },
		"no end":  func(w http.ResponseWriter, r *http.Request) { pour(w, r, `{"data":[{"embedding":[`, "0,") },
		"failure": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500); pour(w, r, "", "sk-*") },
		"inflated": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			pour(z, r, "", strings.Repeat(" ", 1<<20))
		},
		"trickle": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(serve))
			defer s.Close()
			for _, path := range []string{"/v1", "/embed", "/ollama/api"} {
				e, err := NewRemote(Options{BaseURL: s.URL + path, Model: "m", Dimensions: 2})
				if err != nil {
					t.Fatal(err)
				}
				ctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				begun := time.Now()
				_, err = e.EmbedQuery(ctx, "what is it?")
				took := time.Since(begun)
				stop()
				runtime.ReadMemStats(&after)
				if err == nil || !(errors.Is(err, ErrBadVector) || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrRejected)) || len(err.Error()) > 700 {
					t.Errorf("%s: %.300v", path, err)
				}
				if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 64 || took > 1500*time.Millisecond {
					t.Errorf("%s: took %s and %d MB", path, took, used)
				}
			}
		})
	}
}

// pour writes until the client is gone.
func pour(w io.Writer, r *http.Request, first, again string) {
	_, err := io.WriteString(w, first+strings.Repeat(again, max(1, 1<<16/len(again))))
	for err == nil && r.Context().Err() == nil {
		_, err = io.WriteString(w, strings.Repeat(again, max(1, 1<<16/len(again))))
	}
}
