package retrieve

import (
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// begin opens the account of a request with what the searches found.
func (r *Retriever) begin(q question, f found) *pass {
	p := &pass{q: q, found: f, clock: r.opts.Clock}
	searched := fmt.Sprintf("searched for %q", q.words.Keywords)
	if q.expanded != "" {
		searched = fmt.Sprintf("searched for %q, its words and others of the same meaning", q.expanded)
	}
	words := explainHalf(f.keyword, searched)
	if r.weights.BM25 == 0 && f.vector.answered() && f.keyword.answered() {
		words.Message += "; of weight 0, so only what has no vector"
	}
	meaning := explainHalf(f.vector, "")
	if r.weights.Vector == 0 && !f.vector.ran {
		meaning.Message += ", of weight 0"
	}
	p.root = rank.Explain("recall", 0, "mode "+q.mode(f)).Add(
		rank.Explain("asked for", float64(q.limit), fmt.Sprintf("%d candidates asked of each half", q.pool)),
		meaning,
		words,
	)
	if f.embedded {
		p.stages = append(p.stages, Stage{Name: StageEmbed, Took: f.embedding})
	}
	for _, h := range []half{f.vector, f.keyword} {
		if h.searched {
			p.stages = append(p.stages, Stage{Name: h.name, Out: len(h.hits), Took: h.took})
		}
	}
	return p
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
		rank.Explain("asked for", float64(q.limit), ""))}
}
