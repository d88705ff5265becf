package retrieve

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// minScore drops what hardly fits, before anything dear is done with it.
func (r *Retriever) minScore(_ context.Context, p *pass, rows []*row) []*row {
	return p.cut(rows, r.opts.MinScore, ReasonMinScore)
}

// hardMinScore is the last cut by relevance; nothing after it drops a row for its
// score. What it judges is noted as the row's relevance.
func (r *Retriever) hardMinScore(_ context.Context, p *pass, rows []*row) []*row {
	for _, x := range rows {
		x.hit.Relevance = x.hit.Score
	}
	return p.cut(rows, r.opts.HardMinScore, ReasonHardMinScore)
}

func (p *pass) cut(rows []*row, threshold float64, reason string) []*row {
	left := p.sift(rows, func(x *row) (Drop, bool) {
		return Drop{Reason: reason, Threshold: threshold}, !rank.Passes(x.hit.Score, threshold)
	})
	p.says(threshold, "%d of %d rows reach it", len(left), len(rows))
	return left
}

// active drops what is not current. The searches have been told so, too; a row
// that ran out, or was superseded, while they ran ends here.
func (r *Retriever) active(_ context.Context, p *pass, rows []*row) []*row {
	return p.sift(rows, func(x *row) (Drop, bool) {
		reason, detail := notCurrent(x.hit.Memory, p.q.now)
		return Drop{Reason: reason, Detail: detail}, reason != ""
	})
}

// noise drops small talk that found its way into the store.
func (r *Retriever) noise(_ context.Context, p *pass, rows []*row) []*row {
	return p.sift(rows, func(x *row) (Drop, bool) {
		return Drop{Reason: ReasonNoise, Detail: "its text says nothing"}, r.noisy(x.hit.Memory.Text)
	})
}

func (r *Retriever) noisy(text string) bool {
	return r.opts.FilterNoise && r.opts.Noise != nil && r.opts.Noise(text)
}

// without drops what the caller has no use for, as it was shown a moment ago, and
// what is held back. It comes late, so that what it drops has set the bar for the
// rest.
func (r *Retriever) without(_ context.Context, p *pass, rows []*row) []*row {
	held := memory.Narrow{UnsuppressedAt: p.q.heldAt}
	return p.sift(rows, func(x *row) (Drop, bool) {
		if reason, out := p.q.without[x.hit.Memory.ID]; out {
			return Drop{Reason: reason, Detail: "left out: " + reason}, true
		}
		reason, detail := keptOut(held, x.hit.Memory)
		return Drop{Reason: reason, Detail: detail}, reason != ""
	})
}
