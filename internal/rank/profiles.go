package rank

import "strings"

// e5Small reads the cosines of the embedded model, whose vectors are centred
// (package embed). Measured in seven languages, questions and memories that the
// centre was not made of, and for comparison in long English chats, where all
// turns resemble each other:
//
//	                              5 %    half    95 %
//	unrelated, one language      -0.02    0.13    0.30   (chats 0.11 0.30 0.46)
//	question and its memory       0.16    0.32    0.51   (chats 0.30 0.47 0.62)
//	the same in other words       0.83    0.94    0.98
//	one word says another thing   0.64    0.75    0.95
//
// The points put these where the thresholds of the pipeline expect them. Nearly
// all questions find their memory above the cuts of 0.3 and 0.35: a memory passes
// from a cosine of -0.02 when no memory shares a word. Between languages of one
// script a question and its memory have 0.0 to 0.1; with a cut at 0.09 one in ten
// of those that stood among the first three was lost. What a turn gets unasked is
// judged otherwise (see Evidence).
// From 0.85 on two memories are nearly one statement, 0.95 and 0.98 are
// restatements. Related and unrelated overlap: most questions about what is not
// there find something, the order of the hits is worth more than any threshold,
// and vectors alone must not decide that two statements are one.
//
// AcrossScripts is the distance between the unrelated of one language and those
// of English with Chinese, Japanese and Korean.
//
// Hubs: "He grew up in a village" answers every question with "he" a little. With
// 0.2 to 0.5 one more of the 140 questions within a language finds its memory
// among three, and the vector half of long conversations 0.565 of the evidence
// among five, 0.542 without.
//
// The points were chosen on that data; `go run ./internal/rank/calibration` shows
// them on other sentences, `make eval` what comes of them.
var e5Small = Profile{
	Name:          "multilingual-e5-small",
	AcrossScripts: 0.12,
	Hubs:          0.3,
	Points: []Point{
		{-0.25, 0}, {-0.10, 0.30}, {0.18, 0.48}, {0.40, 0.70}, {0.60, 0.80},
		{0.82, 0.85}, {0.87, 0.95}, {0.95, 0.98}, {1, 1},
	},
}

// ProfileOf is the profile of the embedded model under its name, and Plain for
// every other: a server of the same model gives vectors that are not centred.
func ProfileOf(model string) Profile {
	if strings.EqualFold(model, e5Small.Name) {
		return e5Small
	}
	return Plain
}
