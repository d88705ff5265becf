package rank

import (
	"strings"
	"unicode"
)

// endings are the hiragana that particles, auxiliary verbs and the endings of
// words are written with, and hardly any noun: りんご is none of them.
const endings = "はがをにでとものかへやしていますたありるなんくされらだっよねどこそうえけ"

// cutKana takes stretches of such hiragana out of a question that says its
// subject in other characters. The index splits them into particles, which half
// of all rows have.
func cutKana(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Katakana) }) ||
		!strings.ContainsFunc(s, hiragana) {
		return s
	}
	var b strings.Builder
	var stretch []rune
	flush := func() {
		if kept := strings.Trim(string(stretch), "はがをにでとものかへや"); strings.Trim(kept, endings) != "" {
			b.WriteString(kept)
		}
		if len(stretch) > 0 {
			b.WriteByte(' ')
		}
		stretch = stretch[:0]
	}
	for _, r := range s {
		if hiragana(r) {
			stretch = append(stretch, r)
			continue
		}
		flush()
		b.WriteRune(r)
	}
	flush()
	return b.String()
}

func hiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }
