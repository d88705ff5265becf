// Package screen holds the deterministic gates on text: what is noise, what a
// host wrapped around a message, whether a turn needs recall, what may not be
// stored, and how recalled text is shown to a model as data.
//
// Concepts. A gate judges a whole message, never a fragment: "Hi there" is a
// greeting, "Hilton is my hotel" and "Hi-fi repair costs 80 euros" are facts. In
// doubt a message passes; a lost fact costs more than a stored greeting.
//
// What is worth remembering is decided by patterns, not by a model: a file of
// regular expressions for each of eleven languages in triggers, held by tables
// of sentences in testdata. They look for forms of speech (a preference, a
// decision, a wish to remember), so a fact told in passing is left to the agent's
// own tool.
//
// Caveats: the word lists of noise are English and Chinese with the commonest
// forms of German, Japanese and Korean; need and intent know the eleven languages
// of triggers. Nothing here is a defence against a model that obeys data; it only
// makes sure that data cannot pose as anything else (Escape), and warns of texts
// that give orders (Suspicious).
package screen

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// plain brings a message to the form the gates compare: one line, lower case,
// straight apostrophes, no punctuation or emoji at the ends.
func plain(text string) string {
	s := strings.ToLower(norm.NFKC.String(text))
	s = strings.NewReplacer("’", "'", "‘", "'", "`", "'").Replace(s)
	s = strings.Join(strings.Fields(s), " ")
	return strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// width counts characters, those of dense scripts double: four Han characters
// say as much as a short English sentence.
func width(s string) int {
	n := 0
	for _, r := range s {
		n++
		if dense(r) {
			n++
		}
	}
	return n
}

func dense(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

func hasDense(s string) bool { return strings.ContainsFunc(s, dense) }

// oneSentence reports whether nothing follows the first sentence end. A meta
// question with a statement behind it holds a fact.
func oneSentence(text string) bool {
	s := strings.TrimSpace(text)
	end := sentenceEnd.FindStringIndex(s)
	return end == nil || strings.TrimSpace(s[end[1]:]) == ""
}

var sentenceEnd = regexp.MustCompile(`[.!?]+(?:\s|$)|[。！？\n]+`)

// whole compiles alternatives that must make up the entire plain message.
func whole(alternatives ...string) *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + strings.Join(alternatives, "|") + `)$`)
}

// opening compiles alternatives a plain message starts with, up to a word end.
func opening(alternatives ...string) *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + strings.Join(alternatives, "|") + `)(?:\b|$)`)
}
