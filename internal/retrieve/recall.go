package retrieve

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
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
	p := r.begin(q, found)
	rows := p.walk(ctx, r.steps(q), nil)
	r.watch(ctx, p)
	result := p.result(rows)
	r.log.DebugContext(ctx, "recalled", "mode", result.Mode, "source", req.Source, "hits", len(result.Hits), "dropped", len(result.Dropped), "degraded", len(result.Degraded))
	return result, nil
}

// steps is the pipeline. Up to the last cut everything judges relevance; what
// comes after it reorders what is relevant and cannot cost a row its place in the
// answer by being old.
func (r *Retriever) steps(q question) []step {
	o := r.opts
	var list []step
	add := func(on bool, name string, run func(context.Context, *pass, []*row) []*row) {
		if on {
			list = append(list, step{name, run})
		}
	}
	tagged := !q.tags.None()
	add(true, StageFuse, r.fused)
	add(tagged, StageTags, r.tagged)
	add(true, StageMinScore, r.minScore)
	add(true, StageActive, r.active)
	add(true, StageContext, r.context)
	add(!tagged && r.looksTwice(), StageRerank, r.rerank)
	add(o.LengthNormAnchor > 0, StageLength, r.length)
	add(true, StageHardMin, r.hardMinScore)
	add(r.judgesEvidence(q), StageEvidence, r.enough)
	add(o.Decay == nil && o.Age != nil, StageImportance, r.importance)
	add(o.Decay != nil || o.Age != nil, StageDecay, r.decay)
	add(o.FilterNoise && o.Noise != nil, StageNoise, r.noise)
	add(len(q.prefer) > 0, StageIntent, r.intent)
	add(o.Diversity > 0, StageDiversity, r.diversity)
	add(len(q.without) > 0 || !q.heldAt.IsZero(), StageWithout, r.without)
	add(true, StageLimit, r.limit)
	add(o.Neighbours > 0, StageNeighbours, r.neighbours)
	return list
}

// fused joins the halves, best first.
func (r *Retriever) fused(_ context.Context, p *pass, _ []*row) []*row {
	rows := order(r.fuse(p.q, p.found))
	r.weigh(p, rows)
	for _, x := range rows {
		x.hit.Relevance = x.hit.Score
	}
	p.says(float64(len(rows)), "rows after joining both halves")
	if p.missing = missing(p.q, rows); len(p.missing) > 0 {
		p.says(float64(len(rows)), "rows after joining both halves; %s", nowhere(p.missing))
	}
	return rows
}

// limit keeps the first of the rows.
func (r *Retriever) limit(_ context.Context, p *pass, rows []*row) []*row {
	rows = order(rows)
	n := min(p.q.limit, len(rows))
	p.says(float64(n), "%d more were over the limit", len(rows)-n)
	for _, x := range rows[n:] {
		last := rows[n-1].hit
		d := Drop{Reason: ReasonLimit, Threshold: last.Score, By: last.Memory.ID}
		if x.hit.Behind == BehindAlike {
			d = Drop{Reason: ReasonDiverse, Threshold: r.opts.Diversity, By: x.hit.LikeID, Detail: "says the same as " + x.hit.LikeID}
		}
		p.drop(x, d)
	}
	return rows[:n]
}

// result is the answer, with the hits as the last lines of its explanation.
func (p *pass) result(rows []*row) Result {
	p.root.Value = float64(len(rows))
	hits := make([]Hit, len(rows))
	for i, x := range rows {
		if len(p.missing) > 0 {
			x.hit.Reason += "; " + nowhere(p.missing)
		}
		hits[i] = x.hit
		p.root.Add(rank.Explain("hit "+x.hit.Memory.ID, x.hit.Score, x.hit.Reason, x.hit.Why.Children...))
	}
	return Result{
		Hits: hits, Mode: p.q.mode(p.found), Degraded: append(p.found.degraded(), p.degraded...), Explain: p.root,
		Stages: p.stages, Dropped: p.dropped, Expanded: p.q.expanded,
	}
}
