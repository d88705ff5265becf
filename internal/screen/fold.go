package screen

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// lookalikes are letters of other alphabets that look like Latin ones, in lower
// case, and colons that look like the usual one.
var lookalikes = func() map[rune]rune {
	m := map[rune]rune{'ː': ':', '∶': ':', '꞉': ':', '׃': ':', '։': ':', '˸': ':', '፡': ':', 'ı': 'i', 'ɑ': 'a', 'ɡ': 'g', 'ȷ': 'j', 'ʟ': 'l', 'ꜰ': 'f', 'ꞌ': '\'', '’': '\'', '‘': '\'', 'ʼ': '\''}
	for _, pair := range []struct{ from, to string }{
		{"аеорсухіѕјһкмтԁԛԝһѵԍ", "aeopcyxisjhkmtdqwhvg"}, // Cyrillic
		{"αεορτυνικχγ", "aeoptuvikxy"},                   // Greek
		{"ᴀʙᴄᴅᴇɢʜɪᴊᴋᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdeghijkmnoprstuvwyz"},
	} {
		to := []rune(pair.to)
		for i, r := range []rune(pair.from) {
			m[r] = to[i]
		}
	}
	return m
}()

// foldRune is a character as it is compared: lower case, of its usual width,
// without accents, Latin where it looks so; "" if nobody sees it.
func foldRune(r rune) string {
	if r < 0x80 {
		return string(unicode.ToLower(r))
	}
	if hidden(r) || r >= 0x0300 && r <= 0x036F {
		return ""
	}
	s := norm.NFD.String(norm.NFKC.String(string(r)))
	s = norm.NFC.String(strings.Map(func(r rune) rune {
		if r >= 0x0300 && r <= 0x036F {
			return -1
		}
		r = unicode.ToLower(r)
		if latin, ok := lookalikes[r]; ok {
			return latin
		}
		return r
	}, s))
	return s
}

// fold is a text as it is compared, character by character.
func fold(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if r < 0x80 {
			b.WriteRune(unicode.ToLower(r))
			continue
		}
		b.WriteString(foldRune(r))
	}
	return b.String()
}

// letters keeps the letters alone.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, s)
}
