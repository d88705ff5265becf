package retrieve_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve/retrievetest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// harbour is a small store in which every step has something to do.
func harbour() []memory.Memory {
	plane := func(x, y, z float32) []float32 { return []float32{x, y, z} }
	opens := aged("m01-opens", "The harbour opens at six in the morning", plane(0.8, 0.6, 0), 3)
	again := aged("m02-again", "At six in the morning the harbour opens", plane(0.79, 0.613, 0), 2)
	fees := aged("m03-fees", "Harbour fees are due in May", plane(0.6, 0, 0.8), 200)
	fees.Metadata.AccessCount, fees.Metadata.LastAccessedAt, fees.Importance = 4, now.Add(-24*time.Hour), 0.9
	master := aged("m04-master", "proj:apollo Lena is the harbour master", plane(0.5, -0.6, 0.62), 400)
	master.Metadata.Tier, master.Metadata.TemporalType = memory.TierPeripheral, "dynamic"
	tea := aged("m05-tea", "Lena likes her tea strong", plane(0.55, -0.8, 0.2), 30)
	tea.Category, tea.Metadata.Category = memory.StoredPreference, memory.Preferences
	long := aged("m06-log", "The log of the harbour says: "+strings.Repeat("a ship came in, a ship went out; ", 40), plane(0.7, 0.1, 0.7), 10)
	hello := aged("m07-hello", "hello harbour", plane(0.65, 0.3, -0.7), 1)
	old := aged("m08-superseded", "The harbour opens at seven", plane(0.8, 0.5, 0.1), 500)
	old.Metadata.InvalidatedAt, old.Metadata.SupersededBy = now.Add(-72*time.Hour), "m01-opens"
	crash := aged("m09-crash", "支付容器昨天崩溃", plane(0.1, 0.9, 0.3), 5)
	private := aged("m10-private", "The harbour is in debt", plane(0.9, 0, 0), 5)
	private.Scope = scope.ForAgent("bob")
	return []memory.Memory{opens, again, fees, master, tea, long, hello, old, crash, private}
}

// stale answers as a store does that has not seen the newest change.
type stale struct{ *retrievetest.Searcher }

func (s stale) Nearest(ctx context.Context, who scope.Filter, n memory.Narrow, v []float32, limit int) ([]memory.Hit, error) {
	n.ActiveAt = time.Time{}
	return s.Searcher.Nearest(ctx, who, n, v, limit)
}

// Every step leaves its line in the explanation: a change of any shows up as a diff.
func TestEveryStepIsExplained(t *testing.T) {
	alice, err := scope.ForCaller(scope.Caller{AgentID: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	scores := map[string]float64{}
	for i, m := range harbour()[:5] {
		scores[m.Text] = float64(i+1) / 10
	}
	const question = "when does the harbour open?"
	decay, age := rank.DefaultDecay, rank.DefaultAge
	noisy := func(text string) bool { return strings.HasPrefix(text, "hello") }
	for name, c := range map[string]struct {
		change func(*retrieve.Options, *retrieve.Request)
	}{
		"vector": {func(o *retrieve.Options, _ *retrieve.Request) { o.Mode = retrieve.ModeVector }},
		"tags":   {func(_ *retrieve.Options, r *retrieve.Request) { r.Query = "who is it in proj:apollo" }},
		"expanded": {func(o *retrieve.Options, r *retrieve.Request) {
			o.QueryExpansion, r.Query, r.Source = true, "docker crash", retrieve.SourceCLI
		}},
		"active": {func(o *retrieve.Options, _ *retrieve.Request) {
			o.Searcher = stale{o.Searcher.(*retrievetest.Searcher)}
		}},
		"rerank": {func(o *retrieve.Options, _ *retrieve.Request) {
			o.Rerank = retrieve.Rerank{Mode: retrieve.RerankCrossEncoder, By: &retrievetest.Reranker{Scores: scores}}
		}},
		"rerank-failed": {func(o *retrieve.Options, _ *retrieve.Request) {
			by := &retrievetest.Reranker{On: func(context.Context) error { return errors.New("status 503") }}
			o.Rerank = retrieve.Rerank{Mode: retrieve.RerankCrossEncoder, By: by}
		}},
		"lightweight": {func(o *retrieve.Options, _ *retrieve.Request) { o.Rerank.Mode = retrieve.RerankLightweight }},
		"length":      {func(o *retrieve.Options, _ *retrieve.Request) { o.LengthNormAnchor = 500 }},
		"decay":       {func(o *retrieve.Options, _ *retrieve.Request) { o.Decay = &decay }},
		"age":         {func(o *retrieve.Options, _ *retrieve.Request) { o.Age = &age }},
		"noise":       {func(o *retrieve.Options, _ *retrieve.Request) { o.FilterNoise, o.Noise = true, noisy }},
		"intent": {func(_ *retrieve.Options, r *retrieve.Request) {
			r.Prefer = []memory.StoredCategory{memory.StoredPreference}
		}},
		"diversity": {func(o *retrieve.Options, r *retrieve.Request) { o.Diversity, r.Limit = retrieve.DefaultDiversity, 3 }},
		"without": {func(_ *retrieve.Options, r *retrieve.Request) {
			r.Without = map[string]string{"m01-opens": "shown before"}
		}},
		"neighbours": {func(o *retrieve.Options, r *retrieve.Request) { o.Neighbours, r.Limit = 2, 2 }},
		"watch": {func(o *retrieve.Options, r *retrieve.Request) {
			o.PoolSize, r.Limit = 2, 1
			r.Watch = []string{"m06-log", "m08-superseded", "m09-crash", "m03-fees", "m10-private", "m99"}
		}},
		"context": {func(o *retrieve.Options, _ *retrieve.Request) {
			rows := o.Searcher.(*retrievetest.Searcher).Memories
			for i := range rows[:4] {
				rows[i].Metadata.Source, rows[i].Metadata.SourceSession = memory.SourceAutoCapture, "s1"
				rows[i].Time = now.Add(time.Duration(i) * time.Minute)
			}
		}},
		"evidence": {func(o *retrieve.Options, r *retrieve.Request) {
			o.Evidence, r.Source, r.Query = true, retrieve.SourceHook, "how does Ines tune the harpsichord at the harbour?"
			o.Embedder, o.MinScore, o.HardMinScore = nil, 0, 0
		}},
		// All of them, as configured by nobody.
		"defaults": {func(o *retrieve.Options, r *retrieve.Request) {
			o.Decay, o.LengthNormAnchor, o.Diversity = &decay, retrieve.DefaultLengthAnchor, retrieve.DefaultDiversity
			o.FilterNoise, o.Noise, o.QueryExpansion, r.Source = true, noisy, true, retrieve.SourceManual
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := defaults(&retrievetest.Searcher{Memories: harbour()}, &retrievetest.Embedder{Otherwise: []float32{1, 0, 0}})
			o.TagPrefixes = retrieve.DefaultTagPrefixes
			req := retrieve.Request{Query: question, Limit: 5, Who: alice.Filter(), Now: now}
			c.change(&o, &req)
			golden(t, "stage-"+name, recall(t, o, req).Explain.String())
		})
	}
}

// No step goes without a tree on record.
func TestGoldenTreesCoverEveryStep(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			seen[name] = true
		}
	}
	for _, stage := range retrieve.AllStages() {
		if stage != retrieve.StageEmbed && !seen[stage] {
			t.Errorf("no golden tree has a line of %q", stage)
		}
	}
}
