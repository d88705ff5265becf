package server

import (
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/recalls"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// People read of every step in words, and of none that took no time and left nothing
// out.
func TestStepsInWords(t *testing.T) {
	for _, name := range retrieve.AllStages() {
		if stepWords[name] == "" {
			t.Errorf("no words for the step %s", name)
		}
	}
	quick, slow := 20*time.Microsecond, 3*time.Millisecond
	of := func(name string, took time.Duration, dropped int) recalls.StageSummary {
		return recalls.StageSummary{Name: name, Runs: 1, Took: recalls.Quantiles{P50: took, P95: took, P99: took}, Dropped: dropped}
	}
	got := RecallLines(recalls.Summary{
		Recalls: 1, Took: recalls.Quantiles{P50: slow, P95: slow, P99: slow},
		Stages: []recalls.StageSummary{
			of(retrieve.StageEmbed, quick, 0), of(retrieve.StageVector, slow, 0), of(retrieve.StageFuse, slow, 0), of(retrieve.StageMinScore, quick, 4),
		},
		Drops: []recalls.DropCount{{Reason: retrieve.ReasonHardMinScore, Count: 4}, {Reason: "of a later version", Count: 1}},
	}, "- ")
	_, got, _ = strings.Cut(got, "- took p50 3.0, p95 3.0, p99 3.0 ms\n")
	want := `- search by meaning: p50 3.0, p95 3.0, p99 3.0 ms
- first cut, retrieval.minScore: left out 4
- left out most: below retrieval.hardMinScore (4), of a later version (1)
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}
