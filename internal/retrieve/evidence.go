package retrieve

import (
	"context"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// weigh notes what the candidates together say about whether the question is
// about something that is remembered.
func (r *Retriever) weigh(p *pass, rows []*row) {
	if !r.judgesEvidence(p.q) {
		return
	}
	cosines := make([]float64, 0, len(p.found.vector.hits))
	for _, h := range p.found.vector.hits {
		cosines = append(cosines, h.Score)
	}
	held := make([]rank.Held, len(rows))
	for i, x := range rows {
		if held[i] = x.held; x.held == 0 { // also where words have no part in the score
			_, held[i] = p.q.words.Compare(x.hit.Memory.Text)
		}
	}
	p.evidence = p.q.words.Evidence(cosines, held)
}

// judgesEvidence reports whether the request is one that must be about something
// remembered.
func (r *Retriever) judgesEvidence(q question) bool {
	return r.opts.Evidence && q.source == SourceHook && q.tags.None()
}

// enough drops every row when the question is about nothing that is remembered.
// Only what is put before a turn unasked is judged so: somebody who asks can judge
// the answer.
func (r *Retriever) enough(_ context.Context, p *pass, rows []*row) []*row {
	e := p.evidence
	sum := e.Sum()
	left := p.sift(rows, func(*row) (Drop, bool) {
		return Drop{Reason: ReasonEvidence, Detail: "nothing remembered is clearly about this"}, sum < 0
	})
	p.says(sum, "0 or more is enough: %s", weighed(e))
	return left
}

// weighed names the parts of the evidence.
func weighed(e rank.Evidence) string {
	var parts []string
	if e.Known {
		parts = append(parts, fmt.Sprintf("best cosine %.4f, %.4f above the middle one", e.Cosine, e.Rise))
	}
	parts = append(parts, fmt.Sprintf("%.2f of the question in one row", e.Coverage))
	if e.Held {
		parts = append(parts, "an identifier is there")
	}
	if len(e.Strangers) > 0 {
		parts = append(parts, "nobody knows "+quoted(e.Strangers))
	}
	return strings.Join(parts, ", ")
}
