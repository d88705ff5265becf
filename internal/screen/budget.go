package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Item is one memory to show.
type Item struct {
	// Label is ours, Text the memory's.
	Label, Text string
	// More stands behind the text, and only if all of it fits.
	More string
}

// Budget bounds an injected block; 0 means no bound. Characters and tokens are
// both counted in the lines of the memories as they appear, labels and escapes
// included, without the frame around them, which is always the same. Where no
// memory can be shown with enough of its text to say something there is no block.
type Budget struct {
	// Items is the largest number of lines, Total of characters in all of them,
	// PerItem of characters in the text of one, Tokens of estimated tokens.
	Items, Total, PerItem, Tokens int
}

// shortestRest is the smallest remainder of a budget that is still filled with
// the start of a text; a stump of a few words helps nobody.
const shortestRest = 32

// Inject renders items within a budget and says which it shows, by their index:
// the first ones, but for those without text. Without any it returns "": no block
// is better than an empty one.
func Inject(items []Item, b Budget) (block string, shown []int) {
	var lines []string
	left := room{unbounded, unbounded}
	if b.Total > 0 {
		left.runes = b.Total
	}
	if b.Tokens > 0 {
		left.quarters = 4 * b.Tokens
	}
	for i, item := range items {
		if b.Items > 0 && len(lines) == b.Items {
			break
		}
		label := "- "
		if item.Label != "" {
			label += "[" + Escape(item.Label) + "] "
		}
		text := Escape(item.Text)
		if text == "" {
			continue
		}
		if b.PerItem > 0 {
			if text = shortened(text, room{b.PerItem, unbounded}); text == "" {
				continue
			}
		}
		rest := left.minus(size(label))
		whole := rest.holds(size(text))
		if !whole {
			if text = shortened(text, rest); utf8.RuneCountInString(text) < shortestRest {
				break
			}
		}
		line := label + text
		if more := Escape(item.More); whole && more != "" && left.minus(size(line+" \n")).holds(size(more)) {
			line += " " + more
		}
		lines, shown = append(lines, line), append(shown, i)
		left = left.minus(size(line + "\n"))
		if !whole {
			break // the one that was shortened is the last
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return frame(lines), shown
}

// room is space for text: characters, and quarters of a token.
type room struct{ runes, quarters int }

const unbounded = 1 << 30

func (r room) minus(o room) room { return room{r.runes - o.runes, r.quarters - o.quarters} }

func (r room) holds(o room) bool { return o.runes <= r.runes && o.quarters <= r.quarters }

// Tokens estimates what a text costs a model. It is an estimate for tokenizers
// in general, leaning to the high side: four Latin letters or spaces to a token,
// two of other alphabets and of digits and marks, one where a character is a
// word (Chinese, Japanese, Korean), and two for each character beyond, such as
// emoji.
func Tokens(text string) int { return (size(text).quarters + 3) / 4 }

func size(text string) room {
	var r room
	for _, c := range text {
		r.runes++
		r.quarters += quarters(c)
	}
	return r
}

func quarters(r rune) int {
	switch {
	case r == ' ' || r <= unicode.MaxASCII && unicode.IsLetter(r):
		return 1
	case dense(r) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF:
		return 4
	case r > 0xFFFF:
		return 8
	case unicode.Is(unicode.Latin, r) || unicode.IsLetter(r) || r <= unicode.MaxASCII:
		return 2
	case unicode.IsMark(r):
		return 2
	}
	return 4
}

// shortened is the longest beginning of an escaped text that fits, an ellipsis
// included: up to the end of a sentence if one ends in the last third of it, else
// of a word, else of a character. It never cuts inside an entity. "" if nothing
// fits.
func shortened(text string, r room) string {
	if r.holds(size(text)) {
		return text
	}
	r = r.minus(size(" " + ellipsis))
	var used room
	var end, sentence, word mark
	before := ' '
	for at := 0; at < len(text); {
		unit, c := nextUnit(text[at:])
		here := mark{at, used.runes}
		if unicode.IsSpace(c) || startsWord(before, c) {
			word = here
			if strings.ContainsRune(".!?…。！？", before) {
				sentence = here
			}
		}
		if !joins(before, c) {
			end = here
		}
		cost := size(unit)
		if used = (room{used.runes + cost.runes, used.quarters + cost.quarters}); !r.holds(used) {
			break
		}
		at += len(unit)
		before = c
	}
	enough := 2 * end.runes / 3
	switch {
	case sentence.at > 0 && sentence.runes >= enough:
		return strings.TrimRight(text[:sentence.at], " "+lineEnd) + " " + ellipsis
	case word.at > 0 && word.runes >= enough:
		return strings.TrimRight(text[:word.at], " ,:-–—(、，；：（"+lineEnd) + ellipsis
	case end.at > 0:
		return strings.TrimRight(text[:end.at], " "+lineEnd) + ellipsis
	}
	return ""
}

const ellipsis = "…"

// mark is a place in a text: its byte, and the characters before it.
type mark struct{ at, runes int }

// nextUnit is what must not be cut: an entity, or one character.
func nextUnit(s string) (unit string, r rune) {
	r, n := utf8.DecodeRuneInString(s)
	if r == '&' {
		if end := strings.IndexByte(s, ';'); end > 0 && end <= len("&amp;") {
			return s[:end+1], '&'
		}
	}
	return s[:n], r
}

// startsWord reports whether a text without spaces may be cut before c: not in
// front of a mark that closes what stands before it.
func startsWord(before, c rune) bool {
	unspaced := unicode.In(before, unicode.Han, unicode.Hiragana, unicode.Katakana) || strings.ContainsRune("。！？、，；：」』）", before)
	return unspaced && !unicode.IsPunct(c) && !joins(before, c)
}

// joins reports whether c is drawn with the character before it.
func joins(before, c rune) bool {
	return unicode.IsMark(c) || c == '\u200d' || before == '\u200d' || c >= 0x1F3FB && c <= 0x1F3FF
}
