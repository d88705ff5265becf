package server

import (
	"context"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/recalls"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Explain is Recall with a made-up trace behind it.
func (f *fake) Explain(ctx context.Context, r engine.RecallRequest) (engine.RecallAnswer, error) {
	a, err := f.Recall(ctx, r)
	if err != nil {
		return a, err
	}
	ms := time.Millisecond
	a.Stages = []retrieve.Stage{
		{Name: retrieve.StageEmbed, Took: 12 * ms},
		{Name: retrieve.StageVector, Out: 7, Took: 3 * ms},
		{Name: retrieve.StageFuse, Out: 7, Took: 40 * time.Microsecond, Lowest: 0.1, Highest: 0.75},
		{Name: retrieve.StageMinScore, In: 7, Out: 2, Took: 5 * time.Microsecond, Lowest: 0.31, Highest: 0.75, Dropped: []string{"a1", "a2", "a3", "a4", "a5"}},
		{Name: retrieve.StageLimit, In: 2, Out: len(a.Hits), Lowest: 0.75, Highest: 0.75, Dropped: []string{"b1"}},
	}
	a.Dropped = []retrieve.Drop{{ID: "a1", Stage: retrieve.StageMinScore, Reason: retrieve.ReasonMinScore, Score: 0.2, Threshold: 0.3, By: ""}}
	a.Expanded = r.Query + " bills"
	a.Explain = rank.Explain("recall", float64(len(a.Hits)), "mode hybrid")
	return a, nil
}

// Why knows the first row, and that there is another one out of reach.
func (f *fake) Why(_ context.Context, r engine.WhyRequest) (engine.WhyAnswer, error) {
	if r.Who == engine.Agent("", "") {
		return engine.WhyAnswer{}, &scope.NoAgentError{}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	a := engine.WhyAnswer{ID: r.ID, Query: r.Query, Mode: retrieve.ModeHybrid}
	i, _, err := f.find(r.ID, "")
	switch {
	case err != nil && r.ID == "ffffffff-0000-4000-8000-000000000000":
		a.Verdict, a.Text, a.Next = engine.OutOfReach, "It is in a scope that you do not read.", "Ask whoever looks after it."
		return a, nil
	case engine.FaultOf(err) == engine.FaultNotFound:
		a.Verdict, a.Text = engine.Missing, "There is no such memory."
		return a, nil
	case err != nil:
		return a, err
	case i < 0:
		return a, &engine.BadInputError{Problem: "no id"}
	}
	a.Memory = &f.rows[i]
	a.Verdict, a.Stage, a.Score, a.Threshold, a.Of = retrieve.ReasonMinScore, retrieve.StageMinScore, 0.25, 0.3, 2
	a.Text, a.Next = "Its score, 0.250, is 0.050 below retrieval.minScore, which is 0.300.", "Lower it."
	a.Why = rank.Explain("score", 0.25, "", rank.Explain("fused", 0.25, ""))
	return a, nil
}

func (f *fake) Stats(_ context.Context, r engine.StatsRequest) (engine.StatsAnswer, error) {
	if r.Who == engine.Agent("", "") {
		return engine.StatsAnswer{}, &scope.NoAgentError{}
	}
	a := engine.StatsAnswer{
		Stats:      store.Stats{Total: 3, ByScope: map[string]int64{"global": 1, "agent:main": 2}, ByCategory: map[string]int64{"fact": 2, "preference": 1}, Pending: 1},
		Accessible: []string{"global", "agent:main"}, RetrievalMode: retrieve.ModeHybrid, TextIndex: store.IndexState{Present: true, Indexed: 3}, Dimensions: 384,
	}
	if r.Scope == "agent:other" {
		a.IgnoredScope = r.Scope
	}
	ms := time.Millisecond
	recall := recalls.Entry{
		At: fakeTime, Source: retrieve.SourceManual, Took: 4 * ms, Hits: []recalls.Hit{{ID: "a", Score: 1}},
		Stages: []recalls.Stage{{Name: retrieve.StageVector, Out: 7, Took: 3 * ms}, {Name: retrieve.StageMinScore, In: 7, Out: 2, Took: ms}},
		Drops:  map[string]int{retrieve.ReasonMinScore: 5, retrieve.ReasonLimit: 1},
	}
	empty := recalls.Entry{At: fakeTime.Add(time.Minute), Source: retrieve.SourceHook, Took: 9 * ms, Degraded: []string{retrieve.HalfVector}}
	a.Recalls = recalls.Summarize([]recalls.Entry{recall})
	recorded := recalls.Summarize([]recalls.Entry{recall, empty})
	a.Recorded = &recorded
	return a, nil
}
