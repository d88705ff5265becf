package rerank

import (
	"context"
	"strings"
	"testing"
	"time"
)

// Whatever a provider says, an error holds neither key nor text: it goes into logs.
func TestErrorsRepeatNeitherKeyNorText(t *testing.T) {
	const key, query, document = "0a1b2c3d4e5f60718293", "what was Mara's blood pressure?", "Mara's blood pressure was 180 to 110 on Monday"
	for name, c := range map[string]struct {
		status int
		answer string
	}{
		"the key":                    {401, `{"error":"no such key ` + key + `"}`},
		"the query":                  {400, `{"detail":"cannot read ` + query + `"}`},
		"the document":               {422, `{"detail":[{"msg":"too long","input":"` + document + `"}]}`},
		"the document, status 200":   {200, `{"error":{"input":"` + document + `","key":"` + key + `"}}`},
		"a list of what it was sent": {200, `{"documents":["` + document + `"]}`},
		"a page":                     {200, `<html>` + document + key},
		"emptiness before":           {500, strings.Repeat(" \x01", 2040) + key},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.status, s.answer = c.status, c.answer
			r, err := New(Options{Provider: "jina", Endpoint: s.URL, Keys: []string{key}})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			_, err = r.Rerank(t.Context(), query, []string{document, "tea"})
			if err == nil {
				t.Fatal("no error")
			}
			if m := err.Error(); strings.Contains(m, key[:8]) || strings.Contains(m, "blood") || strings.Contains(m, "Mara") || len(m) > 700 {
				t.Errorf("%.900s", m)
			}
		})
	}
}

// An answer of any size is over with the caller's time.
func TestFloods(t *testing.T) {
	for name, answer := range map[string]string{
		"objects":  `{"results":[` + strings.Repeat("{},", 1_300_000) + "{}]}",
		"lists":    strings.Repeat("[", 4<<20),
		"too much": strings.Repeat(" ", 64<<20),
		"a fault":  `{"error":"` + strings.Repeat("sk-*", 1_000_000) + `"}`,
		"indexes":  `{"results":[` + strings.Repeat(`{"index":0,"relevance_score":1e308},`, 100_000) + `{"index":1e308,"relevance_score":-1e308}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.answer = answer
			r, err := New(Options{Provider: "tei", Endpoint: s.URL})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			ctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer stop()
			begun := time.Now()
			scores, err := r.Rerank(ctx, "q", []string{"a", "b"})
			if took := time.Since(begun); took > 4*time.Second {
				t.Errorf("took %s", took)
			}
			if err == nil {
				t.Errorf("%v", scores)
			}
		})
	}
}
