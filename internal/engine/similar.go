package engine

import (
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// profile says how to read the cosines of the embedder.
func (e *Engine) profile() rank.Profile {
	if e.embedder == nil {
		return rank.Plain
	}
	return rank.ProfileOf(e.embedder.Model())
}

// similarity is a cosine on the scale the duplicate thresholds stand on: the
// model's calibrated one, or for a model without a profile that of the
// TypeScript plugin, 1/(2−cosine).
func (e *Engine) similarity(cosine float64) float64 {
	if p := e.profile(); len(p.Points) > 0 {
		return rank.Calibrate(p, cosine)
	}
	return 1 / (2 - cosine)
}

// cosineOf is a cosine just below the smallest whose similarity is over a bound.
func (e *Engine) cosineOf(similarity float64) float64 {
	low, high := -1.0, 1.0
	for range 30 { // to 1e-9; similarity rises with the cosine
		if middle := (low + high) / 2; e.similarity(middle) > similarity {
			high = middle
		} else {
			low = middle
		}
	}
	return low - 1e-6
}

// coarse reports whether vectors alone say little about two texts that are
// nearly the same. With the embedded model "the meeting is on Monday" and "… on
// Wednesday" are as close as two restatements, so that only a text that adds no
// word may count as one.
func (e *Engine) coarse() bool { return len(e.profile().Points) > 0 }

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// sameOpening compares the first two words of two texts, or characters where
// words are not separated. That is mostly what a statement is about: "my dentist
// is Dr. Weiss" is no newer version of "my lawyer is Dr. Weiss".
func sameOpening(a, b string) bool {
	a, b = firstTwo(a), firstTwo(b)
	return a != "" && a == b
}

func firstTwo(text string) string {
	var units []string
	for _, w := range strings.Fields(rank.Fold(text)) {
		if first := []rune(w); unspaced(first[0]) {
			for _, r := range first {
				units = append(units, string(r))
			}
		} else {
			units = append(units, w)
		}
		if len(units) >= 2 {
			return strings.Join(units[:2], " ")
		}
	}
	return strings.Join(units, " ")
}
