package rank

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold brings text to the form in which words are compared: compatibility
// forms and full-width letters made plain, lower case, accents dropped.
func Fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s) // most rows, at a tenth of the cost
	}
	decomposed := norm.NFKD.String(s)
	var b strings.Builder
	b.Grow(len(decomposed))
	for _, r := range decomposed {
		// Only the combining accents of alphabets: the voicing marks of kana
		// (U+3099) and vowel signs of Indic scripts make other words.
		if r < 0x0300 || r > 0x036F {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return norm.NFC.String(b.String())
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// script tells how the words of a rune's script are found.
type script int

const (
	separator script = iota
	spaced           // letters and digits between spaces
	unspaced         // Han, Kana, Hangul: pairs of neighbours stand for words
)

func scriptOf(r rune) script {
	switch {
	case r < 0x80:
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return spaced
		}
		return separator
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー':
		return unspaced
	case unicode.In(r, unicode.L, unicode.N, unicode.M):
		return spaced
	}
	return separator
}

// run is a stretch of one script.
type run struct {
	text string
	kind script
}

// runs cuts text into stretches of spaced and unspaced script.
func runs(text string) []run {
	var out []run
	start, kind := 0, separator
	flush := func(end int) {
		if kind != separator && end > start {
			out = append(out, run{text[start:end], kind})
		}
	}
	for i, r := range text {
		if k := scriptOf(r); k != kind {
			flush(i)
			start, kind = i, k
		}
	}
	flush(len(text))
	return out
}

// pairs lists the neighbours of an unspaced run; a run of one rune is itself.
func pairs(s string) []string {
	runes := []rune(s)
	if len(runes) < 2 {
		return []string{s}
	}
	out := make([]string, 0, len(runes)-1)
	for i := 1; i < len(runes); i++ {
		out = append(out, string(runes[i-1:i+1]))
	}
	return out
}

// stem cuts the common endings of English inflection from a folded word. It only
// has to make the forms of one word equal to each other; the index has its own.
func stem(w string) string {
	if len(w) < 4 || w[0] >= 0x80 {
		return w
	}
	for _, ending := range []string{"ations", "ation", "ments", "ment", "ings", "ing", "ies", "ied", "ers", "er", "es", "ed", "ly", "s"} {
		if base, ok := strings.CutSuffix(w, ending); ok && len(base) >= 3 && !(ending == "s" && strings.HasSuffix(base, "s")) {
			w = base
			break
		}
	}
	// What an ending leaves: planned has plann, companies compan. Two letters are
	// no stem: Ines is not in.
	if bare := strings.TrimRight(w, "eyi"); len(bare) >= 3 {
		w = bare
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	return w
}

// writing is a script a whole text is written in.
type writing int

const (
	unknown writing = iota
	latin
	han
	kana
	hangul
	other
)

// writingOf goes by the letters at the beginning; any kana makes it Japanese.
func writingOf(text string) writing {
	var counts [other + 1]int
	seen := 0
	for _, r := range text {
		switch {
		case r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'), unicode.Is(unicode.Latin, r):
			counts[latin]++
		case unicode.Is(unicode.Han, r):
			counts[han] += 2 // a character of these says as much as several letters
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			counts[kana] += 2
		case unicode.Is(unicode.Hangul, r):
			counts[hangul] += 2
		case unicode.IsLetter(r):
			counts[other]++
		default:
			continue
		}
		if seen++; seen == 200 {
			break
		}
	}
	if counts[kana] > 0 && counts[kana]+counts[han] >= counts[latin] {
		return kana
	}
	best := unknown
	for w := latin; w <= other; w++ {
		if counts[w] > counts[best] {
			best = w
		}
	}
	return best
}

// SameScript reports whether two texts are written in one script, as far as can be told.
func SameScript(a, b string) bool {
	x, y := writingOf(a), writingOf(b)
	return x == y || x == unknown || y == unknown
}
