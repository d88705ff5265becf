package server

import (
	"cmp"
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// stageCounts are the names under which the TypeScript plugin counts what is left
// after a step.
var stageCounts = map[string]string{
	retrieve.StageMinScore: "afterMinScore", retrieve.StageRerank: "afterRerank", retrieve.StageImportance: "afterImportance",
	retrieve.StageLength: "afterLengthNorm", retrieve.StageDecay: "afterTimeDecay", retrieve.StageHardMin: "afterHardMinScore",
	retrieve.StageNoise: "afterNoiseFilter", retrieve.StageDiversity: "afterDiversity",
}

// Diagnostics tell how a recall went, for the tools and the command line.
func Diagnostics(r engine.RecallRequest, a engine.RecallAnswer) protocol.Diagnostics {
	d := protocol.Diagnostics{
		Source: r.Source, Mode: a.Mode, Query: r.Query, BM25Query: a.Expanded, QueryExpanded: a.Expanded != "",
		Limit: r.Limit, Scopes: a.Scopes, Category: r.Category, Final: len(a.Hits),
		Vector: a.Left(retrieve.StageVector), Keyword: a.Left(retrieve.StageKeyword), Fused: a.Left(retrieve.StageFuse),
		StageCounts: map[string]int{}, DropSummary: []protocol.StageDrop{}, Stages: []protocol.StageTrace{}, Dropped: []protocol.DroppedRow{},
		Degraded: degradedOf(a),
	}
	if a.Explain != nil {
		d.Explain = a.Explain
	}
	for _, s := range a.Stages {
		if name := stageCounts[s.Name]; name != "" {
			d.StageCounts[name] = s.Out
		}
		if s.Name == retrieve.StageRerank {
			d.StageCounts["rerankInput"] = s.In
		}
		trace := protocol.StageTrace{Name: s.Name, Input: s.In, Output: s.Out, DroppedIDs: notNil(s.Dropped), DurationMs: milliseconds(s.Took)}
		if s.Out > 0 && s.Highest > 0 { // the searches themselves have no scores yet
			trace.ScoreRange = []float64{s.Lowest, s.Highest}
		}
		d.Stages = append(d.Stages, trace)
		if s.In > s.Out {
			d.DropSummary = append(d.DropSummary, protocol.StageDrop{Stage: s.Name, Before: s.In, After: s.Out, Dropped: s.In - s.Out})
		}
	}
	slices.SortStableFunc(d.DropSummary, func(a, b protocol.StageDrop) int { return cmp.Compare(b.Dropped, a.Dropped) })
	for _, row := range a.Dropped {
		d.Dropped = append(d.Dropped, protocol.DroppedRow{
			ID: row.ID, Stage: row.Stage, Reason: row.Reason, Detail: row.Detail, Score: row.Score, Threshold: row.Threshold, By: row.By,
		})
	}
	return d
}

// milliseconds with three digits after the point.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond).Microseconds()) / 1000
}
