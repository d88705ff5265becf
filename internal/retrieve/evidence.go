package retrieve

import (
	"context"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// nearBest is the share of the best score that a memory needs to stand beside the
// best one unasked.
const nearBest = 0.6

// weigh notes for each candidate whether it is about what the question is about.
func (r *Retriever) weigh(p *pass, rows []*row) {
	if !r.judgesEvidence(p.q) {
		return
	}
	near := make([]rank.Near, 0, len(p.found.vector.hits))
	for _, h := range p.found.vector.hits {
		near = append(near, rank.Near{Cosine: h.Score, Apart: r.apart(p.q, h.Memory.Text)})
	}
	held := make([]rank.Held, len(rows))
	for i, x := range rows {
		if held[i] = x.held; x.held == 0 { // also where words have no part in the score
			_, held[i] = p.q.words.Compare(x.hit.Memory.Text)
		}
	}
	p.ground = p.q.words.Ground(near, held)
	for i, x := range rows {
		x.evidence = r.evidence(p, x, held[i])
	}
}

func (r *Retriever) evidence(p *pass, x *row, held rank.Held) rank.Evidence {
	if x.hit.Vector == nil {
		return p.ground.Of(rank.Near{}, false, held)
	}
	return p.ground.Of(rank.Near{Cosine: x.hit.Vector.Raw, Apart: r.apart(p.q, x.hit.Memory.Text)}, true, held)
}

// judgesEvidence reports whether the request is one that must be about something
// remembered.
func (r *Retriever) judgesEvidence(q question) bool {
	return r.opts.Evidence && q.source == SourceHook && q.tags.None()
}

// enough drops every row that is not clearly about the question, and those far
// behind the best. Only what is put before a turn unasked is judged so: somebody
// who asks can judge the answer.
func (r *Retriever) enough(_ context.Context, p *pass, rows []*row) []*row {
	best, bar := 0.0, ""
	for _, x := range rows {
		if x.hit.Score > best {
			best, bar = x.hit.Score, x.hit.Memory.ID
		}
	}
	left := p.sift(rows, func(x *row) (Drop, bool) {
		d := Drop{Reason: ReasonEvidence}
		if sum := x.evidence.Sum(); sum < 0 {
			d.Detail = fmt.Sprintf("not clearly about this (%.2f of 0): %s", sum, weighed(x.evidence))
			return d, true
		}
		d.Threshold, d.By = nearBest*best, bar
		d.Detail = "far behind the best one"
		return d, x.hit.Score < d.Threshold
	})
	p.says(float64(len(left)), "of %d rows are clearly about this", len(rows))
	return left
}

// weighed names the parts of the evidence.
func weighed(e rank.Evidence) string {
	var parts []string
	if e.Known {
		parts = append(parts, fmt.Sprintf("cosine %.4f, %.4f above the middle one", e.Cosine, e.Rise))
	}
	parts = append(parts, fmt.Sprintf("%.2f of the question in it", e.Coverage))
	if e.Held {
		parts = append(parts, "an identifier is there")
	}
	if len(e.Strangers) > 0 {
		parts = append(parts, "it does not name "+quoted(e.Strangers))
	}
	if e.Task {
		parts = append(parts, "the prompt is a piece of work")
	}
	return strings.Join(parts, ", ")
}
