package rank

import "math"

// Cosine is the cosine of the angle between a and b, in [-1,1]. It is false when
// there is none: different widths, no components, a zero or non-finite vector.
func Cosine(a, b []float32) (float64, bool) {
	if len(a) != len(b) || len(a) == 0 {
		return 0, false
	}
	// Sums run in float64: in float32 the cosine of a 1024-wide vector with
	// itself is off by up to 1e-5, enough to move a row across a threshold.
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot += x * y
		aa += x * x
		bb += y * y
	}
	norm := math.Sqrt(aa) * math.Sqrt(bb)
	if !(norm > 0) || math.IsInf(norm, 1) || math.IsNaN(dot) {
		return 0, false
	}
	return min(max(dot/norm, -1), 1), true
}
