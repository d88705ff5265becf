package retrieve

import (
	"context"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// deepPool is how far a tag is looked for among rows that hold its parts.
const deepPool = 1000

// byTags looks for rows that hold the tags. The index knows the parts of a tag
// and not the tag, so more rows are asked for than are wanted; and when other
// words of the query crowd out rows with the tag, once more by the tags alone.
func (r *Retriever) byTags(ctx context.Context, q question) ([]memory.Hit, error) {
	hits, err := r.opts.Searcher.Matching(ctx, q.who, q.narrow, q.words.Keywords, MaxPoolSize+len(q.without))
	if err != nil || len(hits) < MaxPoolSize || holding(q, hits) >= q.limit {
		return hits, err
	}
	deep, err := r.opts.Searcher.Matching(ctx, q.who, q.narrow, strings.Join(q.tags.Tokens, " "), deepPool)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, h := range hits {
		known[h.Memory.ID] = true
	}
	for _, h := range deep {
		if !known[h.Memory.ID] && q.tags.In(h.Memory.Text) {
			hits = append(hits, h)
		}
	}
	return hits, nil
}

func holding(q question, hits []memory.Hit) (n int) {
	for _, h := range hits {
		if q.tags.In(h.Memory.Text) {
			n++
		}
	}
	return n
}

// tagged keeps the rows that hold every tag of the query, to the letter. They
// are what was asked for, whatever their words score.
func (r *Retriever) tagged(_ context.Context, p *pass, rows []*row) []*row {
	left := p.sift(rows, func(x *row) (Drop, bool) {
		return Drop{Reason: ReasonTag, Detail: "without a tag that was asked for"}, !p.q.tags.In(x.hit.Memory.Text)
	})
	for _, x := range left {
		if x.exact.Identifiers == 1 {
			continue
		}
		x.exact.Identifiers = 1
		x.exact.Found = append(x.exact.Found, p.q.tags.Tokens...)
		x.set(rank.Guard(x.hit.Fused, x.exact), StageTags, rank.IdentifierFloor, "floor of a row that holds %s", quoted(p.q.tags.Tokens))
	}
	p.says(float64(len(left)), "%d of %d rows hold %s", len(left), len(rows), quoted(p.q.tags.Tokens))
	return order(left)
}
