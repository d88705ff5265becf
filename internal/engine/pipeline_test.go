package engine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// The steps that need the real index: how it cuts a tag into words, what an added
// word finds, which rows are related, and what became of one that no half lists.
func TestThePipelineOverTheRealStore(t *testing.T) {
	f := start(t, nil, func(o *Options) {
		o.Config.Retrieval.Neighbours.Enabled, o.Config.Retrieval.Neighbours.MaxPerResult = true, 2
	})
	for _, text := range []string{
		"Apollo is launched in May, proj:apollo", "The launch pad of proj:apollo-2 is green", "A proj of ours is called Apollo and launched in June",
		"支付容器昨天崩溃了两次", "env:eu-west serves proj:apollo on Mondays",
	} {
		f.remember(text)
	}
	ask := func(r RecallRequest) RecallAnswer {
		t.Helper()
		r.Who, r.Limit = main, 5
		a, err := f.Recall(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := ask(RecallRequest{Query: "when is it launched, PROJ:Apollo"})
	if diff := cmp.Diff([]string{"Apollo is launched in May, proj:apollo", "env:eu-west serves proj:apollo on Mondays"}, texts(a)); diff != "" || a.Mode != retrieve.ModeTags {
		t.Errorf("mode %s (-want +got)\n%s\n%s", a.Mode, diff, a.Explain)
	}
	if a := ask(RecallRequest{Query: "env:eu-west proj:apollo"}); len(a.Hits) != 1 || !strings.HasPrefix(a.Hits[0].Memory.Text, "env:eu") {
		t.Errorf("both tags: %q", texts(a))
	}
	for source, want := range map[string]int{retrieve.SourceManual: 1, retrieve.SourceCLI: 1, retrieve.SourceHook: 0} {
		if a := ask(RecallRequest{Query: "docker crash", Source: source}); len(a.Hits) != want {
			t.Errorf("expanded for %s: %q", source, texts(a))
		}
	}
}

func TestRelatedRowsAndWatchedRows(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding(), func(o *Options) {
		o.Config.Retrieval.Neighbours.Enabled, o.Config.Retrieval.Neighbours.MaxPerResult = true, 2
	})
	f.remember("The harbour gate opens at six")
	related := f.remember("The harbour gate is painted green every May by Lena").Memory.ID
	far := f.remember("Bread rises for two hours in the warm kitchen").Memory.ID
	a, err := f.Recall(t.Context(), RecallRequest{Who: main, Query: "when does the harbour gate open", Limit: 1, Watch: []string{far, related, "no-such-id"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Hits) != 1 || len(a.Hits[0].Neighbours) != 1 || a.Hits[0].Neighbours[0].ID != related {
		t.Errorf("%q with %+v\n%s", texts(a), a.Hits, a.Explain)
	}
	ends := map[string]string{}
	for _, d := range a.Dropped {
		ends[d.ID] = d.Reason
	}
	if ends[far] != retrieve.ReasonMinScore || ends[related] == "" || len(ends) != 2 {
		t.Errorf("ends: %v", ends)
	}
}
