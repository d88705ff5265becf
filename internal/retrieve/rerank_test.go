package retrieve_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve/retrievetest"
)

// looked are four rows, best first a to d, with a reranker.
func looked(by *retrievetest.Reranker) retrieve.Options {
	s := &retrievetest.Searcher{}
	for i, id := range []string{"a", "b", "c", "d"} {
		s.Memories = append(s.Memories, fact(id, "note "+id, retrievetest.AtCosine(0.9-float64(i)/20)))
	}
	o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
	o.Rerank = retrieve.Rerank{Mode: retrieve.RerankCrossEncoder, By: by}
	return o
}

func TestRerankerChangesTheOrder(t *testing.T) {
	by := &retrievetest.Reranker{Scores: map[string]float64{"note a": 0.1, "note b": 0.2, "note c": 0.9, "note d": 0.8}}
	got := ask(t, looked(by), "zinc roof", 4)
	if diff := cmp.Diff([]string{"c", "d", "b", "a"}, ids(got)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	first := got.Hits[0]
	if first.Reranked == nil || *first.Reranked != 0.9 || math.Abs(first.Score-(0.6*0.9+0.4*0.8)) > 1e-6 {
		t.Errorf("first %+v", first)
	}
	if len(got.Degraded) != 0 {
		t.Errorf("degraded %+v", got.Degraded)
	}
}

// B26, after the squashing: scores near 0 for what fits badly drop nothing that fits.
func TestSquashedLogitsKeepTheRelevantRow(t *testing.T) {
	squash := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	by := &retrievetest.Reranker{Scores: map[string]float64{"note a": squash(-3.2), "note b": squash(5.1), "note c": squash(-8)}}
	o := looked(by)
	o.Searcher.(*retrievetest.Searcher).Memories = o.Searcher.(*retrievetest.Searcher).Memories[:3]
	got := ask(t, o, "zinc roof", 3)
	if diff := cmp.Diff([]string{"b", "a", "c"}, ids(got)); diff != "" {
		t.Errorf("order (-want +got):\n%s\n%s", diff, got.Explain)
	}
}

// B27, and every other way to lie: the answer is to the byte the one without a
// reranker, and one line says why.
func TestAFailingRerankerChangesNothing(t *testing.T) {
	constantly := func(v float64, n int) func([]string) []float64 {
		return func(documents []string) []float64 {
			scores := make([]float64, len(documents)+n)
			for i := range scores {
				scores[i] = v
			}
			return scores
		}
	}
	plain := looked(nil)
	plain.Rerank = retrieve.Rerank{}
	want := ask(t, plain, "zinc roof", 4)
	for name, c := range map[string]struct {
		by  *retrievetest.Reranker
		say string
	}{
		"503":                {&retrievetest.Reranker{On: func(context.Context) error { return errors.New("jina: status 503") }}, "status 503"},
		"401":                {&retrievetest.Reranker{On: func(context.Context) error { return errors.New("jina: status 401") }}, "status 401"},
		"no score at all":    {&retrievetest.Reranker{}, "no score for any of 4"},
		"too few":            {&retrievetest.Reranker{Answer: constantly(0.5, -1)}, "3 scores for 4"},
		"too many":           {&retrievetest.Reranker{Answer: constantly(0.5, 1)}, "5 scores for 4"},
		"nothing":            {&retrievetest.Reranker{Answer: func([]string) []float64 { return nil }}, "0 scores for 4"},
		"over one":           {&retrievetest.Reranker{Answer: constantly(5.1, 0)}, "outside 0 to 1"},
		"infinite":           {&retrievetest.Reranker{Answer: constantly(math.Inf(1), 0)}, "outside 0 to 1"},
		"negative":           {&retrievetest.Reranker{Answer: constantly(-3.2, 0)}, "outside 0 to 1"},
		"zero for all":       {&retrievetest.Reranker{Answer: constantly(0, 0)}, "same score for each of 4"},
		"one half for every": {&retrievetest.Reranker{Answer: constantly(0.5, 0)}, "same score for each of 4"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ask(t, looked(c.by), "zinc roof", 4)
			if diff := cmp.Diff(want.Hits, got.Hits); diff != "" {
				t.Errorf("hits (-without +with):\n%s", diff)
			}
			if len(got.Degraded) != 1 || got.Degraded[0].Half != retrieve.HalfRerank || !strings.Contains(got.Degraded[0].Reason, c.say) {
				t.Errorf("degraded %+v, want one line with %q", got.Degraded, c.say)
			}
		})
	}
}

// B28: what the reranker left out keeps a place, after what it scored.
func TestUnscoredRowsFollowTheScoredOnes(t *testing.T) {
	by := &retrievetest.Reranker{Scores: map[string]float64{"note b": 0.1, "note d": 0.4}}
	got := ask(t, looked(by), "zinc roof", 4)
	if diff := cmp.Diff([]string{"d", "b", "a", "c"}, ids(got)); diff != "" {
		t.Fatalf("order (-want +got):\n%s\n%s", diff, got.Explain)
	}
	if got.Hits[2].Behind != retrieve.BehindUnscored || got.Hits[2].Reranked != nil || math.Abs(got.Hits[2].Score-0.8*0.9) > 1e-6 {
		t.Errorf("left out: %+v", got.Hits[2])
	}
}

// A reranker knows nothing of names meant to the letter.
func TestTheIdentifierStaysFirstWhateverTheRerankerSays(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("right", "Mara owns svc-billing-eu2", retrievetest.AtCosine(0.3)),
		fact("wrong", "svc-billing-eu1 is owned by Jonas, who owns the billing service", retrievetest.AtCosine(0.8)),
	}}
	for name, scores := range map[string]map[string]float64{
		"denied":   {s.Memories[0].Text: 0, s.Memories[1].Text: 1},
		"left out": {s.Memories[1].Text: 1},
	} {
		o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
		o.Rerank = retrieve.Rerank{Mode: retrieve.RerankCrossEncoder, By: &retrievetest.Reranker{Scores: scores}}
		if got := ask(t, o, "who owns svc-billing-eu2?", 2); len(got.Hits) != 2 || got.Hits[0].Memory.ID != "right" {
			t.Errorf("%s: %v\n%s", name, ids(got), got.Explain)
		}
	}
}

// B82: a reranker that hangs costs its share of the time and nothing else, one
// that does not even listen, too.
func TestAHangingRerankerCostsItsShare(t *testing.T) {
	for name, on := range map[string]func(context.Context) error{
		"hangs":             func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"hangs and is deaf": func(context.Context) error { time.Sleep(time.Hour); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := looked(&retrievetest.Reranker{On: on})
				var wg sync.WaitGroup
				for range 10 {
					wg.Go(func() {
						ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
						defer cancel()
						start := time.Now()
						got, err := retrieve.New(o).Recall(ctx, retrieve.Request{Query: "zinc roof", Limit: 4, Who: everyone(), Now: now})
						if err != nil || len(got.Hits) != 4 || ctx.Err() != nil {
							t.Errorf("%v, %v, deadline %v", ids(got), err, ctx.Err())
							return
						}
						if took := time.Since(start).Round(time.Millisecond); took != 1050*time.Millisecond {
							t.Errorf("took %v, want 70%% of what was left", took)
						}
						if len(got.Degraded) != 1 || !strings.Contains(got.Degraded[0].Reason, "longer than its part") {
							t.Errorf("degraded %+v", got.Degraded)
						}
					})
				}
				wg.Wait()
				time.Sleep(2 * time.Hour) // lets the deaf ones end
			})
		})
	}
}

func TestTimeoutAndLackOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		by := &retrievetest.Reranker{On: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		o := looked(by)
		o.Rerank.Timeout = 500 * time.Millisecond
		start := time.Now()
		got := ask(t, o, "zinc roof", 4) // no deadline of the caller's
		if took := time.Since(start); took != 500*time.Millisecond || len(got.Hits) != 4 {
			t.Errorf("took %v for %v, want the timeout", took, ids(got))
		}
		o.Rerank.Timeout = 0
		start = time.Now()
		got = ask(t, o, "zinc roof", 4) // bounded by nobody
		if took := time.Since(start); took != 5*time.Second || len(got.Hits) != 4 {
			t.Errorf("took %v for %v", took, ids(got))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Millisecond)
		defer cancel()
		got, err := retrieve.New(o).Recall(ctx, retrieve.Request{Query: "zinc roof", Limit: 4, Who: everyone(), Now: now})
		if err != nil || len(got.Degraded) != 1 || !strings.Contains(got.Degraded[0].Reason, "was not asked") || len(by.Seen()) != 2 {
			t.Errorf("%v, degraded %+v, asked %d times", err, got.Degraded, len(by.Seen()))
		}
	})
}

// B82: never more documents than candidates were asked for.
func TestDocumentsAreBounded(t *testing.T) {
	s := &retrievetest.Searcher{}
	for i := range 120 {
		s.Memories = append(s.Memories, fact(fmt.Sprintf("%03d", i), fmt.Sprintf("harbour note %d", i), retrievetest.AtCosine(0.95-float64(i)/1000)))
	}
	for pool, want := range map[int]int{0: retrieve.DefaultPoolSize, 10: 10, 100: 100} {
		by := &retrievetest.Reranker{}
		o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
		o.PoolSize, o.Rerank = pool, retrieve.Rerank{Mode: retrieve.RerankCrossEncoder, By: by}
		ask(t, o, "harbour", 20)
		if seen := by.Seen(); len(seen) != 1 || len(seen[0]) != want {
			t.Errorf("pool %d: %d calls, %d documents in the first, want %d", pool, len(seen), len(seen[0]), want)
		}
	}
}

// What will be left out is not sent, and takes no place of what is.
func TestRowsToBeLeftOutAreNotSent(t *testing.T) {
	by := &retrievetest.Reranker{Scores: map[string]float64{"note c": 0.2, "note d": 0.9}}
	o := looked(by)
	o.PoolSize = 2
	got := recall(t, o, retrieve.Request{Query: "zinc roof", Limit: 4, Without: map[string]string{"a": "shown", "b": "shown"}})
	if diff := cmp.Diff([][]string{{"note c", "note d"}}, by.Seen()); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"d", "c"}, ids(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLightweightAndNone(t *testing.T) {
	o := looked(nil)
	o.Rerank = retrieve.Rerank{Mode: retrieve.RerankLightweight}
	pending := fact("pending", "zinc roof", nil)
	o.Searcher.(*retrievetest.Searcher).Memories = append(o.Searcher.(*retrievetest.Searcher).Memories, pending)
	for _, h := range ask(t, o, "zinc roof", 5).Hits {
		if h.Vector == nil {
			if h.Memory.ID != "pending" {
				t.Errorf("%s without a similarity", h.Memory.ID)
			}
			continue
		}
		if want := 0.7*h.Fused + 0.3*h.Vector.Score; math.Abs(h.Score-want) > 1e-6 {
			t.Errorf("%s: %v, want %v", h.Memory.ID, h.Score, want)
		}
	}
	by := &retrievetest.Reranker{}
	o = looked(by)
	o.Rerank.Mode = retrieve.RerankNone
	if ask(t, o, "zinc roof", 3); len(by.Seen()) != 0 {
		t.Error("asked though off")
	}
	o = looked(nil) // mode cross-encoder without a key
	o.Rerank.By = nil
	if got := ask(t, o, "zinc roof", 3); len(got.Degraded) != 0 || got.Left(retrieve.StageRerank) != 0 {
		t.Errorf("%+v", got.Stages)
	}
}
