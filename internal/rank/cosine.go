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

// fewVectors is how many vectors tell half as much as many do.
const fewVectors = 10

// Likeness tells for each vector how much closer to the others it lies than they
// do in the mean: the mean of its cosines with all others, minus the mean of those
// means. Among few vectors that is chance, so it counts n/(n+10). Vectors without a
// direction, and those of another width than the first, get 0 and do not count.
// Fewer than three vectors tell nothing.
func Likeness(vectors [][]float32) []float64 {
	like := make([]float64, len(vectors))
	var sum []float64
	norms := make([]float64, len(vectors))
	n := 0.0
	for i, v := range vectors {
		if sum == nil && len(v) > 0 {
			sum = make([]float64, len(v))
		}
		square := 0.0
		for _, x := range v {
			square += float64(x) * float64(x)
		}
		norm := math.Sqrt(square)
		if len(v) != len(sum) || !(norm > 0) || math.IsInf(norm, 1) {
			continue
		}
		norms[i] = norm
		n++
		for j, x := range v {
			sum[j] += float64(x) / norm
		}
	}
	if n < 3 {
		return like
	}
	mean := 0.0
	for i, v := range vectors {
		if norms[i] == 0 {
			continue
		}
		dot := 0.0
		for j, x := range v {
			dot += float64(x) * sum[j]
		}
		like[i] = (dot/norms[i] - 1) / (n - 1)
		mean += like[i] / n
	}
	for i := range like {
		if norms[i] > 0 {
			like[i] = (like[i] - mean) * n / (n + fewVectors)
		}
	}
	return like
}
