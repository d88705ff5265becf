package retrievetest

import (
	"context"
	"math"
	"sync"
)

// Reranker answers with the score of a document in Scores, and NaN for others.
type Reranker struct {
	Scores map[string]float64
	// On, when set, runs first; an error of its is the answer. It may wait for ctx.
	On func(ctx context.Context) error
	// Answer, when set, answers instead, with whatever it likes.
	Answer func(documents []string) []float64

	mu   sync.Mutex
	seen [][]string
}

// Name is "fake".
func (r *Reranker) Name() string { return "fake" }

// Rerank looks the documents up.
func (r *Reranker) Rerank(ctx context.Context, _ string, documents []string) ([]float64, error) {
	r.mu.Lock()
	r.seen = append(r.seen, documents)
	r.mu.Unlock()
	if err := before(ctx, r.On); err != nil {
		return nil, err
	}
	if r.Answer != nil {
		return r.Answer(documents), nil
	}
	scores := make([]float64, len(documents))
	for i, d := range documents {
		s, known := r.Scores[d]
		if !known {
			s = math.NaN()
		}
		scores[i] = s
	}
	return scores, nil
}

// Seen lists the documents of each call so far.
func (r *Reranker) Seen() [][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}
