package rank

import (
	"testing"

	"pgregory.net/rapid"
)

func TestRerankMix(t *testing.T) {
	whole := Exact{Identifiers: 1, Words: 1}
	for name, c := range map[string]struct{ got, want float64 }{
		"plain mix":                       {Rerank(0.9, 0.5, 0, Exact{}, false), 0.74},
		"at least half":                   {Rerank(0, 0.8, 0, Exact{}, false), 0.4},
		"at least 0.9 for many words":     {Rerank(0, 0.8, 0.6, Exact{}, false), 0.72},
		"at least 0.9 for all words":      {Rerank(0, 0.8, 0, Exact{Words: 1}, false), 0.72},
		"at least 0.95 for strong words":  {Rerank(0, 0.8, 0.75, Exact{}, false), 0.76},
		"an identifier stands":            {Rerank(0, Guard(0.5, whole), 0, whole, true), 0.85 + 0.15*0.475},
		"without it not past the floor":   {Rerank(1, 0.8, 0, Exact{}, true), 0.85},
		"a better score is not taken":     {Rerank(1, 0.9, 0, Exact{}, true), 0.9},
		"no identifier asked, no ceiling": {Rerank(1, 0.8, 0, Exact{}, false), 0.92},
		"left out":                        {Unranked(0.8, 0, Exact{}), 0.64},
		"left out, many words":            {Unranked(0.8, 0.6, Exact{}), 0.76},
		"left out, strong words":          {Unranked(0.8, 0.75, Exact{}), 0.8},
		"left out, identifier":            {Unranked(Guard(0.5, whole), 0, whole), Guard(0.5, whole)},
		"by meaning":                      {Closer(0.5, Known(0.9), Exact{}, false), 0.62},
		"by no meaning":                   {Closer(0.5, Unknown, Exact{}, false), 0.5},
	} {
		near(t, name, c.got, c.want)
	}
}

func TestALooksScoreIsInTheUnitIntervalAndMonotone(t *testing.T) {
	unit := rapid.Float64Range(0, 1)
	rapid.Check(t, func(t *rapid.T) {
		e, words, named := anyExact().Draw(t, "exact"), anyFloat().Draw(t, "words"), rapid.Bool().Draw(t, "named")
		inUnit(t, "Rerank", Rerank(anyFloat().Draw(t, "r"), anyFloat().Draw(t, "s"), words, e, named))
		inUnit(t, "Unranked", Unranked(anyFloat().Draw(t, "s"), words, e))
		inUnit(t, "Closer", Closer(anyFloat().Draw(t, "s"), anySide().Draw(t, "v"), e, named))

		lo, hi := unit.Draw(t, "lo"), unit.Draw(t, "hi")
		lo, hi = min(lo, hi), max(lo, hi)
		score := Guard(unit.Draw(t, "fused"), e)
		if a, b := Rerank(lo, score, words, e, named), Rerank(hi, score, words, e, named); a > b+1e-12 {
			t.Fatalf("reranked %v gives %v, %v gives %v", lo, a, hi, b)
		}
		if a, b := Rerank(score, Guard(lo, e), words, e, named), Rerank(score, Guard(hi, e), words, e, named); a > b+1e-12 {
			t.Fatalf("a score of %v gives %v, %v gives %v", lo, a, hi, b)
		}
		// The guard: what holds the identifier stays above what does not, unless
		// that was above the floor by itself.
		holder := Rerank(lo, Guard(unit.Draw(t, "holder"), Exact{Identifiers: 1}), 0, Exact{Identifiers: 1}, true)
		if other := Rerank(1, min(score, IdentifierFloor), 0, Exact{}, true); other > holder+1e-12 {
			t.Fatalf("a row without the identifier at %v, the one with it at %v", other, holder)
		}
	})
}
