package screen

import "slices"

// SameLanguage reports whether two texts may be written in one of the languages
// this package knows, by their script and their function words. Where nothing
// tells, they may.
func SameLanguage(a, b string) bool {
	x, y := languagesOf(a), languagesOf(b)
	if len(x) == 0 || len(y) == 0 {
		return len(x) == len(y)
	}
	return slices.ContainsFunc(x, func(l *language) bool { return slices.Contains(y, l) })
}
