package screen

import (
	"strings"
	"unicode"
)

// visible is a text as people see it: lines without the characters nobody sees,
// spaces as one space, and no empty lines. A terminal's escape sequences go
// whole.
func visible(text string) []string {
	text = terminal.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	runes := []rune(text)
	var lines []string
	var line strings.Builder
	space := false
	for i, r := range runes {
		switch {
		case breaksLine(r):
			if line.Len() > 0 {
				lines = append(lines, line.String())
				line.Reset()
			}
			space = false
			continue
		case unicode.IsSpace(r):
			space = true
			continue
		case control(r), hidden(r) && !shapes(runes, i):
			continue
		}
		if space && line.Len() > 0 {
			line.WriteByte(' ')
		}
		space = false
		line.WriteRune(r)
	}
	if line.Len() > 0 {
		lines = append(lines, line.String())
	}
	return lines
}

func breaksLine(r rune) bool {
	return r == '\n' || r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// hidden reports whether r takes no room: it joins, parts or steers what stands
// around it, or carries what people do not see.
func hidden(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x034F, r == 0x061C, r == 0x180E, r == 0xFEFF,
		r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, // fillers of Hangul
		r == 0x2800, // a Braille cell without dots
		r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F,
		r >= 0x17B4 && r <= 0x17B5, r >= 0x180B && r <= 0x180F, r >= 0xFE00 && r <= 0xFE0F,
		r >= 0xFFF0 && r <= 0xFFFB, r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A,
		r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return unicode.Is(unicode.Cf, r) && !(r >= 0x0600 && r <= 0x0605) && r != 0x06DD && r != 0x070F && r != 0x08E2 // signs before numbers are seen
}

// shapes reports whether the hidden character at i is part of how its neighbours
// are written: a joiner within emoji or within a script that joins letters, a
// selector behind a picture. A second one in a row is not.
func shapes(runes []rune, i int) bool {
	if i == 0 || i+1 > len(runes) {
		return false
	}
	before := runes[i-1]
	var after rune
	if i+1 < len(runes) {
		after = runes[i+1]
	}
	switch runes[i] {
	case 0xFE0E, 0xFE0F:
		return unicode.Is(unicode.So, before) || unicode.Is(unicode.Sm, before) || after == 0x20E3
	case 0x200D:
		return picture(before) && picture(after) || joining(before) && joining(after)
	case 0x200C:
		return joining(before) && joining(after)
	}
	return false
}

func picture(r rune) bool {
	return unicode.Is(unicode.So, r) || r == 0xFE0F || r >= 0x1F3FB && r <= 0x1F3FF || r == 0x2640 || r == 0x2642
}

// joining reports whether r is of a script in which joiners change the shape of
// letters: those between Arabic and the scripts of India and their neighbours.
func joining(r rune) bool { return r >= 0x0600 && r <= 0x109F && !hidden(r) }
