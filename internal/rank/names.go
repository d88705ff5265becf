package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// named are the words of the query that are names by their capital, folded: not
// those that begin a sentence, none where most words have a capital, and none in
// German, which gives one to every noun.
func (q Query) named() map[string]bool {
	if german(q.text) {
		return nil
	}
	names := map[string]bool{}
	words, capitals, begins := 0, 0, true
	for _, field := range strings.Fields(q.text) {
		bare := strings.TrimFunc(field, func(r rune) bool { return scriptOf(r) == separator })
		bare, _, _ = strings.Cut(strings.ReplaceAll(bare, "’", "'"), "'")
		first, _ := utf8.DecodeRuneInString(bare)
		if bare == "" || scriptOf(first) != spaced {
			continue
		}
		words++
		if unicode.IsUpper(first) {
			capitals++
			if !begins && !isFunctionWord(bare, true) {
				for _, r := range runs(bare) {
					names[Fold(r.text)] = true
				}
			}
		}
		begins = strings.ContainsAny(field[len(field)-1:], ".!?:")
	}
	if capitals > 1 && 5*capitals > 4*words {
		return nil
	}
	return names
}

// germanWords stand in nearly every German question and hardly in another language.
var germanWords = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`der das dem ein eine einen einem einer ist sind wird wann wie wer wo wem womit wofür welche welcher
		welches welchen warum wieso habe haben hat ich wir mein meine unser unsere sie er für und nicht soll sollen kann mit von zu zum zur im`) {
		set[Fold(w)] = true
	}
	return set
}()

// german reports whether a text holds a word that only German has.
func german(text string) bool {
	for _, r := range runs(Fold(text)) {
		if r.kind == spaced && germanWords[r.text] {
			return true
		}
	}
	return false
}
