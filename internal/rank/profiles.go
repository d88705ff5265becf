package rank

import "strings"

// e5Small reads the cosines of multilingual-e5-small, which lie between 0.7 and 1
// whatever the texts. Measured with the embedded model, questions against
// memories in seven languages and, for comparison, in long English chats:
//
//	0.785   median of unrelated pairs (its 99th percentile is 0.86)
//	0.835   median of questions with their memory (its 5th percentile is 0.79)
//	0.90    99th percentile of two memories about different things
//	0.945   just below two memories that say the same in other words
//	0.985   upper half of those
//
// The points put these where the thresholds of the pipeline expect them: half of
// what is unrelated falls under 0.3, 0.85 is nearly the same statement, 0.95 and
// 0.98 are restatements. Related and unrelated overlap, and more so between
// languages: the order of the hits is worth more than any one threshold.
// The points were chosen on that data; package calibration checks them on
// other sentences.
var e5Small = Profile{
	Name: "multilingual-e5-small",
	Points: []Point{
		{0, 0}, {0.12, 0.30}, {0.20, 0.50}, {0.32, 0.60}, {0.50, 0.70},
		{0.82, 0.85}, {0.90, 0.95}, {0.95, 0.98}, {1, 1},
	},
}

// ProfileOf is the profile of a model, also under the names servers give it;
// Plain for the models without one.
func ProfileOf(model string) Profile {
	name := strings.ToLower(model)
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	name, _, _ = strings.Cut(name, ":")
	if name == e5Small.Name {
		return e5Small
	}
	return Plain
}
