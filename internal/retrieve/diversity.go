package retrieve

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// alikeShare is the part of its own score at which a repetition is put in: it goes
// behind rows that do comparably well, and never behind one of less than half its
// score.
const alikeShare = 0.5

// diversity puts a row behind others when a better one says the same: the
// greedy form of maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998)
// with a threshold instead of a trade-off. A repetition is only what differs in no
// number, name, identifier or negation (rank.SameMatter), however like the vectors
// are. Nothing is dropped here; with room left, the repetition is shown.
//
// It stops when the answer is full, so it compares each row with the answer and
// not with every other one.
func (r *Retriever) diversity(_ context.Context, p *pass, rows []*row) []*row {
	rows = order(rows)
	room := p.q.limit + len(p.q.without)
	var chosen []*row
	cosines := map[*row]float64{}
	for _, x := range rows {
		if len(chosen) == room || x.hit.Behind != "" {
			break
		}
		like, cosine := r.alike(x, chosen)
		if like == nil {
			chosen = append(chosen, x)
			continue
		}
		x.hit.Behind, x.hit.LikeID = BehindAlike, like.hit.Memory.ID
		cosines[x] = cosine
	}
	if len(cosines) == 0 {
		return rows
	}
	rows = order(rows)
	moved, lowest := 0, 1.0
	for _, x := range rows {
		if cosine, repeats := cosines[x]; repeats && lowest < x.hit.Score {
			moved++
			x.hit.Why.Add(rank.Explain(StageDiversity, cosine, "put behind rows that do about as well, for "+x.hit.LikeID+" says the same"))
		}
		lowest = min(lowest, x.hit.Score)
	}
	p.says(r.opts.Diversity, "%d of %d rows say what a better one says, and %d of them went behind others that do about as well", len(cosines), len(rows), moved)
	return rows
}

// alike is the first of the chosen rows that says what x says.
func (r *Retriever) alike(x *row, chosen []*row) (*row, float64) {
	for _, c := range chosen {
		cosine, ok := rank.Cosine(x.hit.Memory.Vector, c.hit.Memory.Vector)
		if ok && cosine > r.opts.Diversity && rank.SameMatter(x.hit.Memory.Text, c.hit.Memory.Text) {
			return c, cosine
		}
	}
	return nil, 0
}
