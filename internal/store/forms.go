package store

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxForms bounds how many words of a query get their other form.
const maxForms = 64

// widenForms appends the other spelling of words with accents. "é" is one
// character or a letter and a mark; both look the same, macOS and some keyboards
// write the second, and the tokenizer keeps them apart. Memories stay as they
// were written, so the query looks for both.
func widenForms(text string) string {
	var forms []string
	for word := range strings.FieldsSeq(text) {
		if len(forms) >= maxForms {
			break
		}
		if one := norm.NFC.String(word); one != word {
			forms = append(forms, one)
		}
		// Hangul and kana are hardly ever stored in parts; the query may be.
		if two := norm.NFD.String(word); two != word && !strings.ContainsFunc(word, composed) {
			forms = append(forms, two)
		}
	}
	if len(forms) == 0 {
		return text
	}
	return text + " " + strings.Join(forms, " ")
}

func composed(r rune) bool { return unicode.In(r, unicode.Hangul, unicode.Hiragana, unicode.Katakana) }
