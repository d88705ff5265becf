package retrieve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Shares of the time left until the caller's deadline.
const (
	// searchShare is what both halves together may use; the rest is for fusing
	// and answering, so that a half which runs out of time still leaves a result
	// the caller is there to receive.
	searchShare = 0.9
	// embedShare is what embedding the query may use. The remaining fifth of the
	// search time is for the vector query itself (tens of milliseconds in a
	// large table); of the usual 2 s that leaves the provider 1.4 s.
	embedShare = 0.7
)

// half is one way of searching and what came of it.
type half struct {
	name string
	hits []memory.Hit
	err  error
	ran  bool
	// searched is set when the store was asked; took is how long it needed.
	searched bool
	took     time.Duration
}

// answered reports whether the half ran without fault.
func (h half) answered() bool { return h.ran && h.err == nil }

// found holds both halves and the vector of the query, nil without one.
type found struct {
	vector, keyword half
	query           []float32
	// embedding is how long the query's vector took, if one was asked for.
	embedding time.Duration
	embedded  bool
}

// degraded lists the halves that failed.
func (f found) degraded() []Degraded {
	var out []Degraded
	for _, h := range []half{f.vector, f.keyword} {
		if h.ran && h.err != nil {
			out = append(out, Degraded{Half: h.name, Reason: h.err.Error()})
		}
	}
	return out
}

// candidates asks both halves at the same time. A half that fails leaves the
// other's answer; only when none is left it is an error.
//
// A half whose weight is 0 has no influence: that of meaning is asked only when
// the words fail, that of words lists only what has no vector yet.
func (r *Retriever) candidates(ctx context.Context, q question) (found, error) {
	if err := ctx.Err(); err != nil {
		return found{}, fmt.Errorf("recalling: %w", err)
	}
	search, cancel := withShare(ctx, searchShare)
	defer cancel()
	f := found{vector: half{name: HalfVector}, keyword: half{name: HalfKeyword}}
	var wg sync.WaitGroup
	embeds := r.opts.Embedder != nil && r.opts.Mode != ModeKeyword && q.tags.None()
	if embeds && (r.weights.Vector > 0 || r.opts.Mode == ModeVector) {
		f.vector.ran = true
		wg.Go(func() { r.byMeaning(ctx, search, q, &f) })
	}
	if !f.vector.ran || r.opts.Mode != ModeVector {
		wg.Go(func() { r.byWords(search, q, &f.keyword) })
	}
	wg.Wait()
	// Mode "vector" is a wish about ranking, not a reason to find nothing.
	if f.vector.err != nil && !f.keyword.ran {
		r.byWords(search, q, &f.keyword)
	}
	if f.keyword.err != nil && embeds && !f.vector.ran {
		f.vector.ran = true
		r.byMeaning(ctx, search, q, &f)
	}
	if r.weights.BM25 == 0 && f.vector.answered() {
		f.keyword.hits = slices.DeleteFunc(slices.Clone(f.keyword.hits), func(h memory.Hit) bool { return len(h.Memory.Vector) > 0 })
	}
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return found{}, fmt.Errorf("recalling: %w", ctx.Err())
	}
	if !f.vector.answered() && !f.keyword.answered() {
		return found{}, bothFailed(f)
	}
	return f, nil
}

// byMeaning embeds the query within its share of the time and looks for the
// nearest rows. It keeps the vector also when that search fails: rows found by
// their words can then still be judged by their cosine.
func (r *Retriever) byMeaning(ctx, search context.Context, q question, f *found) {
	embed, cancel := withShare(ctx, embedShare)
	defer cancel()
	f.embedded = true
	begun := r.opts.Clock()
	vector, err := r.opts.Embedder.EmbedQuery(embed, q.text)
	embedded := r.opts.Clock()
	f.embedding = embedded.Sub(begun)
	if err != nil {
		if embed.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("embedding the query took longer than %d%% of the time left for this recall: %w", int(embedShare*100), err)
		}
		f.vector.err = err
		return
	}
	f.query, f.vector.searched = vector, true
	f.vector.hits, f.vector.err = r.opts.Searcher.Nearest(search, q.who, q.narrow, vector, q.pool)
	f.vector.took = r.opts.Clock().Sub(embedded)
}

// byWords looks for rows that share words with the query.
func (r *Retriever) byWords(ctx context.Context, q question, h *half) {
	h.ran, h.searched = true, true
	begun := r.opts.Clock()
	if q.tags.None() {
		h.hits, h.err = r.opts.Searcher.Matching(ctx, q.who, q.narrow, q.keywords(), q.pool)
	} else {
		h.hits, h.err = r.byTags(ctx, q)
	}
	h.took = r.opts.Clock().Sub(begun)
}

// withShare bounds a context by a share of the time it has left; a context
// without a deadline stays without one.
func withShare(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(share*float64(time.Until(deadline))))
}

// bothFailed names what went wrong with each half that was tried.
func bothFailed(f found) error {
	switch {
	case !f.vector.ran:
		return fmt.Errorf("recalling: %w", f.keyword.err)
	case !f.keyword.ran:
		return fmt.Errorf("recalling: %w", f.vector.err)
	}
	return fmt.Errorf("recalling: no half of the search could answer: %w; %w", f.vector.err, f.keyword.err)
}
