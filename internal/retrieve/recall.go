package retrieve

import (
	"context"
)

// Recall answers a request. A query without a letter or digit gets an empty
// answer. An error means that nothing could be searched: an unknown category, a
// context that has ended, or every half failed.
func (r *Retriever) Recall(ctx context.Context, req Request) (Result, error) {
	q, err := r.question(req)
	if err != nil {
		return Result{}, err
	}
	if q.empty {
		return r.nothing(q), nil
	}
	found, err := r.candidates(ctx, q)
	if err != nil {
		return Result{}, err
	}
	t := newTrail(q, found)
	rows := t.fused(r.fuse(q, found))
	rows = t.kept("minScore", r.opts.MinScore, rows, cut(rows, r.opts.MinScore))
	// Later stages (rerank, length, age) come here, between the cuts: they may
	// reorder what is relevant, and the last cut sees the final score.
	rows = t.kept("hardMinScore", r.opts.HardMinScore, rows, cut(rows, r.opts.HardMinScore))
	rows = order(rows)
	rows = t.limited(rows, limit(rows, q.limit))
	result := t.result(rows)
	r.log.DebugContext(ctx, "recalled", "mode", result.Mode, "counts", result.Counts, "degraded", len(result.Degraded))
	return result, nil
}
