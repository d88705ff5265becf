package retrieve

import (
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// trail collects what happened to the candidates, stage by stage.
type trail struct {
	root   *rank.Node
	found  found
	counts Counts
}

func newTrail(q question, f found) *trail {
	t := &trail{found: f, counts: Counts{Vector: len(f.vector.hits), Keyword: len(f.keyword.hits)}}
	t.root = rank.Explain("recall", 0, "mode "+modeOf(f)).Add(
		rank.Explain("limit", float64(q.limit), fmt.Sprintf("%d candidates asked of each half", q.pool)),
		explainHalf(f.vector, ""),
		explainHalf(f.keyword, fmt.Sprintf("searched for %q", q.words.Keywords)),
	)
	return t
}

func explainHalf(h half, message string) *rank.Node {
	switch {
	case !h.ran:
		message = "not used"
	case h.err != nil:
		message = "failed: " + h.err.Error()
	}
	return rank.Explain(h.name+" candidates", float64(len(h.hits)), message)
}

// modeOf names the halves that answered.
func modeOf(f found) string {
	switch {
	case f.vector.answered() && f.keyword.answered():
		return ModeHybrid
	case f.vector.answered():
		return ModeVector
	}
	return ModeKeyword
}

func (t *trail) fused(rows []*row) []*row {
	t.counts.Fused = len(rows)
	t.root.Add(rank.Explain("fused", float64(len(rows)), "rows after joining both halves"))
	return rows
}

// kept notes which rows a cut dropped, with their full explanation, so that a
// miss can be explained like a hit.
func (t *trail) kept(stage string, threshold float64, before, after []*row) []*row {
	node := rank.Explain(stage, threshold, fmt.Sprintf("%d of %d rows reach it", len(after), len(before)))
	if stage == "minScore" {
		t.counts.AboveMin = len(after)
	} else {
		t.counts.AboveHard = len(after)
	}
	t.drop(node, before, after)
	return after
}

func (t *trail) limited(before, after []*row) []*row {
	t.counts.Returned, t.counts.OverBudget = len(after), len(before)-len(after)
	node := rank.Explain("returned", float64(len(after)), fmt.Sprintf("%d more were over the limit", len(before)-len(after)))
	t.drop(node, before, after)
	return after
}

// drop adds the rows of before that are not in after; rows keep their order.
func (t *trail) drop(node *rank.Node, before, after []*row) {
	alive := make(map[string]bool, len(after))
	for _, x := range after {
		alive[x.hit.Memory.ID] = true
	}
	for _, x := range order(before) {
		if !alive[x.hit.Memory.ID] {
			node.Add(rank.Explain("dropped "+x.hit.Memory.ID, x.hit.Score, x.hit.Reason, x.hit.Why.Children...))
		}
	}
	t.root.Add(node)
}

func (t *trail) result(rows []*row) Result {
	t.root.Value = float64(len(rows))
	hits := make([]Hit, len(rows))
	for i, x := range rows {
		hits[i] = x.hit
		t.root.Add(rank.Explain("hit "+x.hit.Memory.ID, x.hit.Score, x.hit.Reason, x.hit.Why.Children...))
	}
	return Result{Hits: hits, Mode: modeOf(t.found), Degraded: t.found.degraded(), Explain: t.root, Counts: t.counts}
}

// nothing answers a query that holds nothing to search for.
func (r *Retriever) nothing(q question) Result {
	mode := ModeHybrid
	switch {
	case r.opts.Embedder == nil || r.opts.Mode == ModeKeyword:
		mode = ModeKeyword
	case r.opts.Mode == ModeVector:
		mode = ModeVector
	}
	return Result{Mode: mode, Hits: []Hit{}, Explain: rank.Explain("recall", 0, "the query holds no letter or digit to search for").Add(
		rank.Explain("limit", float64(q.limit), ""))}
}
