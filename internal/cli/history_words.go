package cli

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// How a text became another one, by words: what is gone stands in [-…-], what
// is new in {+…+}. Words are those of Unicode, so that Chinese and Japanese, which
// put no spaces between them, are compared by word, too.

type pieceKind int

const (
	stayed pieceKind = iota
	went
	came
)

// piece is a stretch of text that stayed, went or came.
type piece struct {
	kind pieceKind
	text string
}

// maxWordPairs bounds the table of a comparison (2 MB); longer texts that share
// neither beginning nor end are shown as replaced whole.
const maxWordPairs = 1 << 19

// wordDiff compares two texts. Joined, the pieces that are not new give
// before, those that are not gone give after.
func wordDiff(before, after string) []piece {
	a, b := splitWords(before), splitWords(after)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []piece
	put := func(kind pieceKind, words ...string) {
		for _, w := range words {
			if n := len(out); n > 0 && out[n-1].kind == kind {
				out[n-1].text += w
			} else {
				out = append(out, piece{kind, w})
			}
		}
	}
	put(stayed, a[:head]...)
	compareWords(a[head:len(a)-tail], b[head:len(b)-tail], put)
	put(stayed, a[len(a)-tail:]...)
	return joinChanges(out)
}

// compareWords finds a longest common subsequence and reports what surrounds it.
func compareWords(a, b []string, put func(pieceKind, ...string)) {
	if len(a)*len(b) > maxWordPairs {
		put(went, a...)
		put(came, b...)
		return
	}
	// common[i][j] is the length for a[i:] and b[j:].
	width := len(b) + 1
	common := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			put(stayed, a[i])
			i, j = i+1, j+1
		case common[(i+1)*width+j] >= common[i*width+j+1]:
			put(went, a[i])
			i++
		default:
			put(came, b[j])
			j++
		}
	}
	put(went, a[i:]...)
	put(came, b[j:]...)
}

// joinChanges makes one change of several that only spaces keep apart, with what
// is gone before what is new.
func joinChanges(list []piece) []piece {
	var out []piece
	for i := 0; i < len(list); {
		if list[i].kind == stayed {
			out = append(out, list[i])
			i++
			continue
		}
		var was, is string
		for ; i < len(list); i++ {
			p := list[i]
			between := p.kind == stayed && i+1 < len(list) && strings.TrimSpace(p.text) == ""
			if p.kind == stayed && !between {
				break
			}
			if p.kind != came {
				was += p.text
			}
			if p.kind != went {
				is += p.text
			}
		}
		if was != "" {
			out = append(out, piece{went, was})
		}
		if is != "" {
			out = append(out, piece{came, is})
		}
	}
	return out
}

// splitWords cuts a text into words, spaces and signs; joined they are the text.
func splitWords(text string) []string {
	var words []string
	for state := -1; text != ""; {
		var word string
		word, text, state = uniseg.FirstWordInString(text, state)
		words = append(words, word)
	}
	return words
}

// keptAround is how much of an unchanged stretch is shown beside a change, in
// characters.
const keptAround = 40

// diffText writes pieces out for people. Long unchanged stretches are cut.
func diffText(list []piece, s screen) painted {
	var b strings.Builder
	for i, p := range list {
		switch p.kind {
		case went:
			b.WriteString(string(s.paint(red, "[-"+p.text+"-]")))
		case came:
			b.WriteString(string(s.paint(green, "{+"+p.text+"+}")))
		default:
			b.WriteString(visible(around(p.text, i > 0, i < len(list)-1)))
		}
	}
	return painted(b.String())
}

// around keeps the ends of an unchanged stretch that touch a change.
func around(text string, after, before bool) string {
	most := 0
	for _, side := range []bool{after, before} {
		if side {
			most += keptAround
		}
	}
	if most == 0 || utf8.RuneCountInString(text) <= most+1 {
		return text
	}
	runes := []rune(text)
	var head, tail []rune
	if after {
		head = runes[:keptAround]
	}
	if before {
		tail = runes[len(runes)-keptAround:]
	}
	return string(slices.Concat(head, []rune("…"), tail))
}
