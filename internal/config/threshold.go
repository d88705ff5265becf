package config

// convertThreshold reads a cut on the TypeScript plugin's vector score
// s = 1/(1+d), d = 1−cosine, as a cut on the cosine: 2 − 1/s.
func convertThreshold(s float64) float64 {
	if s <= 0.5 {
		return 0
	}
	return min(2-1/s, 1)
}
