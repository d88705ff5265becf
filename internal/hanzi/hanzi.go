// Package hanzi knows simplified and traditional Chinese script as two ways of writing
// the same words.
//
// The tables in data are generated (internal/hanzi/gen) from OpenCC's dictionaries. They
// take 174 kB in the program, and are read at the first Chinese text: 3 ms, 1 MB.
package hanzi

import (
	"slices"
	"strings"
	"unicode"
)

// Simplify writes each character in its simplified form, one for one. Texts are
// compared in it: several traditional characters have one simplified form, hardly ever
// the other way round. Words do not count, so that it may write one wrong (乾隆), but two
// spellings of a word become equal. It is for a question that is Chinese and for the
// texts, in whatever language, that it is compared with.
func Simplify(text string) string { return strings.Map(read().plane.simplify, text) }

// Chinese reports whether text has Han characters and no kana, which makes it
// Japanese: 机 there is a desk, and no simplified 機.
func Chinese(text string) bool {
	han := false
	for _, r := range text {
		switch {
		case r < 0x2E80: // all of the alphabets
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return false
		case !han:
			han = unicode.Is(unicode.Han, r)
		}
	}
	return han
}

// Script is a way to write Chinese.
type Script uint8

// The scripts; a text may use both.
const (
	Simplified Script = 1 << iota
	Traditional
)

// Form is a text as it is written in one script.
type Form struct {
	Text   string
	Script Script
}

// Forms lists the other ways to write the Chinese in text, at most three and nil for
// most texts: simplified; traditional as Taiwan and as Hong Kong spell it (裡面, 裏面).
// Which of several traditional characters is meant is told by the word it is in: 头发
// is 頭髮 and 发展 is 發展. Where one of them is the simplified one, people use either
// (發佈, 發布). What is no Chinese stays.
func Forms(text string) []Form {
	if !Chinese(text) {
		return nil
	}
	t := read()
	var forms []Form
	add := func(s string, in Script) {
		if s != text && len(forms) < 3 && !slices.ContainsFunc(forms, func(f Form) bool { return f.Text == s }) {
			forms = append(forms, Form{s, in})
		}
	}
	simplified := t.toSimplified.replace(text)
	add(simplified, Simplified)
	traditional, plain := strings.Map(t.standard.of, text), ""
	if simplified == text {
		traditional = t.toTraditional.replace(text)
		plain = t.toTraditional.sparing(text, traditional)
	}
	add(strings.Map(t.taiwan.of, traditional), Traditional)
	if plain != "" {
		add(strings.Map(t.taiwan.of, plain), Traditional)
	}
	add(strings.Map(t.hongkong.of, traditional), Traditional)
	return forms
}

// Scripts tells in which scripts a text may be written, 0 if all it has is written
// alike in both. Many characters are of both: 后 is a queen in traditional script and
// behind in simplified.
func Scripts(text string) Script {
	var s Script
	for _, r := range text {
		if r >= 0x2E80 && r < 1<<16 {
			s |= read().plane.scripts[r]
		}
	}
	return s
}
