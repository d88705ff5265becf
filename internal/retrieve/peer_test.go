package retrieve_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve/retrievetest"
)

// Peer-defect D3: a row that only the keyword half lists is weighted like the rest.
func TestBothHalvesBeatOne(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("both", "harbour gate fees", retrievetest.AtCosine(0.714)), fact("words", "harbour gate fees harbour gate fees", retrievetest.AtCosine(0.02)),
	}}
	for i := range 40 {
		s.Memories = append(s.Memories, fact(fmt.Sprint(i), fmt.Sprintf("bread number %d", i), retrievetest.AtCosine(0.3)))
	}
	got := ask(t, defaults(s, &retrievetest.Embedder{Otherwise: constant}), "harbour gate fees", 5)
	if len(got.Hits) < 1 || got.Hits[0].Memory.ID != "both" {
		t.Errorf("%v\n%s", ids(got), got.Explain)
	}
}

// Peer-defect D6: the same settings rank alike whoever asks, as far as the words
// looked for are the same.
func TestOneRankingForToolHookAndCommandLine(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		aged("old", "the harbour opens at six", retrievetest.AtCosine(0.8), 300), aged("new", "harbour fees are due in May", retrievetest.AtCosine(0.7), 1), fact("other", "bread", retrievetest.AtCosine(0.6)),
	}}
	o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
	d := rank.DefaultDecay
	o.Decay, o.QueryExpansion, o.LengthNormAnchor, o.Diversity = &d, true, 500, 0.85
	want := recall(t, o, retrieve.Request{Query: "harbour", Source: retrieve.SourceManual, Limit: 3})
	for _, source := range []string{retrieve.SourceHook, retrieve.SourceCLI} {
		if diff := cmp.Diff(want.Hits, recall(t, o, retrieve.Request{Query: "harbour", Source: source, Limit: 3}).Hits); diff != "" {
			t.Errorf("%s (-manual +%s):\n%s", source, source, diff)
		}
	}
}

// Peer-defect D7: a chain of old versions longer than any pool hides nothing, and
// neither does an archive.
func TestTheLiveVersionIsFoundBehindALongChain(t *testing.T) {
	s := &retrievetest.Searcher{}
	for i := range 500 {
		m := aged(fmt.Sprintf("v%03d", i), "the harbour opens at six", constant, 500-float64(i))
		if i%2 == 0 {
			m.Metadata.State = memory.StateArchived
		}
		m.Metadata.InvalidatedAt = m.Time.Add(time.Hour)
		s.Memories = append(s.Memories, m)
	}
	s.Memories = append(s.Memories, fact("live", "the harbour opens at seven", retrievetest.AtCosine(0.6)))
	got := recall(t, defaults(s, &retrievetest.Embedder{Otherwise: constant}), retrieve.Request{Query: "when does the harbour open", Limit: 3, Narrow: memory.Narrow{HideArchived: true}})
	if diff := cmp.Diff([]string{"live"}, ids(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
