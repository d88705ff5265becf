package store

import (
	"slices"
	"strings"
	"unicode"
)

// The tokenizer cuts Chinese and Japanese by dictionary, but Korean only at
// spaces, and Korean glues its particles to the noun: a memory that says 회의실은
// ("as for the meeting room") has no word 회의실. Widening the query mends that
// without a second index: each Korean word is also looked for with the particles
// it may carry, and without the one it has. All words are alternatives, so a
// form that occurs nowhere costs a look-up and changes no score.

// particles come in two forms where the noun's last syllable decides: the first
// after a final consonant, the second after a vowel.
var particles = [][2]string{
	{"은", "는"}, {"이", "가"}, {"을", "를"}, {"과", "와"}, {"으로", "로"}, {"이나", "나"}, {"이랑", "랑"},
	{"에", "에"}, {"에서", "에서"}, {"에는", "에는"}, {"에게", "에게"}, {"의", "의"}, {"도", "도"}, {"만", "만"},
	{"까지", "까지"}, {"부터", "부터"}, {"보다", "보다"}, {"처럼", "처럼"}, {"들", "들"}, {"들은", "들은"}, {"들이", "들이"},
	{"입니다", "입니다"}, {"이다", "다"},
}

// maxKorean bounds how many words of a query are widened.
const maxKorean = 24

// widenKorean appends the other forms of the Korean words in text.
func widenKorean(text string) string {
	var forms []string
	words := 0
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.Is(unicode.Hangul, r) }) {
		if words++; words > maxKorean {
			break
		}
		for _, noun := range nouns(word) {
			forms = append(forms, noun)
			for _, p := range particles {
				forms = append(forms, noun+fitting(noun, p))
			}
		}
	}
	if len(forms) == 0 {
		return text
	}
	slices.Sort(forms)
	return text + " " + strings.Join(slices.Compact(forms), " ")
}

// nouns is the word itself and, if it may end in a particle, what is left without
// it. One syllable is too little to be left: 나이 (age) is not 나 (I).
func nouns(word string) []string {
	list := []string{word}
	longest := ""
	for _, p := range particles {
		for _, form := range p {
			if len(form) > len(longest) && strings.HasSuffix(word, form) {
				longest = form
			}
		}
	}
	const syllable = 3 // bytes
	if noun := strings.TrimSuffix(word, longest); longest != "" && len(noun) >= 2*syllable {
		list = append(list, noun)
	}
	return list
}

// fitting is the form of a particle that follows noun. A precomposed syllable
// has a final consonant unless its place is a multiple of 28; 으로 is also 로
// after ㄹ, whose place is 8.
func fitting(noun string, p [2]string) string {
	runes := []rune(noun)
	last := runes[len(runes)-1]
	if last < 0xAC00 || last > 0xD7A3 {
		return p[0]
	}
	switch final := (last - 0xAC00) % 28; {
	case final == 0, final == 8 && p[0] == "으로":
		return p[1]
	default:
		return p[0]
	}
}
