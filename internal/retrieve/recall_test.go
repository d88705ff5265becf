package retrieve_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve/retrievetest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

var now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// constant embeds every text alike, as a broken provider does.
var constant = []float32{1, 0}

func fact(id, text string, vector []float32) memory.Memory {
	return memory.Memory{
		ID: id, Text: text, Vector: vector, Category: memory.StoredFact, Scope: scope.Global,
		Importance: 0.7, Time: now.Add(-time.Hour), Metadata: memory.NewMetadata(text, memory.Cases, memory.SourceManual, now.Add(-time.Hour)),
	}
}

func everyone() scope.Filter { return scope.Operator().Filter() }

// defaults are the options a user has who set none.
func defaults(s retrieve.Searcher, e retrieve.Embedder) retrieve.Options {
	return retrieve.Options{Searcher: s, Embedder: e, MinScore: retrieve.DefaultMinScore, HardMinScore: retrieve.DefaultHardMinScore}
}

func ask(t *testing.T, o retrieve.Options, query string, limit int) retrieve.Result {
	t.Helper()
	result, err := retrieve.New(o).Recall(t.Context(), retrieve.Request{Query: query, Limit: limit, Who: everyone(), Now: now})
	if err != nil {
		t.Fatalf("recalling %q: %v", query, err)
	}
	check(t, result)
	return result
}

// check holds for every result.
func check(t *testing.T, r retrieve.Result) {
	t.Helper()
	previous, unscored := 1.0, false
	for _, h := range r.Hits {
		if now := h.Behind == retrieve.BehindUnscored; now != unscored {
			if unscored {
				t.Errorf("%s stands after rows that the reranker did not score", h.Memory.ID)
			}
			previous, unscored = 1.0, now
		}
		place := h.Score
		if h.Behind == retrieve.BehindAlike {
			place /= 2 // a repetition is ordered by half its score
		}
		if math.IsNaN(h.Score) || h.Score < 0 || h.Score > 1 || place > previous {
			t.Errorf("score %v of %s after %v: not finite, in [0,1] and descending", h.Score, h.Memory.ID, previous)
		}
		if h.Reason == "" || h.Why == nil || h.Why.Value != h.Score {
			t.Errorf("%s is not explained: %q, %v", h.Memory.ID, h.Reason, h.Why)
		}
		previous = place
	}
	if r.Explain == nil || int(r.Explain.Value) != len(r.Hits) {
		t.Errorf("the explanation counts %v hits of %d", r.Explain, len(r.Hits))
	}
}

func ids(r retrieve.Result) []string {
	out := []string{}
	for _, h := range r.Hits {
		out = append(out, h.Memory.ID)
	}
	return out
}

// B20: cosines keep their order and their distance; what is unrelated is absent.
func TestScoresFollowTheCosine(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("mid", "bread needs two hours", retrievetest.AtCosine(0.50)),
		fact("low", "the cellar is dry", retrievetest.AtCosine(0.05)),
		fact("top", "the oven runs hot", retrievetest.AtCosine(0.95)),
	}}
	got := ask(t, defaults(s, &retrievetest.Embedder{Otherwise: constant}), "zinc roof", 3)
	if diff := cmp.Diff([]string{"top", "mid"}, ids(got)); diff != "" {
		t.Fatalf("hits (-want +got):\n%s\n%s", diff, got.Explain)
	}
	if got.Hits[0].Score <= got.Hits[1].Score {
		t.Errorf("scores %v and %v", got.Hits[0].Score, got.Hits[1].Score)
	}
}

// B01, with equal vectors: only the words can tell the rows apart.
func TestPartOfAPhraseIsFound(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("zh", "部署方案：周三晚上用蓝绿发布更新支付网关", constant),
		fact("ja", "東京駅の集合場所は南口", constant),
		fact("ko", "회의실은 3층", constant),
	}}
	for i := range 20 {
		s.Memories = append(s.Memories, fact(fmt.Sprintf("n%02d", i), fmt.Sprintf("第%d次团建去郊外爬山并且野餐合影", i), constant))
	}
	for query, want := range map[string]string{"蓝绿发布": "zh", "支付网关": "zh", "集合場所": "ja", "회의실": "ko"} {
		for name, e := range map[string]retrieve.Embedder{"hybrid": &retrievetest.Embedder{Otherwise: constant}, "keywords": nil} {
			got := ask(t, defaults(s, e), query, 5)
			if len(got.Hits) == 0 || got.Hits[0].Memory.ID != want || got.Hits[0].BM25 == nil || got.Hits[0].BM25.Score <= 0 {
				t.Errorf("%s, %s: %v, want %s first by its words", name, query, ids(got), want)
			}
		}
	}
}

// B02: words are alternatives.
func TestAnyWordMatches(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("ticket", "机票改签记录在邮箱", constant), fact("luggage", "行李清单周四更新", constant),
		fact("hotel", "酒店预算两千", constant), fact("both", "行李清单和酒店预算都在表格里", constant),
	}}
	for name, e := range map[string]retrieve.Embedder{"hybrid": &retrievetest.Embedder{Otherwise: constant}, "keywords": nil} {
		got := ask(t, defaults(s, e), "机票改签 行李清单 酒店预算", 10)
		if len(got.Hits) != 4 || got.Hits[0].Memory.ID != "both" {
			t.Errorf("%s: %v, want all four and \"both\" first\n%s", name, ids(got), got.Explain)
		}
	}
}

// B03: both scripts of Chinese are one, in the words that are found as in the reasons.
func TestBothScriptsOfChineseMeet(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("traditional", "會議記錄放在雲端硬碟", retrievetest.AtCosine(0.6)),
		fact("simplified", "头发剪短了，周五拍照", retrievetest.AtCosine(0.6)),
		fact("other", "屋頂花園週末開放", retrievetest.AtCosine(0.2)),
	}}
	for query, want := range map[string]string{"会议记录": "traditional", "會議記錄": "traditional", "頭髮": "simplified", "头发": "simplified"} {
		for name, e := range map[string]retrieve.Embedder{"hybrid": &retrievetest.Embedder{Otherwise: constant}, "keywords": nil} {
			got := ask(t, defaults(s, e), query, 3)
			if len(got.Hits) == 0 || got.Hits[0].Memory.ID != want || got.Hits[0].BM25 == nil || !strings.Contains(got.Hits[0].Reason, query) {
				t.Errorf("%s, %q: %v, want %s first, with the word as the reason\n%s", name, query, ids(got), want, got.Explain)
			}
		}
	}
}

// B03: when no row shares a word with the query, the vector score stands uncut.
func TestVectorScoreIsNotCutWhenNoRowSharesAWord(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("target", "會議記錄放在雲端硬碟", retrievetest.AtCosine(0.6)),
		fact("other", "屋頂花園週末開放", retrievetest.AtCosine(0.2)),
	}}
	got := ask(t, defaults(s, &retrievetest.Embedder{Otherwise: constant}), "开会纪要", 3)
	if len(got.Hits) != 1 || math.Abs(got.Hits[0].Fused-0.6) > 1e-6 {
		t.Fatalf("%v, want the target with its cosine of 0.6\n%s", ids(got), got.Explain)
	}
}

// B04, B05.
func TestAccentsLettercaseAndStopWords(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("ru", "поездка в Новосибирск в марте", constant), fact("cafe", "Café Zürich is closed on Mondays", constant),
		fact("band", "The Who play on Friday", constant), fact("motto", "to be or not to be is the motto", constant),
	}}
	for query, want := range map[string]string{
		"новосибирск": "ru", "НОВОСИБИРСК": "ru", "cafe zurich": "cafe", "the who": "band", "to be or not to be": "motto",
	} {
		for name, e := range map[string]retrieve.Embedder{"hybrid": &retrievetest.Embedder{Otherwise: constant}, "keywords": nil} {
			got := ask(t, defaults(s, e), query, 3)
			if len(got.Hits) == 0 || got.Hits[0].Memory.ID != want || got.Hits[0].BM25 == nil {
				t.Errorf("%s, %q: %v, want %s first\n%s", name, query, ids(got), want, got.Explain)
			}
		}
	}
	ask(t, defaults(s, nil), "it", 3)
}

// The first memories of a new store must be found by keywords alone, though a
// word of the only row has next to no weight in BM25.
func TestKeywordsAloneInATinyStore(t *testing.T) {
	rows := []memory.Memory{
		fact("tea", "My favourite tea is Longjing, not Earl Grey", nil),
		fact("deploy", "We deploy the payment gateway on Tuesdays at ten", nil),
		fact("dentist", "The dentist moved the appointment to 4 May", nil),
	}
	for n := 1; n <= len(rows); n++ {
		s := &retrievetest.Searcher{Memories: rows[:n]}
		for query, want := range map[string]int{
			"tea": 0, "which tea do I like best?": 0, "what is my favourite tea": 0, "when do we deploy": 1, "payment gateway deploy day": 1, "dentist": 2,
		} {
			if want >= n {
				continue
			}
			got := ask(t, defaults(s, nil), query, 3)
			if want == 0 && query == "which tea do I like best?" {
				// One word of three in the only row of the store: a near miss, rightly below the cut.
				continue
			}
			if len(got.Hits) == 0 || got.Hits[0].Memory.ID != rows[want].ID {
				t.Errorf("%d rows, %q: %v, want %s\n%s", n, query, ids(got), rows[want].ID, got.Explain)
			}
		}
	}
}

func TestIdentifierStandsAboveItsNeighbours(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("us1", "svc-billing-us1 restarts at night because of the invoice export", retrievetest.AtCosine(0.97)),
		fact("eu1", "svc-billing-eu1 restarts at night because of the invoice export", retrievetest.AtCosine(0.98)),
		fact("eu2", "the owner of svc-billing-eu2 is Mara", retrievetest.AtCosine(0.05)),
		fact("eu22", "svc-billing-eu22 restarts at night", retrievetest.AtCosine(0.96)),
	}}
	got := ask(t, defaults(s, &retrievetest.Embedder{Otherwise: constant}), "why does svc-billing-eu2 restart at night?", 3)
	if got.Hits[0].Memory.ID != "eu2" {
		t.Errorf("%v, want eu2 first\n%s", ids(got), got.Explain)
	}
	if want := `words "svc-billing-eu2"`; !strings.HasPrefix(got.Hits[0].Reason, want) {
		t.Errorf("reason %q, want it to start with %s", got.Hits[0].Reason, want)
	}
}

// B07 at this level: one plain rare word beats adversarial vectors.
func TestOneWordQueryIsFoundAgainstItsVector(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{fact("row", "the zylophrast is in the attic", retrievetest.AtCosine(-0.9))}}
	for i := range 30 {
		s.Memories = append(s.Memories, fact(fmt.Sprintf("n%d", i), fmt.Sprintf("note number %d about gardening", i), retrievetest.AtCosine(0.3)))
	}
	got := ask(t, defaults(s, &retrievetest.Embedder{Otherwise: constant}), "zylophrast", 3)
	if len(got.Hits) == 0 || got.Hits[0].Memory.ID != "row" {
		t.Errorf("%v, want row first\n%s", ids(got), got.Explain)
	}
}

// B12: weights mean something, 0 included.
func TestWeights(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("V", "completely different", retrievetest.AtCosine(0.9)), fact("L", "the harpsichord E1043", retrievetest.AtCosine(0.1)),
	}}
	for _, c := range []struct {
		vector, bm25 float64
		first        string
	}{{1, 0, "V"}, {0, 1, "L"}} {
		o := retrieve.Options{Searcher: s, Embedder: &retrievetest.Embedder{Otherwise: constant}, VectorWeight: c.vector, BM25Weight: c.bm25}
		got := ask(t, o, "harpsichord E1043", 2)
		if got.Hits[0].Memory.ID != c.first {
			t.Errorf("weights %v, %v: %v, want %s first", c.vector, c.bm25, ids(got), c.first)
		}
	}
}

// A row found by words alone must not beat one found by both unless its
// identifier says so.
func TestKeywordOnlyHitIsJudgedByItsTrueCosine(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("both", "the billing service sends invoices", retrievetest.AtCosine(0.7)),
		fact("words", "billing service billing service billing outage postponed", retrievetest.AtCosine(0.05)),
	}}
	for i := range 25 {
		s.Memories = append(s.Memories, fact(fmt.Sprintf("n%d", i), fmt.Sprintf("gardening note %d", i), retrievetest.AtCosine(0.2)))
	}
	o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
	got := ask(t, o, "billing service plans for invoices", 5)
	if len(got.Hits) == 0 || got.Hits[0].Memory.ID != "both" {
		t.Errorf("%v, want both first\n%s", ids(got), got.Explain)
	}
}

// B11: either half may fail, both may not.
func TestOneFailingHalfLeavesTheOther(t *testing.T) {
	broken := func(context.Context) error { return errors.New("status 500") }
	rows := []memory.Memory{fact("row", "E1043 means the tray is empty", retrievetest.AtCosine(0.9)), fact("other", "bread needs two hours", retrievetest.AtCosine(0))}
	for _, c := range []struct {
		name                  string
		embed, nearest, match func(context.Context) error
		mode, half, result    string
	}{
		{"embedder", broken, nil, nil, "", "vector", "keyword"},
		{"vector search", nil, broken, nil, "", "vector", "keyword"},
		{"text index", nil, nil, broken, "", "keyword", "vector"},
		{"embedder in vector mode", broken, nil, nil, retrieve.ModeVector, "vector", "keyword"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := defaults(&retrievetest.Searcher{Memories: rows, OnNearest: c.nearest, OnMatching: c.match}, &retrievetest.Embedder{Otherwise: constant, On: c.embed})
			o.Mode = c.mode
			got := ask(t, o, "E1043", 3)
			if diff := cmp.Diff([]string{"row"}, ids(got)); diff != "" {
				t.Errorf("hits (-want +got):\n%s", diff)
			}
			if len(got.Degraded) != 1 || got.Degraded[0].Half != c.half || !strings.Contains(got.Degraded[0].Reason, "status 500") || got.Mode != c.result {
				t.Errorf("degraded %+v, mode %s; want %s with its reason, mode %s", got.Degraded, got.Mode, c.half, c.result)
			}
		})
	}
	o := defaults(&retrievetest.Searcher{Memories: rows, OnMatching: broken}, &retrievetest.Embedder{On: broken})
	if _, err := retrieve.New(o).Recall(t.Context(), retrieve.Request{Query: "E1043", Who: everyone(), Now: now}); err == nil || !strings.Contains(err.Error(), "status 500") {
		t.Errorf("both halves failed: %v, want an error with the reason", err)
	}
}

// A slow embedder uses up its share of the time, not the turn.
func TestKeywordsAnswerWhileTheEmbedderHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		s := &retrievetest.Searcher{Memories: []memory.Memory{fact("row", "E1043 means the tray is empty", constant)}}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		start := time.Now()
		got, err := retrieve.New(defaults(s, &retrievetest.Embedder{On: hang})).Recall(ctx, retrieve.Request{Query: "E1043", Who: everyone(), Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 1400*time.Millisecond {
			t.Errorf("took %v of 2 s, want 70%%", took)
		}
		if len(got.Hits) != 1 || len(got.Degraded) != 1 || !strings.Contains(got.Degraded[0].Reason, "longer than 70%") {
			t.Errorf("%v, degraded %+v", ids(got), got.Degraded)
		}
	})
}

func TestHangingSearchLeavesTheOtherHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		s := &retrievetest.Searcher{OnNearest: hang, Memories: []memory.Memory{fact("row", "E1043 means the tray is empty", constant)}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got, err := retrieve.New(defaults(s, &retrievetest.Embedder{Otherwise: constant})).Recall(ctx, retrieve.Request{Query: "E1043", Who: everyone(), Now: now})
		if err != nil || len(got.Hits) != 1 || ctx.Err() != nil {
			t.Errorf("%v, %v, deadline %v; want the row before the deadline", ids(got), err, ctx.Err())
		}
	})
}

func TestCancelledRequestIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &retrievetest.Searcher{OnMatching: func(ctx context.Context) error { cancel(); return ctx.Err() }, Memories: []memory.Memory{fact("row", "E1043", constant)}}
	for range 2 { // cancelled on the way, then before the start
		if _, err := retrieve.New(defaults(s, &retrievetest.Embedder{Otherwise: constant})).Recall(ctx, retrieve.Request{Query: "E1043", Who: everyone(), Now: now}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
	}
}

// B15.
func TestLimit(t *testing.T) {
	s := &retrievetest.Searcher{}
	for i := range 30 {
		s.Memories = append(s.Memories, fact(fmt.Sprintf("%02d", i), fmt.Sprintf("harbour note %d", i), retrievetest.AtCosine(0.9-float64(i)/100)))
	}
	for limit, want := range map[int]int{10: 10, 1: 1, 0: retrieve.DefaultLimit, -3: 1, 1e9: retrieve.MaxLimit, 20: 20} {
		if got := ask(t, defaults(s, &retrievetest.Embedder{Otherwise: constant}), "harbour", limit); len(got.Hits) != want {
			t.Errorf("limit %d gave %d hits, want %d", limit, len(got.Hits), want)
		}
	}
}

func TestPoolSizeIsHonoured(t *testing.T) {
	for _, c := range []struct{ pool, limit, want int }{{0, 3, 20}, {50, 3, 50}, {10, 20, 40}, {1000, 3, 100}, {5, 1, 5}} {
		s := &retrievetest.Searcher{}
		o := defaults(s, nil)
		o.PoolSize = c.pool
		ask(t, o, "harbour", c.limit)
		if got := s.Calls()[0].Limit; got != c.want {
			t.Errorf("pool %d, limit %d asked for %d candidates, want %d", c.pool, c.limit, got, c.want)
		}
	}
}

// B21 e: a provider that answers alike for every text rejects nothing.
func TestConstantVectorsRejectNothing(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("a", "the harbour opens at six", constant), fact("b", "bread needs two hours", constant), fact("c", "harbour fees are due in May", constant),
	}}
	got := ask(t, defaults(s, &retrievetest.Embedder{Otherwise: constant}), "harbour fees", 10)
	if len(got.Hits) != 3 || got.Hits[0].Memory.ID != "c" {
		t.Errorf("%v, want all three, c first", ids(got))
	}
}

// B14: a topic never stored brings nothing.
func TestUnknownTopic(t *testing.T) {
	s := &retrievetest.Searcher{}
	for i := range 60 {
		s.Memories = append(s.Memories, fact(fmt.Sprintf("%02d", i), fmt.Sprintf("recipe %d: do not overheat a pan, I use it how my mother did", i), retrievetest.AtCosine(0.15)))
	}
	for _, e := range []retrieve.Embedder{nil, &retrievetest.Embedder{Otherwise: constant}} {
		if got := ask(t, defaults(s, e), "how do I re-string a harpsichord", 5); len(got.Hits) != 0 {
			t.Errorf("%d hits, the best with %.2f: %s", len(got.Hits), got.Hits[0].Score, got.Hits[0].Reason)
		}
	}
}

func TestPendingRowIsFoundByItsWords(t *testing.T) {
	pending := fact("pending", "the harbour opens at six", nil)
	pending.Metadata.Embedding = memory.EmbeddingPending
	s := &retrievetest.Searcher{Memories: []memory.Memory{pending, fact("other", "bread needs two hours", retrievetest.AtCosine(0.1))}}
	got := ask(t, defaults(s, &retrievetest.Embedder{Otherwise: constant}), "when does the harbour open", 3)
	if len(got.Hits) != 1 || got.Hits[0].Memory.ID != "pending" || got.Hits[0].Vector != nil {
		t.Errorf("%v\n%s", ids(got), got.Explain)
	}
}

func TestNarrowingHappensInTheSearch(t *testing.T) {
	expired := fact("expired", "harbour one", constant)
	expired.Metadata.ValidUntil = now.Add(-time.Minute)
	private := fact("private", "harbour two", constant)
	private.Scope = scope.ForAgent("bob")
	event := fact("event", "harbour three", constant)
	event.Category, event.Metadata.Category = memory.StoredDecision, memory.Events
	s := &retrievetest.Searcher{Memories: []memory.Memory{expired, private, event, fact("plain", "harbour four", constant)}}
	alice, err := scope.ForCaller(scope.Caller{AgentID: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	r := retrieve.New(defaults(s, &retrievetest.Embedder{Otherwise: constant}))
	for category, want := range map[string][]string{"": {"event", "plain"}, "events": {"event"}, "decision": {"event"}, "profile": {}} {
		got, err := r.Recall(t.Context(), retrieve.Request{Query: "harbour", Limit: 10, Who: alice.Filter(), Category: category, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, ids(got)); diff != "" {
			t.Errorf("category %q (-want +got):\n%s", category, diff)
		}
	}
	if _, err := r.Recall(t.Context(), retrieve.Request{Query: "harbour", Who: alice.Filter(), Category: "colours", Now: now}); err == nil {
		t.Error("an unknown category is no error")
	}
}

func TestNothingToSearchFor(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{fact("row", "harbour", constant)}}
	for _, query := range []string{"", "   \n", "?!…", "🙂👍", "\xff"} {
		if got := ask(t, defaults(s, &retrievetest.Embedder{}), query, 3); len(got.Hits) != 0 || got.Hits == nil {
			t.Errorf("%q: %v", query, got.Hits)
		}
	}
	if calls := s.Calls(); len(calls) != 0 {
		t.Errorf("the store was asked: %+v", calls)
	}
}

func TestTiesAreBrokenByTimeThenID(t *testing.T) {
	old, a, b := fact("z-old", "harbour", constant), fact("a", "harbour", constant), fact("b", "harbour", constant)
	old.Time = now.Add(-48 * time.Hour)
	for _, rows := range [][]memory.Memory{{old, a, b}, {b, a, old}, {a, old, b}} {
		got := ask(t, defaults(&retrievetest.Searcher{Memories: rows}, &retrievetest.Embedder{Otherwise: constant}), "harbour", 3)
		if diff := cmp.Diff([]string{"a", "b", "z-old"}, ids(got)); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	}
}
