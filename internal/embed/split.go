package embed

import (
	"strings"
	"unicode"
)

// mostParts bounds the parts of a text: with parts of the usual size that is more
// than the largest memory. What comes after them is not embedded.
const mostParts = 256

// splitter cuts a text into parts. Sizes are in characters.
type splitter struct {
	// size is the longest part, least the shortest, overlap what a part repeats of
	// the one before; lines is how many lines a part may have.
	size, least, overlap, lines int
	// anywhere cuts between words instead of between sentences.
	anywhere bool
	// code are the languages split at their declarations.
	code []language
}

// sound makes sizes that belong together, so that every part brings something new.
func (s splitter) sound() splitter {
	s.size = max(s.size, 1)
	s.overlap = min(max(s.overlap, 0), s.size/4)
	s.least = min(max(s.least, 0), s.size/2)
	s.lines = max(s.lines, 1)
	return s
}

// split gives the parts in order. Together they hold every word of the text; none
// is blank.
func (s splitter) split(text string) []string {
	if blocks := blocksOf(text, s.code); blocks != nil {
		return s.bounded(s.grouped(blocks))
	}
	return s.bounded(s.prose([]rune(text), s.overlap))
}

func (s splitter) bounded(parts []string) []string {
	if len(parts) > mostParts {
		parts = parts[:mostParts]
	}
	return parts
}

// prose splits at the ends of sentences, else of lines, else of words.
func (s splitter) prose(text []rune, overlap int) (parts []string) {
	add := func(from, to int) {
		if part := strings.TrimSpace(string(text[from:to])); part != "" {
			parts = append(parts, part)
		}
	}
	for from := 0; from < len(text); {
		limit := s.reach(text, from)
		if limit == len(text) {
			add(from, limit)
			break
		}
		cut := s.cut(text, from, limit)
		if rest := len(text) - cut; rest < s.least && cut-from > 2*(s.least-rest) {
			cut = s.cut(text, from, cut-(s.least-rest)) // no crumbs
		}
		add(from, cut)
		back := min(overlap, (cut-from)/2)
		from = wordStart(text, cut-back, cut)
	}
	return parts
}

// reach is where a part that begins at from must end at the latest.
func (s splitter) reach(text []rune, from int) int {
	limit := min(from+s.size, len(text))
	for i, lines := from, 0; i < limit; i++ {
		if text[i] != '\n' {
			continue
		}
		// A page of empty or tiny lines is not worth a part for every few.
		if lines++; lines >= s.lines && i-from >= s.size/4 {
			return i + 1
		}
	}
	return limit
}

// cut finds the best place in the second half of a part.
func (s splitter) cut(text []rune, from, limit int) int {
	first := from + max((limit-from)/2, 1)
	var line, word int
	for i := limit; i > first; i-- {
		switch {
		case !s.anywhere && sentenceEnds(text, i):
			return i
		case line == 0 && text[i-1] == '\n':
			line = i
		case word == 0 && unicode.IsSpace(text[i-1]):
			word = i
		}
	}
	switch {
	case line > 0:
		return line
	case word > 0:
		return word
	}
	return between(text, first, limit)
}

// sentenceEnds reports whether a sentence ends just before i.
func sentenceEnds(text []rune, i int) bool {
	last := i - 1
	switch text[last] {
	case '。', '！', '？', '．':
		return i >= len(text) || !strings.ContainsRune("。！？．」』”’）", text[i])
	case '」', '』', '”', '’', '）':
		return last > 0 && strings.ContainsRune("。！？．", text[last-1])
	}
	// In scripts with spaces the mark is followed by one, perhaps after a quote.
	if !unicode.IsSpace(text[last]) || last == 0 {
		return false
	}
	at := last - 1
	for at > 0 && strings.ContainsRune(`"')]»”’`, text[at]) {
		at--
	}
	return strings.ContainsRune(".!?…؟।", text[at])
}

// between moves a cut away from the inside of a character made of several.
func between(text []rune, first, i int) int {
	for at := i; at > first; at-- {
		joins := at < len(text) && (unicode.In(text[at], unicode.Mn, unicode.Me, unicode.Variation_Selector) || text[at] == '\u200d') || text[at-1] == '\u200d'
		if !joins {
			return at
		}
	}
	return i
}

// wordStart moves a start, which is after the first character, forward to the
// beginning of a word, but not past end.
func wordStart(text []rune, i, end int) int {
	for at := i; at < end; at++ {
		if unicode.IsSpace(text[at-1]) && !unicode.IsSpace(text[at]) {
			return at
		}
	}
	if i < end && wide(string(text[i:end])) > 0 {
		return i // no spaces to look for
	}
	return end
}

// wide is the share of characters in scripts that are written without spaces.
func wide(text string) float64 {
	n, all := 0, 0
	for _, r := range text {
		all++
		if r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			n++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}
