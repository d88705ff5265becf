package retrieve_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve/retrievetest"
	"pgregory.net/rapid"
)

var words = []string{"harbour", "gate", "fees", "bread", "oven", "E1043", "proj:apollo", "svc-billing-eu2", "支付网关", "docker", "the", "hello"}

func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		out := ""
		for _, w := range rapid.SliceOfN(rapid.SampledFrom(words), 0, 6).Draw(t, "words") {
			out += w + " "
		}
		return out + rapid.SampledFrom([]string{"", "\xff", "?", "…"}).Draw(t, "tail")
	})
}

func anyMemory(i int) *rapid.Generator[memory.Memory] {
	return rapid.Custom(func(t *rapid.T) memory.Memory {
		m := aged(fmt.Sprintf("m%02d", i), anyText().Draw(t, "text"), nil, float64(rapid.IntRange(0, 3).Draw(t, "days"))*100)
		if rapid.Bool().Draw(t, "embedded") {
			m.Vector = []float32{float32(rapid.IntRange(-2, 2).Draw(t, "x")), float32(rapid.IntRange(-2, 2).Draw(t, "y")), 1}
		}
		m.Importance = rapid.Float64Range(0, 1).Draw(t, "importance")
		m.Metadata.AccessCount = rapid.IntRange(0, 3).Draw(t, "recalls")
		m.Metadata.Tier = rapid.SampledFrom([]memory.Tier{memory.TierCore, memory.TierWorking, memory.TierPeripheral}).Draw(t, "tier")
		return m
	})
}

func anyOptions() *rapid.Generator[retrieve.Options] {
	return rapid.Custom(func(t *rapid.T) retrieve.Options {
		o := retrieve.Options{
			VectorWeight: rapid.Float64Range(0, 1).Draw(t, "wv"), BM25Weight: rapid.Float64Range(0, 1).Draw(t, "wb"),
			MinScore: rapid.Float64Range(0, 0.5).Draw(t, "min"), HardMinScore: rapid.Float64Range(0, 0.5).Draw(t, "hard"),
			PoolSize: rapid.IntRange(0, 30).Draw(t, "pool"), Mode: rapid.SampledFrom([]string{"", retrieve.ModeVector, retrieve.ModeKeyword}).Draw(t, "mode"),
			QueryExpansion: rapid.Bool().Draw(t, "expand"), LengthNormAnchor: rapid.SampledFrom([]int{0, 10, 500}).Draw(t, "anchor"),
			Diversity: rapid.SampledFrom([]float64{0, 0.5, 0.85}).Draw(t, "diversity"), Neighbours: rapid.IntRange(0, 2).Draw(t, "neighbours"),
			FilterNoise: rapid.Bool().Draw(t, "noise"), Noise: func(text string) bool { return text == "hello " },
		}
		if rapid.Bool().Draw(t, "tags") {
			o.TagPrefixes = retrieve.DefaultTagPrefixes
		}
		decay, age := rank.DefaultDecay, rank.DefaultAge
		switch rapid.IntRange(0, 2).Draw(t, "ageing") {
		case 1:
			o.Decay = &decay
		case 2:
			o.Age = &age
		}
		switch rapid.IntRange(0, 2).Draw(t, "look") {
		case 1:
			o.Rerank.Mode = retrieve.RerankLightweight
		case 2:
			scores := map[string]float64{}
			for _, w := range words {
				scores[w+" "] = rapid.Float64Range(0, 1).Draw(t, "score")
			}
			o.Rerank = retrieve.Rerank{Mode: retrieve.RerankCrossEncoder, By: &retrievetest.Reranker{Scores: scores}}
		}
		return o
	})
}

// Whatever is stored, configured and asked: scores are in [0,1], hits in order,
// each candidate ends once and where it is said, and the order of rows in the
// store does not matter.
func TestAnyRecall(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var rows []memory.Memory
		for i := range rapid.IntRange(0, 12).Draw(rt, "rows") {
			rows = append(rows, anyMemory(i).Draw(rt, "row"))
		}
		o := anyOptions().Draw(rt, "options")
		req := retrieve.Request{
			Query: anyText().Draw(rt, "query"), Limit: rapid.IntRange(0, 8).Draw(rt, "limit"), Who: everyone(), Now: now.Add(time.Hour),
			Source: rapid.SampledFrom([]string{retrieve.SourceManual, retrieve.SourceHook}).Draw(rt, "source"),
			Watch:  []string{"m00", "m01", "m02"}, Without: map[string]string{"m03": "seen"}, Prefer: []memory.StoredCategory{memory.StoredFact},
		}
		shuffled := append([]memory.Memory(nil), rows...)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		run := func(rows []memory.Memory) retrieve.Result {
			o.Searcher, o.Embedder = &retrievetest.Searcher{Memories: rows}, &retrievetest.Embedder{Otherwise: []float32{1, 1, 1}}
			got, err := retrieve.New(o).Recall(t.Context(), req)
			if err != nil {
				rt.Fatal(err)
			}
			return got
		}
		got := run(rows)
		check(t, got)
		ended := map[string]bool{}
		for _, h := range got.Hits {
			ended[h.Memory.ID] = true
			if !(h.Relevance >= 0 && h.Relevance <= 1) || h.Relevance < o.HardMinScore-rank.CutEpsilon {
				rt.Fatalf("relevance %v under a cut of %v", h.Relevance, o.HardMinScore)
			}
		}
		for _, d := range got.Dropped {
			if ended[d.ID] {
				rt.Fatalf("%s ends twice", d.ID)
			}
			ended[d.ID] = true
			if !(d.Score >= 0 && d.Score <= 1) {
				rt.Fatalf("%s dropped at %v", d.ID, d.Score)
			}
		}
		for _, id := range req.Watch[:min(len(rows), len(req.Watch))] {
			if !ended[id] && len(got.Stages) > 0 {
				rt.Fatalf("nobody knows what became of %s", id)
			}
		}
		if diff := cmp.Diff(ids(got), ids(run(shuffled))); diff != "" {
			rt.Fatalf("other order of rows, other answer:\n%s", diff)
		}
	})
}
