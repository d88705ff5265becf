package retrieve

import (
	"fmt"
	"math"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// fuse joins the halves by id and scores each row.
//
// A half that answered counts for every row: a row it did not list has a 0 from
// it. Two rules soften this where the 0 would be wrong. A row found by words
// alone carries its vector, so its true cosine is computed. And a half that
// found nothing at all has nothing to say about this query (no stored row
// shares a word with it, as when one asks in another language or script), so its
// weight goes to the other half as if it had been off; else every such query
// would be judged by a stricter threshold than the rest. A half whose weight is
// set to 0 is not asked, see candidates.
func (r *Retriever) fuse(q question, f found) []*row {
	var rows []*row
	known := map[string]*row{}
	get := func(m memory.Memory) *row {
		x, ok := known[m.ID]
		if !ok {
			x = &row{hit: Hit{Memory: m}}
			known[m.ID] = x
			rows = append(rows, x)
		}
		return x
	}
	for i, h := range f.vector.hits {
		if x := get(h.Memory); x.hit.Vector == nil {
			x.hit.Vector = &Source{Raw: h.Score, Rank: i + 1}
		}
	}
	for i, h := range f.keyword.hits {
		if x := get(h.Memory); x.hit.BM25 == nil {
			x.hit.BM25 = &Source{Score: rank.Saturate(h.Score), Raw: h.Score, Rank: i + 1}
		}
	}
	r.findHubs(f, rows)
	for _, x := range rows {
		r.score(q, f, x)
	}
	return rows
}

// missing are the identifiers of the question that no row holds.
func missing(q question, rows []*row) []string {
	if len(q.words.Identifiers) == 0 || !q.tags.None() {
		return nil
	}
	var held rank.Held
	for _, x := range rows {
		h := x.held
		if h == 0 { // also where words have no part in the score
			_, h = q.words.Compare(x.hit.Memory.Text)
		}
		held |= h
	}
	return q.words.Missing(held)
}

// findHubs notes how much each row loses for being like all the others.
func (r *Retriever) findHubs(f found, rows []*row) {
	if r.opts.Calibration.Hubs == 0 || len(f.query) == 0 {
		return
	}
	vectors := make([][]float32, len(rows))
	for i, x := range rows {
		vectors[i] = x.hit.Memory.Vector
	}
	for i, like := range rank.Likeness(vectors) {
		rows[i].hub = r.opts.Calibration.Hubs * like
	}
}

// score fills the scores of one row and their explanation.
func (r *Retriever) score(q question, f found, x *row) {
	h := &x.hit
	if h.Vector == nil && len(f.query) > 0 {
		if cosine, ok := rank.Cosine(f.query, h.Memory.Vector); ok {
			h.Vector = &Source{Raw: cosine}
		}
	}
	vector, words := rank.Unknown, rank.Unknown
	if h.Vector != nil {
		h.Vector.Score = rank.Calibrate(r.opts.Calibration, h.Vector.Raw+r.apart(q, h.Memory.Text)-x.hub)
		vector = rank.Known(h.Vector.Score)
	}
	switch {
	case h.BM25 != nil && vector.Known:
		h.BM25.Score = rank.SaturateOf(h.BM25.Raw, q.words.Terms())
		words = rank.Known(h.BM25.Score)
	case h.BM25 != nil:
		words = rank.Known(h.BM25.Score)
	case f.keyword.answered() && len(f.keyword.hits) > 0:
		words = rank.Known(0)
	}
	h.Fused = rank.Fuse(r.weights, vector, words)
	h.Score = h.Fused
	// Words that are to have no influence guard nothing either.
	if f.keyword.answered() && (r.weights.BM25 > 0 || !vector.Known) {
		if x.exact, x.held = q.words.Compare(h.Memory.Text); q.words.Hollow() {
			x.exact.Words = 0
		}
		h.Score = rank.Guard(h.Fused, x.exact)
	}
	h.Why = r.why(q, x, vector, words)
	h.Reason = reason(x)
}

// apart is what the model's profile adds to a cosine across scripts; nothing for a
// question of stop words, which has no meaning to be expressed in another one.
func (r *Retriever) apart(q question, text string) float64 {
	if by := r.opts.Calibration.AcrossScripts; by != 0 && !q.words.Hollow() && !rank.SameScript(q.text, text) {
		return by
	}
	return 0
}

// why explains the score of a row as a tree whose numbers can be added up.
func (r *Retriever) why(q question, x *row, vector, words rank.Side) *rank.Node {
	h, w := &x.hit, r.weights
	if !vector.Known || !words.Known {
		w = rank.Weights{}
		if vector.Known {
			w.Vector = 1
		}
		if words.Known {
			w.BM25 = 1
		}
	}
	fused := rank.Explain("fused", h.Fused, "")
	switch {
	case !vector.Known:
		fused.Add(rank.Explain("meaning", 0, "not known for this row, so its weight goes to the words"))
	default:
		fused.Add(rank.Explain("meaning", vector.Score, fmt.Sprintf("cosine %.4f%s, weight %.2f%s", h.Vector.Raw, scripts(r.apart(q, h.Memory.Text))+hubs(x.hub), w.Vector, place(h.Vector.Rank))))
	}
	switch {
	case !words.Known:
		fused.Add(rank.Explain("words", 0, "the keyword half says nothing, so its weight goes to the meaning"))
	case h.BM25 == nil:
		fused.Add(rank.Explain("words", 0, fmt.Sprintf("not among the keyword candidates, weight %.2f", w.BM25)))
	default:
		k := rank.SaturationK
		if vector.Known {
			k *= max(1, float64(q.words.Terms())/2)
		}
		fused.Add(rank.Explain("words", words.Score, fmt.Sprintf("BM25 %.4f / (%.4f + %.2g), weight %.2f%s", h.BM25.Raw, h.BM25.Raw, k, w.BM25, place(h.BM25.Rank))))
	}
	score := rank.Explain("score", h.Score, "").Add(fused)
	if h.Score > h.Fused {
		score.Message = "lifted by an exact match"
		score.Add(rank.Explain("exact", floorOf(h), fmt.Sprintf("floor of a row that holds %s: floor + (1 - floor) x fused", quoted(x.exact.Found))))
	}
	return score
}

// floorOf recovers the floor f from score = f + (1−f)·fused.
func floorOf(h *Hit) float64 {
	if h.Fused >= 1 {
		return 0
	}
	return (h.Score - h.Fused) / (1 - h.Fused)
}

func scripts(apart float64) string {
	if apart == 0 {
		return ""
	}
	return fmt.Sprintf(" (%+.2f as the scripts differ)", apart)
}

func hubs(hub float64) string {
	if math.Abs(hub) < 0.00005 {
		return ""
	}
	return fmt.Sprintf(" (%+.4f for its likeness to the others)", -hub)
}

func place(rank int) string {
	if rank == 0 {
		return ", computed from the stored vector"
	}
	return fmt.Sprintf(", place %d", rank)
}
