package rank

// Weights of a second look at the candidates, those of the TypeScript plugin.
const (
	// RerankWeight is what a reranker's score counts, the rest is the score before.
	RerankWeight = 0.6
	// CosineWeight is what the similarity counts in a second look without a
	// provider, the rest is the score before.
	CosineWeight = 0.3
)

// keptOf is the share of its score that a row keeps at least, whatever the
// reranker says, by how literally it matches: strongly, fairly or not. Rerankers
// know nothing of names meant to the letter.
func keptOf(words float64, e Exact, strong, fair, other float64) float64 {
	switch {
	case words >= 0.75 || e.Identifiers >= 1:
		return strong
	case words >= 0.6 || e.Words >= 1:
		return fair
	}
	return other
}

// Rerank mixes a reranker's score with the score before: 0.6·reranked + 0.4·score,
// at least 0.95, 0.9 or 0.5 of the score before, by how literally the row matches.
// words is the row's score by its words, 0 if it has none.
//
// When the question names an identifier (named), a row that holds it keeps its
// floor, and one that does not cannot pass IdentifierFloor by the reranker's
// word: else a provider that finds svc-billing-eu1 a fine answer puts it above
// svc-billing-eu2.
func Rerank(reranked, score, words float64, e Exact, named bool) float64 {
	kept := keptOf(Clamp(words), e, 0.95, 0.9, 0.5)
	return literally(score, e, named, func(s float64) float64 {
		return max(RerankWeight*Clamp(reranked)+(1-RerankWeight)*s, kept*s)
	})
}

// Unranked is the score of a row that the reranker left out of its answer:
// 0.8 of the score before, 1.0 or 0.95 of it where the row matches literally.
func Unranked(score, words float64, e Exact) float64 {
	kept := keptOf(Clamp(words), e, 1, 0.95, 0.8)
	return literally(score, e, false, func(s float64) float64 { return kept * s })
}

// Closer is the second look without a provider: 0.7·score + 0.3·similarity, with
// the same guard. A row of unknown similarity keeps its score.
func Closer(score float64, similarity Side, e Exact, named bool) float64 {
	if !similarity.Known {
		return Clamp(score)
	}
	return literally(score, e, named, func(s float64) float64 {
		return (1-CosineWeight)*s + CosineWeight*Clamp(similarity.Score)
	})
}

// literally lets mix judge the part of a score that its identifiers have not
// earned, and puts the result back on their floor.
func literally(score float64, e Exact, named bool, mix func(float64) float64) float64 {
	score = Clamp(score)
	floor := e.Floor()
	if score < floor {
		floor = 0
	}
	mixed := lift(Clamp(mix((score-floor)/(1-floor))), floor)
	if named && e.Identifiers < 1 {
		mixed = min(mixed, max(score, IdentifierFloor))
	}
	return mixed
}
