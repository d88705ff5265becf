package retrieve

import (
	"context"
	"fmt"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// maxWatched bounds how many rows are looked at that no half listed.
const maxWatched = 50

// watch tells the fate of rows that the searches did not list, as if they had
// listed them: each is read, scored by its vector and its words, and judged by
// the cuts. The hits are settled by then and stay as they are. Ids that do not
// exist, or are out of reach, are not mentioned.
func (r *Retriever) watch(ctx context.Context, p *pass) {
	getter, can := r.opts.Searcher.(Getter)
	if !can || len(p.q.watch) == 0 {
		return
	}
	listed := map[string]bool{}
	for _, h := range slices.Concat(p.found.vector.hits, p.found.keyword.hits) {
		listed[h.Memory.ID] = true
	}
	var missing []string
	for _, id := range p.q.watch {
		if !listed[id] && !slices.Contains(missing, id) && len(missing) < maxWatched {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return
	}
	rows, err := getter.GetWhole(ctx, p.q.who, missing...)
	if err != nil {
		r.log.DebugContext(ctx, "looking at watched memories", "error", err)
		return
	}
	for _, id := range missing {
		if m, there := rows[id]; there {
			r.fate(ctx, p, m)
		}
	}
}

// fate sends one row through the cuts alone and notes where it ends.
func (r *Retriever) fate(ctx context.Context, p *pass, m memory.Memory) {
	x := &row{hit: Hit{Memory: m}}
	r.score(p.q, p.found, x)
	x.hit.Relevance = x.hit.Score
	p.at, p.note = StageFilter, nil
	defer func() {
		if p.note != nil {
			p.root.Add(p.note)
		}
	}()
	if reason, detail := keptOut(p.q.narrow, m); reason != "" {
		p.drop(x, Drop{Reason: reason, Detail: detail})
		return
	}
	before := len(p.dropped)
	for _, s := range r.steps(p.q) {
		if !slices.Contains(judges, s.name) {
			continue
		}
		p.at, p.note = s.name, nil
		if s.run(ctx, p, []*row{x}); len(p.dropped) > before {
			return
		}
	}
	p.at, p.note = StagePool, nil
	detail := fmt.Sprintf("not among the %d best of either half", p.q.pool)
	if n := len(p.found.vector.hits); n > 0 && x.hit.Vector != nil {
		detail += fmt.Sprintf(", the last of which by meaning has a cosine of %.4f and this one %.4f", p.found.vector.hits[n-1].Score, x.hit.Vector.Raw)
	}
	p.drop(x, Drop{Reason: ReasonPool, Detail: detail})
}

// judges are the steps that look at one row by itself.
var judges = []string{StageTags, StageMinScore, StageActive, StageLength, StageHardMin, StageImportance, StageDecay, StageNoise, StageIntent, StageWithout}
