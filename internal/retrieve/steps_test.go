package retrieve_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve/retrievetest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

func recall(t *testing.T, o retrieve.Options, req retrieve.Request) retrieve.Result {
	t.Helper()
	if req.Now.IsZero() {
		req.Now = now
	}
	if len(req.Who.Names()) == 0 {
		req.Who = everyone()
	}
	got, err := retrieve.New(o).Recall(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	check(t, got)
	return got
}

// fate is the reason for which a row is no hit.
func fate(r retrieve.Result, id string) retrieve.Drop {
	for _, d := range r.Dropped {
		if d.ID == id {
			return d
		}
	}
	return retrieve.Drop{}
}

func TestTagQueries(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("tagged", "proj:apollo the launch is in May", constant), fact("both", "proj:apollo env:eu the gate opens at six", constant),
		fact("other", "proj:apollo-2 the launch is in June", constant), fact("words", "the launch of Apollo is a proj of ours", constant),
	}}
	o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
	o.TagPrefixes = retrieve.DefaultTagPrefixes
	for query, want := range map[string][]string{
		"when is the launch PROJ:apollo": {"tagged", "both"},
		"proj:apollo env:eu":             {"both"},
		"proj:gemini":                    {},
	} {
		got := recall(t, o, retrieve.Request{Query: query, Limit: 5})
		if diff := cmp.Diff(want, ids(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", query, diff, got.Explain)
		}
		if got.Mode != retrieve.ModeTags {
			t.Errorf("%s: mode %s", query, got.Mode)
		}
	}
	if calls := s.Calls(); slices.ContainsFunc(calls, func(c retrievetest.Call) bool { return c.Half == "vector" }) {
		t.Errorf("a vector search for a tag: %+v", calls)
	}
	if got := fate(recall(t, o, retrieve.Request{Query: "launch proj:apollo", Limit: 5}), "words"); got.Reason != retrieve.ReasonTag {
		t.Errorf("%+v", got)
	}
	o.TagPrefixes = nil
	if got := recall(t, o, retrieve.Request{Query: "proj:apollo launch", Limit: 5}); got.Mode != retrieve.ModeHybrid || len(got.Hits) != 4 {
		t.Errorf("no prefixes: mode %s, %v", got.Mode, ids(got))
	}
}

// A tag is found among thousands of rows that hold its parts and the other words.
func TestATagIsNotCrowdedOut(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{fact("it", "a long text about nothing in particular that somebody has marked with proj:apollo at some time", nil)}}
	for i := range 300 {
		s.Memories = append(s.Memories, fact(fmt.Sprintf("%03d", i), fmt.Sprintf("apollo launch launch launch %d", i), nil))
	}
	o := defaults(s, nil)
	o.TagPrefixes = retrieve.DefaultTagPrefixes
	if got := recall(t, o, retrieve.Request{Query: "launch launch proj:apollo", Limit: 5}); len(got.Hits) != 1 || got.Hits[0].Memory.ID != "it" {
		t.Errorf("%v", ids(got))
	}
}

func TestExpansionIsForPeopleOnly(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{fact("zh", "支付容器昨天重启", nil), fact("en", "docker was restarted", nil)}}
	for _, c := range []struct {
		on     bool
		source string
		want   []string
	}{
		{true, retrieve.SourceManual, []string{"en", "zh"}}, {true, retrieve.SourceCLI, []string{"en", "zh"}},
		{true, retrieve.SourceHook, []string{"en"}}, {true, "", []string{"en"}}, {false, retrieve.SourceCLI, []string{"en"}},
	} {
		o := retrieve.Options{Searcher: s, QueryExpansion: c.on}
		got := recall(t, o, retrieve.Request{Query: "docker", Source: c.source, Limit: 5})
		if diff := cmp.Diff(c.want, ids(got)); diff != "" {
			t.Errorf("%v for %q (-want +got):\n%s\n%s", c.on, c.source, diff, got.Explain)
		}
		if expanded := len(c.want) == 2; expanded != (got.Expanded != "") {
			t.Errorf("%v for %q: expanded to %q", c.on, c.source, got.Expanded)
		}
	}
}

func TestNoise(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{fact("noise", "hello there", constant), fact("fact", "hello is what the parrot says", constant)}}
	noisy := func(text string) bool { return text == "hello there" }
	for _, c := range []struct {
		on   bool
		by   func(string) bool
		want int
	}{{true, noisy, 1}, {false, noisy, 2}, {true, nil, 2}} {
		o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
		o.FilterNoise, o.Noise = c.on, c.by
		got := ask(t, o, "hello", 5)
		if len(got.Hits) != c.want || c.want == 1 && fate(got, "noise").Reason != retrieve.ReasonNoise {
			t.Errorf("%v: %v, %+v", c.on, ids(got), got.Dropped)
		}
	}
}

// Rows that lie close together and are about different things are no repetitions,
// and a repetition never goes behind what does not half as well.
func TestWhatIsNoRepetition(t *testing.T) {
	at := func(x, y, z float32) []float32 { return []float32{x, y, z} }
	near, far := at(0.9, 0.436, 0), at(0.89, 0.456, 0)
	for _, c := range []struct {
		name, first, second string
		behind              bool
	}{
		{"an identifier", "db-prod-07 runs in Frankfurt", "db-prod-08 runs in Frankfurt", false},
		{"a number", "invoice 1003 of Acme is still open", "invoice 1004 of Acme is still open", false},
		{"a name", "Mara likes window seats", "Nora likes window seats", false},
		{"a negation", "the oven runs hot", "the oven does not run hot", false},
		{"a repetition", "the oven runs hot", "the oven is running hot", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &retrievetest.Searcher{Memories: []memory.Memory{
				fact("one", c.first, near), fact("two", c.second, far),
				fact("other", "bread needs two hours", at(0.6, 0, 0.8)), fact("junk", "the cellar is dry", at(0.42, 0.1, -0.9)),
			}}
			o := defaults(s, &retrievetest.Embedder{Otherwise: at(1, 0, 0)})
			o.Diversity = retrieve.DefaultDiversity
			want := []string{"one", "two", "other", "junk"}
			if c.behind {
				want = []string{"one", "other", "two", "junk"}
			}
			if got := ask(t, o, "zinc roof", 5); !slices.Equal(ids(got), want) {
				t.Errorf("%v, want %v\n%s", ids(got), want, got.Explain)
			}
		})
	}
}

func TestRepetitionsGoBehind(t *testing.T) {
	at := func(x, y, z float32) []float32 { return []float32{x, y, z} }
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("a", "the oven runs hot", at(0.9, 0.436, 0)), fact("a2", "the oven is running hot", at(0.89, 0.456, 0)),
		fact("b", "bread needs two hours", at(0.6, 0, 0.8)), fact("pending", "zinc", nil),
	}}
	o := defaults(s, &retrievetest.Embedder{Otherwise: at(1, 0, 0)})
	o.Diversity = retrieve.DefaultDiversity
	got := ask(t, o, "zinc roof", 5)
	if diff := cmp.Diff([]string{"a", "pending", "b", "a2"}, ids(got)); diff != "" {
		t.Fatalf("(-want +got):\n%s\n%s", diff, got.Explain)
	}
	if last := got.Hits[3]; last.Behind != retrieve.BehindAlike || last.LikeID != "a" || last.Score < got.Hits[2].Score {
		t.Errorf("%+v", last)
	}
	got = ask(t, o, "zinc roof", 2)
	if d := fate(got, "a2"); d.Reason != retrieve.ReasonDiverse || d.By != "a" || d.Stage != retrieve.StageLimit {
		t.Errorf("%v, %+v", ids(got), d)
	}
	o.Diversity = 0
	if got := ask(t, o, "zinc roof", 2); got.Hits[1].Memory.ID != "a2" {
		t.Errorf("off: %v", ids(got))
	}
}

// What is left out takes no place of others, and helps to tell repetitions.
func TestWithout(t *testing.T) {
	s := &retrievetest.Searcher{}
	without := map[string]string{}
	for i := range 130 {
		id := fmt.Sprintf("%03d", i)
		s.Memories = append(s.Memories, fact(id, fmt.Sprintf("harbour note %d", i), retrievetest.AtCosine(0.99-float64(i)/1000)))
		if i < 90 {
			without[id] = "shown two turns ago"
		}
	}
	o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
	got := recall(t, o, retrieve.Request{Query: "harbour", Limit: 3, Without: without})
	if diff := cmp.Diff([]string{"090", "091", "092"}, ids(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d := fate(got, "007"); d.Stage != retrieve.StageWithout || d.Reason != "shown two turns ago" || d.Score < 0.5 || d.Why == nil {
		t.Errorf("%+v", d)
	}
}

func TestNeighbours(t *testing.T) {
	expired := fact("expired", "the harbour master was Lena", constant)
	expired.Metadata.ValidUntil = now.Add(-time.Minute)
	private := fact("private", "the harbour master gets a bonus", constant)
	private.Scope = scope.ForAgent("bob")
	mine := fact("mine", "the harbour master calls at noon", retrievetest.AtCosine(0))
	mine.Scope = scope.ForAgent("alice")
	event := fact("event", "the harbour master moved house", retrievetest.AtCosine(0))
	event.Category, event.Metadata.Category = memory.StoredDecision, memory.Events
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("hit", "the harbour master opens the gate", retrievetest.AtCosine(0.99)), expired, private, mine, event,
		fact("noise", "harbour master hello", retrievetest.AtCosine(0)), fact("near", "the gate of the harbour is green", retrievetest.AtCosine(0)),
		fact("second", "harbour fees are due in May", retrievetest.AtCosine(0)), fact("far", "bread needs two hours", retrievetest.AtCosine(0)),
	}}
	alice, err := scope.ForCaller(scope.Caller{AgentID: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	o := retrieve.Options{Searcher: s, Embedder: &retrievetest.Embedder{Otherwise: constant}, HardMinScore: 0.5,
		FilterNoise: true, Noise: func(text string) bool { return strings.HasSuffix(text, "hello") }}
	names := func(h retrieve.Hit) []string {
		var out []string
		for _, n := range h.Neighbours {
			out = append(out, n.ID)
		}
		slices.Sort(out)
		return out
	}
	for n, want := range map[int][]string{0: nil, 5: {"event", "near", "second"}} {
		o.Neighbours = n
		got := recall(t, o, retrieve.Request{Query: "zinc roof of the harbour master", Who: alice.Filter(), Limit: 1})
		if len(got.Hits) != 1 || got.Hits[0].Memory.ID != "hit" {
			t.Fatalf("%v\n%s", ids(got), got.Explain)
		}
		if diff := cmp.Diff(want, names(got.Hits[0])); diff != "" {
			t.Errorf("%d neighbours (-want +got):\n%s", n, diff)
		}
	}
	o.Neighbours = 1
	if got := recall(t, o, retrieve.Request{Query: "zinc roof of the harbour master", Who: alice.Filter(), Limit: 1}); len(got.Hits[0].Neighbours) != 1 {
		t.Errorf("one asked for: %v", names(got.Hits[0]))
	}
	o.Neighbours = 5
	if got := recall(t, o, retrieve.Request{Query: "zinc roof of the harbour master", Category: "events", Who: alice.Filter(), Limit: 1, Source: retrieve.SourceCLI}); len(got.Hits) > 0 && len(names(got.Hits[0])) > 0 {
		t.Errorf("of the category: %v", names(got.Hits[0]))
	}
	o.Embedder = nil
	if got := recall(t, o, retrieve.Request{Query: "harbour master gate", Who: alice.Filter(), Limit: 1}); len(got.Hits) > 0 && len(got.Hits[0].Neighbours) > 0 {
		t.Errorf("keywords alone: %v", names(got.Hits[0]))
	}
}

// Every step says how many rows it got and left and how long it took, by the
// clock it was given.
func TestStages(t *testing.T) {
	var mu sync.Mutex
	at := now
	tick := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Millisecond)
		return at
	}
	s := &retrievetest.Searcher{Memories: []memory.Memory{fact("in", "the oven runs hot", retrievetest.AtCosine(0.9)), fact("out", "bread needs two hours", retrievetest.AtCosine(0.1))}}
	o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
	d := rank.DefaultDecay
	o.Clock, o.Decay, o.Diversity, o.LengthNormAnchor = tick, &d, 0.85, 500
	got := ask(t, o, "zinc roof", 3)
	var names []string
	for _, st := range got.Stages {
		names = append(names, st.Name)
		if st.Took <= 0 || st.Took > 20*time.Millisecond {
			t.Errorf("%s took %v", st.Name, st.Took)
		}
	}
	for _, want := range []string{"embed", "vector", "keyword", "fuse", "min_score", "active", "length", "hard_min_score", "decay", "diversity", "limit"} {
		if !slices.Contains(names, want) {
			t.Errorf("no stage %s in %v", want, names)
		}
	}
	if got.Left(retrieve.StageFuse) != 2 || got.Left(retrieve.StageMinScore) != 1 || got.Left("none") != 0 {
		t.Errorf("%+v", got.Stages)
	}
	if d := fate(got, "out"); d.Reason != retrieve.ReasonMinScore || d.Threshold != 0.3 || d.Score >= 0.3 || d.Why == nil {
		t.Errorf("%+v", d)
	}
}
