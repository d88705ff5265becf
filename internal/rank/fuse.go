package rank

import "math"

// Weights say how much each half counts in a fused score.
type Weights struct{ Vector, BM25 float64 }

// DefaultWeights are used when neither weight is positive.
var DefaultWeights = Weights{Vector: 0.7, BM25: 0.3}

// Normal scales the weights to a sum of 1. Negative and non-finite ones count
// as 0.
func (w Weights) Normal() Weights {
	v, b := usable(w.Vector), usable(w.BM25)
	if v+b == 0 {
		return DefaultWeights
	}
	return Weights{Vector: v / (v + b), BM25: b / (v + b)}
}

func usable(w float64) float64 {
	if math.IsNaN(w) || math.IsInf(w, 0) || w < 0 {
		return 0
	}
	return min(w, maxWeight)
}

// maxWeight keeps the sum of two weights finite.
const maxWeight = 1e100

// Side is what one half knows about a row: a score in [0,1], or nothing.
// "Found, and it does not match" is a known 0; that differs from not known.
type Side struct {
	Score float64
	Known bool
}

// Known makes a side with a score.
func Known(score float64) Side { return Side{Score: Clamp(score), Known: true} }

// Unknown is the side of a half that could say nothing: it was off, it failed,
// or the row has no vector yet.
var Unknown = Side{}

// Fuse is the weighted sum of both sides. A known side without a match counts
// as 0. An unknown side leaves the sum, and its weight goes to the other: the
// score is then the other side's own, also when that side's weight is 0, for it
// is all there is. With both sides known a weight of 0 means no influence.
//
// A weighted sum beat reciprocal rank fusion for every model measured (with k =
// 60 and a weak model rank fusion was worse than keywords alone), and unlike it
// yields a number a threshold can be set on.
func Fuse(w Weights, vector, bm25 Side) float64 {
	w = w.Normal()
	switch {
	case vector.Known && bm25.Known:
		return Clamp(w.Vector*Clamp(vector.Score) + w.BM25*Clamp(bm25.Score))
	case vector.Known:
		return Clamp(vector.Score)
	case bm25.Known:
		return Clamp(bm25.Score)
	}
	return 0
}
