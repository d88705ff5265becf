package rank

import "math"

// ConvertDistanceThreshold brings a cut that was tuned on the score
// 1/(1+distance), distance being 1 − cosine, to the cosine: score ≥ t exactly
// when cosine ≥ 2 − 1/t. That score is never below 1/3 and is 0.5 for unrelated
// text, so every t up to 0.5 filtered nothing that mattered and becomes 0.
func ConvertDistanceThreshold(t float64) float64 {
	if math.IsNaN(t) || t <= 0.5 {
		return 0
	}
	return Clamp(2 - 1/t)
}

// CutEpsilon is how far below a threshold a score still passes. Cosines come
// from float32 vectors, whose unit length is off by about 1e-7 a component; a
// row at exactly the threshold must not depend on that.
const CutEpsilon = 1e-6

// Passes reports whether a score reaches a threshold. A score that is not a
// number passes nothing.
func Passes(score, threshold float64) bool { return score >= threshold-CutEpsilon }
