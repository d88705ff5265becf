package retrieve

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// diversity puts a row behind the others when a better one says the same: the
// greedy form of maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998)
// with a threshold instead of a trade-off. Nothing is dropped here; with room
// left, the repetition is shown after everything else.
//
// It stops when the answer is full, so it compares each row with the answer and
// not with every other one.
func (r *Retriever) diversity(_ context.Context, p *pass, rows []*row) []*row {
	rows = order(rows)
	room := p.q.limit + len(p.q.without)
	var chosen []*row
	moved := 0
	for _, x := range rows {
		if len(chosen) == room || x.hit.Behind != "" {
			break
		}
		like, cosine := r.alike(x, chosen)
		if like == nil {
			chosen = append(chosen, x)
			continue
		}
		moved++
		x.hit.Behind, x.hit.LikeID = BehindAlike, like.hit.Memory.ID
		x.hit.Why.Add(rank.Explain(StageDiversity, cosine, "put behind others, for "+like.hit.Memory.ID+" says the same"))
	}
	if moved > 0 {
		p.says(r.opts.Diversity, "%d of %d rows say what a better one says and go behind the others", moved, len(rows))
	}
	return order(rows)
}

// alike is the first of the chosen rows that says what x says.
func (r *Retriever) alike(x *row, chosen []*row) (*row, float64) {
	for _, c := range chosen {
		if cosine, ok := rank.Cosine(x.hit.Memory.Vector, c.hit.Memory.Vector); ok && cosine > r.opts.Diversity {
			return c, cosine
		}
	}
	return nil, 0
}
