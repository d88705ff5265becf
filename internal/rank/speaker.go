package rank

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestLabel bounds the name before a turn, in bytes.
const longestLabel = 40

// label is the speaker's name that begins a turn, as in "Mara: I moved", folded;
// "" without one. A name has at most three words and a capital, if its script has
// capitals.
func label(text string) string {
	at := strings.IndexAny(text[:min(len(text), longestLabel)], ":：\n")
	if at <= 0 || text[at] == '\n' {
		return ""
	}
	name := strings.TrimSpace(text[:at])
	_, size := utf8.DecodeRuneInString(text[at:])
	rest := text[at+size:]
	first, _ := utf8.DecodeRuneInString(name)
	switch {
	case unicode.IsLower(first), !unicode.IsLetter(first), len(strings.Fields(name)) > 3:
		return ""
	case size == 1 && !strings.HasPrefix(rest, " "): // https://, 10:30, std::sort
		return ""
	}
	return Fold(name)
}

// names reports whether the query names a speaker, by any of the label's words.
func (q Query) names(label string) bool {
	for _, r := range runs(label) {
		if r.kind == unspaced {
			if strings.Contains(Fold(q.text), r.text) {
				return true
			}
			continue
		}
		if slices.ContainsFunc(q.terms, func(t term) bool { return t.kind == spaced && t.folded == r.text }) {
			return true
		}
	}
	return false
}

// shape counts the telling words of a text and reports whether it names a time.
// Of unspaced script two characters make a word.
func shape(text string) (words int, time bool) {
	text = strings.ToValidUTF8(text[:min(len(text), maxExactBytes)], "")
	for _, r := range runs(text) {
		if r.kind == unspaced {
			words += (utf8.RuneCountInString(r.text) + 1) / 2
			time = time || namesTime(r.text)
			continue
		}
		if !isFunctionWord(r.text, false) {
			words++
		}
		time = time || isTimeWord(r.text)
	}
	return words, time
}
