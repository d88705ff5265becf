package hanzi

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

var (
	//go:embed data/simplified.txt
	simplifiedData string
	//go:embed data/simplified-words.txt
	simplifiedWords string
	//go:embed data/traditional.txt
	traditionalData string
	//go:embed data/traditional-words.txt
	traditionalWords string
	//go:embed data/taiwan.txt
	taiwanData string
	//go:embed data/hongkong.txt
	hongkongData string
)

// tables are the read data.
type tables struct {
	simplified                  characters // of a traditional character
	plane                       *plane     // the same, for many texts
	standard                    characters // of a regional spelling the one the words are listed in
	taiwan, hongkong            characters // of the standard spelling
	toSimplified, toTraditional conversion
}

var read = sync.OnceValue(func() *tables {
	t := &tables{
		simplified: readCharacters(simplifiedData),
		taiwan:     readCharacters(taiwanData),
		hongkong:   readCharacters(hongkongData),
		standard:   characters{},
		plane:      &plane{},
	}
	for from, to := range t.simplified {
		t.plane.simplified[from] = uint16(to)
		t.plane.scripts[from] |= Traditional
		t.plane.scripts[to] |= Simplified
	}
	for _, regional := range []characters{t.hongkong, t.taiwan} {
		for from, to := range regional {
			t.standard[to] = from
		}
	}
	t.toSimplified = readConversion(t.simplified, simplifiedWords)
	t.toTraditional = readConversion(readCharacters(traditionalData), traditionalWords)
	return t
})

// plane says of each character of the basic plane what it is when simplified, 0 if it
// stays, and which scripts it tells of, 0 if it is written so in both. All candidates of a Chinese question go
// through it; a map takes 20 ns a character.
type plane struct {
	simplified [1 << 16]uint16
	scripts    [1 << 16]Script
}

func (p *plane) simplify(r rune) rune {
	if r >= 0x2E80 && r < 1<<16 && p.simplified[r] != 0 {
		return rune(p.simplified[r])
	}
	return r
}

// characters replaces single characters.
type characters map[rune]rune

// of is what stands for r: r itself if nothing else.
func (c characters) of(r rune) rune {
	if r < 0x2E80 {
		return r
	}
	if to, ok := c[r]; ok {
		return to
	}
	return r
}

// readCharacters reads lines of two characters.
func readCharacters(data string) characters {
	c := make(characters, strings.Count(data, "\n"))
	for line := range strings.Lines(data) {
		from, n := utf8.DecodeRuneInString(line)
		to, _ := utf8.DecodeRuneInString(line[n:])
		c[from] = to
	}
	return c
}

// conversion replaces characters, and words in which the usual one would be wrong.
type conversion struct {
	single  characters
	words   map[string]string
	longest map[rune]int // bytes of the longest word that begins so
}

// readConversion reads words, lines of "from<TAB>to".
func readConversion(single characters, data string) conversion {
	n := strings.Count(data, "\n")
	c := conversion{single: single, words: make(map[string]string, n), longest: make(map[rune]int, n/4)}
	for line := range strings.Lines(data) {
		from, to, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		c.words[from] = to
		first, _ := utf8.DecodeRuneInString(from)
		c.longest[first] = max(c.longest[first], len(from))
	}
	return c
}

// replace takes the longest word at each place, else the character.
func (c conversion) replace(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if word, to, ok := c.word(text[i:], r); ok {
			b.WriteString(to)
			i += len(word)
			continue
		}
		b.WriteRune(c.single.of(r))
		i += n
	}
	return b.String()
}

// sparing is text, which became replaced, with only those characters replaced that are
// no usual ones in the other script.
func (c conversion) sparing(text, replaced string) string {
	to := []rune(replaced)
	i := -1
	return strings.Map(func(r rune) rune {
		if i++; c.single.of(r) == r {
			return r
		}
		return to[i]
	}, text)
}

// word is the longest word at the beginning of text, which begins with first.
func (c conversion) word(text string, first rune) (word, to string, ok bool) {
	for n := min(c.longest[first], len(text)); n > utf8.RuneLen(first); n-- {
		if n < len(text) && !utf8.RuneStart(text[n]) {
			continue
		}
		if to, ok = c.words[text[:n]]; ok {
			return text[:n], to, true
		}
	}
	return "", "", false
}
