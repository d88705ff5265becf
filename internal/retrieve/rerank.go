package retrieve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

const (
	// rerankShare is the part of the time left that a second look may use. What
	// is left after the searches is at least a tenth of the caller's time; the
	// rest of that is for the steps that follow and the way back.
	rerankShare = 0.7
	// rerankLeast is the time below which a provider is not asked at all.
	rerankLeast = 100 * time.Millisecond
	// rerankMost bounds a second look where nobody else does.
	rerankMost = 5 * time.Second
)

// looksTwice reports whether there is a second look.
func (r *Retriever) looksTwice() bool {
	switch r.opts.Rerank.Mode {
	case RerankCrossEncoder:
		return r.opts.Rerank.By != nil
	case RerankLightweight:
		return true
	}
	return false
}

// rerank looks at the best rows a second time. Whatever goes wrong with the
// reranker leaves the rows exactly as they were and one line in Degraded.
func (r *Retriever) rerank(ctx context.Context, p *pass, rows []*row) []*row {
	if r.opts.Rerank.Mode == RerankLightweight {
		return r.closer(p, rows)
	}
	seen := r.worthALook(p.q, rows)
	if len(seen) == 0 {
		return rows
	}
	scores, err := r.secondLook(ctx, p.q.text, seen)
	if err != nil {
		p.degraded = append(p.degraded, Degraded{Half: HalfRerank, Reason: err.Error()})
		p.says(0, "%v; the rows are as they were", err)
		return rows
	}
	named := len(p.q.words.Identifiers) > 0
	given := make(map[*row]float64, len(seen))
	for i, x := range seen {
		given[x] = scores[i]
	}
	scored := 0
	for _, x := range rows {
		score, sent := given[x]
		if !sent || math.IsNaN(score) {
			unranked(x, sent)
			continue
		}
		scored++
		x.hit.Reranked = &score
		x.hit.Reason += fmt.Sprintf(", second look (%.2f)", score)
		before := x.hit.Score
		x.set(rank.Rerank(score, before, x.words(), x.exact, named), StageRerank, score, "%.2f x this + %.2f x %.4f", rank.RerankWeight, 1-rank.RerankWeight, before)
	}
	p.says(float64(scored), "of %d rows scored by %s", len(rows), r.opts.Rerank.By.Name())
	return order(rows)
}

// worthALook are the rows that are sent: the best, as many as there were to be
// candidates, without those that will be left out anyway.
func (r *Retriever) worthALook(q question, rows []*row) []*row {
	var best []*row
	for _, x := range rows {
		if _, out := q.without[x.hit.Memory.ID]; !out && len(best) < r.opts.PoolSize {
			best = append(best, x)
		}
	}
	return best
}

// unranked is for a row without a score: it goes after those that have one,
// except when it holds the very identifier that was asked for.
func unranked(x *row, sent bool) {
	why := "not among the rows that were sent"
	if sent {
		why = "left out of the answer"
	}
	before := x.hit.Score
	x.set(rank.Unranked(before, x.words(), x.exact), StageRerank, 0, "%s; was %.4f", why, before)
	if x.exact.Identifiers < 1 {
		x.hit.Behind = BehindUnscored
	}
}

// closer is the second look without a provider: similarity counts once more.
func (r *Retriever) closer(p *pass, rows []*row) []*row {
	named := len(p.q.words.Identifiers) > 0
	for _, x := range rows {
		v := x.hit.Vector
		if v == nil {
			continue
		}
		before := x.hit.Score
		x.set(rank.Closer(before, rank.Known(v.Score), x.exact, named), StageRerank, v.Score, "%.2f x this + %.2f x %.4f", rank.CosineWeight, 1-rank.CosineWeight, before)
	}
	p.says(float64(len(rows)), "rows looked at again by their meaning")
	return order(rows)
}

// secondLook asks the reranker within its share of the time, and does not wait
// for one that does not listen.
func (r *Retriever) secondLook(ctx context.Context, query string, rows []*row) ([]float64, error) {
	by := r.opts.Rerank.By
	deadline, bounded := ctx.Deadline()
	if bounded && time.Until(deadline) < rerankLeast {
		return nil, fmt.Errorf("%s was not asked: less than %v left of the time for this recall", by.Name(), rerankLeast)
	}
	look, cancel := withShare(ctx, rerankShare)
	defer cancel()
	t := r.opts.Rerank.Timeout
	if t <= 0 && !bounded {
		t = rerankMost
	}
	if t > 0 {
		var stop context.CancelFunc
		look, stop = context.WithTimeout(look, t)
		defer stop()
	}
	documents := make([]string, len(rows))
	for i, x := range rows {
		documents[i] = x.hit.Memory.Text
	}
	type answer struct {
		scores []float64
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		scores, err := by.Rerank(look, query, documents)
		answered <- answer{scores, err}
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			return nil, late(look, ctx, by, a.err)
		}
		return a.scores, believable(a.scores, len(rows), by)
	case <-look.Done():
		return nil, late(look, ctx, by, look.Err())
	}
}

// late says so when it was our bound that ended the look.
func late(look, ctx context.Context, by Reranker, err error) error {
	if errors.Is(look.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
		return fmt.Errorf("%s took longer than its part of the time for this recall: %w", by.Name(), err)
	}
	return err
}

// believable refuses an answer that says nothing or is none: another number of
// scores, none at all, one outside [0,1], or the same for every row.
func believable(scores []float64, rows int, by Reranker) error {
	if len(scores) != rows {
		return fmt.Errorf("%s answered with %d scores for %d documents", by.Name(), len(scores), rows)
	}
	known, lowest, highest := 0, math.Inf(1), math.Inf(-1)
	for _, s := range scores {
		if math.IsNaN(s) {
			continue
		}
		if s < 0 || s > 1 {
			return fmt.Errorf("%s answered with a score of %g, outside 0 to 1", by.Name(), s)
		}
		known++
		lowest, highest = min(lowest, s), max(highest, s)
	}
	switch {
	case known == 0:
		return fmt.Errorf("%s answered with no score for any of %d documents", by.Name(), rows)
	case known > 1 && lowest == highest:
		return fmt.Errorf("%s answered with the same score for each of %d documents", by.Name(), known)
	}
	return nil
}
