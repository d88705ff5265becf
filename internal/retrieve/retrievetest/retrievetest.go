// Package retrievetest offers an in-memory store and embedders for tests: exact
// cosine, a plain BM25, the same filters as the real store, and switches that
// make either half fail or wait.
//
// Caveats: words are cut at spaces and punctuation and lower-cased; Han, Kana
// and Hangul become pairs of neighbours, which finds what a segmenter finds but
// with other scores; Chinese is simplified. There is no stemming.
package retrievetest

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/hanzi"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// Searcher is a store in memory. Fields may be set before its first use.
type Searcher struct {
	// Memories are the rows.
	Memories []memory.Memory
	// OnNearest and OnMatching, when set, run first; an error of theirs is
	// the answer. They may wait for ctx.
	OnNearest, OnMatching func(ctx context.Context) error

	mu    sync.Mutex
	calls []Call
}

// Call is one search the Searcher was asked for.
type Call struct {
	Half   string // "vector" or "keyword"
	Text   string // of the keyword half
	Limit  int
	Narrow memory.Narrow
}

// Calls lists the searches so far, in no particular order between the halves.
func (s *Searcher) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *Searcher) note(c Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
}

// Nearest scores rows with a vector by their cosine.
func (s *Searcher) Nearest(ctx context.Context, who scope.Filter, narrow memory.Narrow, vector []float32, limit int) ([]memory.Hit, error) {
	s.note(Call{Half: "vector", Limit: limit, Narrow: narrow})
	if err := before(ctx, s.OnNearest); err != nil {
		return nil, err
	}
	var hits []memory.Hit
	for _, m := range s.visible(who, narrow) {
		if c, ok := rank.Cosine(vector, m.Vector); ok {
			hits = append(hits, memory.Hit{Memory: m, Score: c})
		}
	}
	return best(hits, limit), nil
}

// Matching scores rows that hold any word of text by BM25 (k1 1.2, b 0.75, the
// statistics over all rows).
func (s *Searcher) Matching(ctx context.Context, who scope.Filter, narrow memory.Narrow, text string, limit int) ([]memory.Hit, error) {
	s.note(Call{Half: "keyword", Text: text, Limit: limit, Narrow: narrow})
	if err := before(ctx, s.OnMatching); err != nil {
		return nil, err
	}
	seen, total := map[string]int{}, 0
	for _, m := range s.Memories {
		words := Words(m.Text)
		total += len(words)
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			seen[w]++
		}
	}
	n := float64(len(s.Memories))
	average := float64(total) / max(n, 1)
	query := Words(text)
	slices.Sort(query)
	var hits []memory.Hit
	for _, m := range s.visible(who, narrow) {
		words := Words(m.Text)
		score := 0.0
		for _, q := range slices.Compact(slices.Clone(query)) {
			tf := 0.0
			for _, w := range words {
				if w == q {
					tf++
				}
			}
			idf := math.Log(1 + (n-float64(seen[q])+0.5)/(float64(seen[q])+0.5))
			score += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*float64(len(words))/average))
		}
		if score > 0 {
			hits = append(hits, memory.Hit{Memory: m, Score: score})
		}
	}
	return best(hits, limit), nil
}

// GetWhole reads rows by id, with their vectors.
func (s *Searcher) GetWhole(_ context.Context, who scope.Filter, ids ...string) (map[string]memory.Memory, error) {
	found := map[string]memory.Memory{}
	for _, m := range s.visible(who, memory.Narrow{}) {
		if slices.Contains(ids, m.ID) {
			found[m.ID] = m
		}
	}
	return found, nil
}

func before(ctx context.Context, hook func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if hook != nil {
		return hook(ctx)
	}
	return nil
}

func (s *Searcher) visible(who scope.Filter, narrow memory.Narrow) []memory.Memory {
	var out []memory.Memory
	for _, m := range s.Memories {
		if who.Allows(m.Scope) && narrow.Keeps(m) {
			out = append(out, m)
		}
	}
	return out
}

func best(hits []memory.Hit, limit int) []memory.Hit {
	slices.SortFunc(hits, func(a, b memory.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Memory.ID, b.Memory.ID))
	})
	return hits[:min(limit, len(hits))]
}

// Words are the index terms of text.
func Words(text string) []string {
	var out []string
	for _, field := range strings.FieldsFunc(hanzi.Simplify(rank.Fold(text)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		var plain, dense []rune
		flush := func() {
			if len(plain) > 0 {
				out = append(out, string(plain))
			}
			if len(dense) == 1 {
				out = append(out, string(dense))
			}
			for i := 1; i < len(dense); i++ {
				out = append(out, string(dense[i-1:i+1]))
			}
			plain, dense = nil, nil
		}
		for _, r := range field {
			if isDense := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul); isDense {
				if len(plain) > 0 {
					flush()
				}
				dense = append(dense, r)
			} else {
				if len(dense) > 0 {
					flush()
				}
				plain = append(plain, r)
			}
		}
		flush()
	}
	return out
}

// Embedder answers with the vector of a text in Vectors, else with Otherwise, else
// with an error.
type Embedder struct {
	Vectors   map[string][]float32
	Otherwise []float32
	// On, when set, runs first; an error of its is the answer.
	On func(ctx context.Context) error
}

// EmbedQuery looks the text up.
func (e *Embedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if err := before(ctx, e.On); err != nil {
		return nil, err
	}
	if v, ok := e.Vectors[text]; ok {
		return v, nil
	}
	if e.Otherwise != nil {
		return e.Otherwise, nil
	}
	return nil, fmt.Errorf("no vector for %q", text)
}

// HashVector is a crude embedding: each word adds one to a coordinate, so texts
// with common words are near. Width must be positive.
func HashVector(text string, width int) []float32 {
	v := make([]float32, width)
	for _, w := range Words(text) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(w))
		v[int(h.Sum32())%width]++
	}
	return v
}

// AtCosine is a vector of the plane whose cosine to (1, 0) is c.
func AtCosine(c float64) []float32 {
	return []float32{float32(c), float32(math.Sqrt(max(0, 1-c*c)))}
}
