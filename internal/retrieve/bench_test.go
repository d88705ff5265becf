package retrieve_test

import (
	"fmt"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve/retrievetest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"

	"context"
)

// pool answers with the same candidates at once, so that only our own work is timed.
type pool struct{ vector, keyword []memory.Hit }

func (p pool) Nearest(context.Context, scope.Filter, memory.Narrow, []float32, int) ([]memory.Hit, error) {
	return p.vector, nil
}

func (p pool) Matching(context.Context, scope.Filter, memory.Narrow, string, int) ([]memory.Hit, error) {
	return p.keyword, nil
}

func BenchmarkRecall(b *testing.B) {
	var p pool
	for i := range 20 {
		v := make([]float32, 1024)
		v[0], v[i+1] = 1, 1
		p.vector = append(p.vector, memory.Hit{Memory: fact(fmt.Sprintf("v%d", i), fmt.Sprintf("The payment gateway note %d: 支付网关周三晚上用蓝绿发布，回滚窗口三十分钟, owned by svc-billing-eu%d", i, i), v), Score: 0.7})
		p.keyword = append(p.keyword, memory.Hit{Memory: fact(fmt.Sprintf("k%d", i), fmt.Sprintf("Deploys of svc-billing-eu%d are frozen in December, ask Mara", i), v), Score: 3})
	}
	query := make([]float32, 1024)
	query[0] = 1
	all := defaults(p, &retrievetest.Embedder{Otherwise: query})
	decay := rank.DefaultDecay
	all.Decay, all.LengthNormAnchor, all.Diversity, all.QueryExpansion = &decay, retrieve.DefaultLengthAnchor, retrieve.DefaultDiversity, true
	all.TagPrefixes, all.FilterNoise, all.Noise = retrieve.DefaultTagPrefixes, true, func(string) bool { return false }
	for name, o := range map[string]retrieve.Options{"plain": defaults(p, all.Embedder), "default steps": all} {
		b.Run(name, func(b *testing.B) {
			r := retrieve.New(o)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Recall(b.Context(), retrieve.Request{Query: "when is svc-billing-eu2 deployed behind the payment gateway?", Limit: 5, Who: everyone(), Now: now, Source: retrieve.SourceManual}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
