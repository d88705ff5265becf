package retrieve_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve/retrievetest"
)

// A weight of 0 is no influence, unless there is nothing else.
func TestAWeightOfZero(t *testing.T) {
	rows := []memory.Memory{
		fact("meant", "the oven runs hot", retrievetest.AtCosine(0.9)), fact("worded", "a volcano on Jupiter erupts", retrievetest.AtCosine(0.4)),
		fact("pending", "the volcano on Jupiter is what the school play is about", nil),
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		name          string
		vector, words float64
		query         string
		broken        error
		embedder      bool
		want          []string
	}{
		{"meaning has none", 0, 1, "harpsichord tuning", nil, true, []string{}},
		{"meaning has none, words hit", 0, 1, "volcano on Jupiter", nil, true, []string{"worded", "pending"}},
		{"meaning is all there is", 0, 1, "volcano on Jupiter", broken, true, []string{"meant", "worded"}},
		{"words have none", 1, 0, "volcano on Jupiter", nil, true, []string{"meant", "pending", "worded"}},
		{"words are all there is", 1, 0, "volcano on Jupiter", nil, false, []string{"worded", "pending"}},
		{"as it comes, no word hits", 0.7, 0.3, "harpsichord tuning", nil, true, []string{"meant", "worded"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &retrievetest.Searcher{Memories: rows, OnMatching: func(context.Context) error { return c.broken }}
			var e retrieve.Embedder
			if c.embedder {
				e = &retrievetest.Embedder{Otherwise: constant}
			}
			o := defaults(s, e)
			o.VectorWeight, o.BM25Weight = c.vector, c.words
			got := ask(t, o, c.query, 5)
			if !slices.Equal(ids(got), c.want) {
				t.Fatalf("%v, want %v\n%s", ids(got), c.want, got.Explain)
			}
			if c.words == 0 && c.embedder && (got.Hits[2].Score > 0.4+1e-6 || got.Hits[2].BM25 != nil) {
				t.Errorf("its words lift it: %+v", got.Hits[2])
			}
		})
	}
}

// Words that every text has prove nothing.
func TestStopWordsEarnNoFloor(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("a", "the oven is hot", retrievetest.AtCosine(0.3)), fact("b", "the cellar is dry", retrievetest.AtCosine(0.28)), fact("c", "bread needs two hours", retrievetest.AtCosine(0.25)),
	}}
	for _, query := range []string{"the", "is", "is the"} {
		for name, e := range map[string]retrieve.Embedder{"hybrid": &retrievetest.Embedder{Otherwise: constant}, "keywords": nil} {
			if got := ask(t, defaults(s, e), query, 5); len(got.Hits) > 0 {
				t.Errorf("%s, %q: %v at %.2f\n%s", name, query, ids(got), got.Hits[0].Score, got.Explain)
			}
		}
	}
}

// Who asks for E1045 and gets E1044 is told that E1045 is nowhere.
func TestAnIdentifierThatIsNowhere(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{fact("a", "E1044 means that the disk is full", retrievetest.AtCosine(0.9))}}
	for query, want := range map[string]bool{"what is E1045": true, "what is E1044": false, "is the disk full": false} {
		for name, e := range map[string]retrieve.Embedder{"hybrid": &retrievetest.Embedder{Otherwise: constant}, "keywords": nil} {
			got := ask(t, defaults(s, e), query, 5)
			told := strings.Contains(got.Explain.String(), `no memory found holds "E1045"`)
			if told != want || len(got.Hits) > 0 && strings.Contains(got.Hits[0].Reason, `no memory found holds "E1045"`) != want {
				t.Errorf("%s, %q: %+v\n%s", name, query, got.Hits, got.Explain)
			}
		}
	}
}
