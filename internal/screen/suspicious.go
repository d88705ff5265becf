package screen

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Reasons of Suspicious. They stand behind "it …".
const (
	SuspectOverride = "tells the model to set its instructions aside"
	SuspectPersona  = "tells the model to be somebody else"
	SuspectReveal   = "asks for hidden instructions or secrets"
	SuspectCommand  = "tells the model to run a command"
	SuspectSend     = "tells the model to send something away"
	SuspectTurn     = "poses as a turn of the conversation"
	SuspectHidden   = "carries text that people do not see"
	SuspectHints    = "reads like orders to a model"
)

// suspectBytes is how much of a text is judged, half from each end.
const suspectBytes = 16 << 10

// Suspicious reports whether a text gives instructions to the model that will
// read it, and which kind: what somebody would plant in a memory. It is a warning
// and no verdict: the text is shown as data anyway, and a person may write about
// such attacks. So it looks for orders, at the beginning of a sentence or behind
// "please" and its like, not for words: "he told me to ignore the noise", "never
// ignore previous instructions of the doctor" and "the phrase 'ignore previous
// instructions'" are none. What a person may well wish for the future ("from now
// on answer in German", "only in short sentences") is none either, but to answer
// only as somebody or in some manner is.
//
// English, Chinese, German, French, Spanish, Japanese and Korean are judged, in
// any spelling that fold looks through.
func Suspicious(text string) (reason string, yes bool) {
	if smuggled(text) {
		return SuspectHidden, true
	}
	if len(text) > suspectBytes {
		text = strings.ToValidUTF8(text[:suspectBytes/2]+"\n"+text[len(text)-suspectBytes/2:], "")
	}
	lines := compared(text)
	flowing := strings.ReplaceAll(lines, "\n", " ")
	for _, o := range orders() {
		if o.in(lines) || flowing != lines && o.in(flowing) {
			return o.reason, true
		}
	}
	if converses(lines) {
		return SuspectTurn, true
	}
	found := 0
	for _, h := range hints() {
		if h.in(lines) {
			found++
		}
	}
	if found >= 2 {
		return SuspectHints, true
	}
	return "", false
}

// smuggled reports whether a text is written in tag characters, which copy ASCII
// unseen: more than the three to six letters that name the flag of a region.
func smuggled(text string) bool {
	n := 0
	for _, r := range text {
		if r >= 0xE0020 && r < 0xE007F {
			if n++; n > 6 {
				return true
			}
		} else if n > 0 && !hidden(r) {
			n = 0
		}
	}
	return false
}

// compared is a text as the patterns expect it: folded, one space between words, a
// line break where a line ends.
func compared(text string) string {
	lines := visible(text)
	for i, line := range lines {
		lines[i] = fold(line)
	}
	return strings.Join(lines, "\n")
}

// quoting stands before words that somebody else said, or that are only spoken of.
var quoting = regexp.MustCompile(`(?:\b(?:phrase|string|sentence|words?|text|payload|example|pattern|attack|injection|attempts?|says?|said|wrote|writes|reads?|like|such as|e\.g\.|i\.e\.|called|contains?|containing|starts? with|begins? with|detects?|blocks?|filters?|flags?|catches|rejects?|test(?:s|ed)? (?:with|for)|wie|etwa|satz|phrase|comme|tel(?:le)? que|como|frase)|词|句|短语|字样|例如|比如|という|などの|라는|같은)[\s:,]*["'“”„«»「『‘’(` + "`" + `]+$`)

// reported looks at what stands right before a match.
func reported(s string, at int) bool {
	before := s[max(0, at-60):at]
	for !utf8.ValidString(before) {
		before = before[1:]
	}
	if line := strings.LastIndexByte(before, '\n'); line >= 0 {
		before = before[line+1:]
	}
	// The match may begin with the quotation mark itself.
	if r, n := utf8.DecodeRuneInString(s[at:]); strings.ContainsRune("\"'“”„«»「『‘’(`", r) {
		before += s[at : at+n]
	}
	return quoting.MatchString(before)
}
