package engine

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	fold "golang.org/x/text/width"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// Words alone do not tell "-5" from "5", "x > 5" from "x < 5", "mW" from "MW" or
// one password from another. What does is the written form: signs and operators
// with what stands around them, and the exact spelling of all that is no
// ordinary word.

// sameForm reports whether two texts have the same signs, operators and exactly
// spelled tokens, in the same order.
func sameForm(a, b string) bool { return a == b || slices.Equal(form(a), form(b)) }

type partKind int

const (
	plainWord partKind = iota // letter case does not matter
	exactWord                 // identifiers, numbers, paths, units
	operator
	dash // an operator between operands, punctuation otherwise
)

type part struct {
	kind partKind
	text string
}

// form lists what of a text must be the same to the letter.
func form(text string) []string {
	parts := split(text)
	word := func(i int) string {
		switch {
		case i < 0 || i >= len(parts):
			return ""
		case parts[i].kind == plainWord:
			return rank.Fold(parts[i].text)
		}
		return parts[i].text
	}
	operand := func(i int) bool {
		return i >= 0 && i < len(parts) && (parts[i].kind == exactWord || parts[i].kind == plainWord && len(parts[i].text) == 1)
	}
	var list []string
	for i, p := range parts {
		switch {
		case p.kind == exactWord:
			list = append(list, p.text)
		case p.kind == operator, p.kind == dash && operand(i-1) && operand(i+1):
			list = append(list, word(i-1)+" "+p.text+" "+word(i+1))
		}
	}
	return list
}

// glue joins characters to one token when it stands between them.
const glue = "-/=.,:@\\"

// operators have several spellings.
var operators = map[string]string{">=": "≥", "=<": "≤", "<=": "≤", "!=": "≠"}

func split(text string) []part {
	// Not the folding of words: that takes "≠" for "=" and "10²" for "102".
	runes := []rune(fold.Fold.String(norm.NFC.String(text)))
	for i, r := range runes {
		switch r {
		case '−', '–', '‐', '‑':
			runes[i] = '-'
		case '’':
			runes[i] = '\''
		}
	}
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return ' '
		}
		return runes[i]
	}
	var parts []part
	for i := 0; i < len(runes); {
		r := runes[i]
		switch end := tokenEnd(runes, i); {
		case end > i:
			token := string(runes[i:end])
			kind := plainWord
			if exact(token, startsSentence(runes, i)) {
				kind = exactWord
			}
			parts = append(parts, part{kind, token})
			i = end
		case unspaced(r):
			parts = append(parts, part{plainWord, string(r)})
			i++
		case r == '-' && !isOperator(at(i+1)), strings.ContainsRune("—/*^", r):
			next := i + 1
			for next < len(runes) && unicode.IsSpace(runes[next]) {
				next++
			}
			switch {
			case r == '/', r == '-' && (unicode.IsNumber(at(next)) || isOperator(at(next)) || inWord(at(i-1))), r == '—' && next == i+1 && unicode.IsNumber(at(next)):
				parts = append(parts, part{operator, strings.ReplaceAll(string(r), "—", "-")})
			case r != '—':
				parts = append(parts, part{dash, string(r)})
			}
			i++
		case isOperator(r), r == '-', r == '!' && at(i+1) == '=':
			end := i + 1
			for end < len(runes) && isOperator(runes[end]) {
				end++
			}
			sign := string(runes[i:end])
			if same, ok := operators[sign]; ok {
				sign = same
			}
			parts = append(parts, part{operator, sign})
			i = end
		default:
			i++
		}
	}
	return parts
}

// tokenEnd is the end of the token that begins at i; i when none does.
func tokenEnd(runes []rune, i int) int {
	end := i
	// What a path or an option begins with is part of it; a sign is not, so that
	// "- 5" is "-5".
	if i == 0 || !inWord(runes[i-1]) && !strings.ContainsRune(glue+"~", runes[i-1]) {
		for end < len(runes) && strings.ContainsRune("/.-~\\@", runes[end]) {
			end++
		}
		dots := strings.Trim(string(runes[i:end]), ".") == "" && end-i > 1
		if end > i && (dots || end == len(runes) || !inWord(runes[end]) || end-i == 1 && runes[i] == '-' && unicode.IsNumber(runes[end])) {
			return i
		}
	}
	if end == len(runes) || !inWord(runes[end]) {
		return i
	}
	for end < len(runes) {
		next := end
		for next < len(runes) && (runes[next] == '\'' || strings.ContainsRune(glue, runes[next])) {
			next++
		}
		if next == len(runes) || !inWord(runes[next]) {
			break
		}
		end = next + 1
	}
	return end
}

func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_') && !unspaced(r)
}

func isOperator(r rune) bool {
	return unicode.In(r, unicode.Sm, unicode.Sc) && r != '~' || strings.ContainsRune("#%&°‰", r)
}

// startsSentence reports whether the token at i may owe its capital to its place.
func startsSentence(runes []rune, i int) bool {
	for i--; i >= 0; i-- {
		switch r := runes[i]; {
		case strings.ContainsRune(".!?:", r):
			return true
		case inWord(r), unspaced(r):
			return false
		}
	}
	return true
}

// exact reports whether the spelling of a token is what it is: all but ordinary
// words, and these joined by hyphens.
func exact(token string, first bool) bool {
	if strings.ContainsFunc(token, unicode.IsNumber) || strings.ContainsAny(token, "_~"+strings.TrimPrefix(glue, "-")) {
		return true
	}
	parts := strings.Split(token, "-")
	for i, p := range parts {
		if len(parts) > 1 {
			runes := []rune(p)
			if len(runes) < 2 {
				return true
			}
			if i == 0 && first {
				runes = runes[1:]
			}
			if slices.ContainsFunc(runes, unicode.IsUpper) {
				return true
			}
		}
		if slices.ContainsFunc(strings.Split(p, "'"), capitals) {
			return true
		}
	}
	return false
}

// capitals reports whether the letter case of a word means something: as in mW,
// MW and iPhone, not as in Tea and SEVEN.
func capitals(word string) bool {
	const shouted = 4 // letters; fewer are an abbreviation
	letters, upper := 0, 0
	for _, r := range word {
		if unicode.IsLetter(r) {
			letters++
			if unicode.IsUpper(r) {
				if upper++; upper == 1 && letters > 1 {
					return true
				}
			}
		}
	}
	return upper > 1 && (upper < letters || letters < shouted)
}
