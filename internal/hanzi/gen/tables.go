package main

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// dictionaries are those read: S is simplified, T traditional as OpenCC spells it, TW
// and HK as Taiwan and Hong Kong do.
var dictionaries = []string{"TSCharacters", "STCharacters", "TWVariants", "HKVariants", "TSPhrases", "STPhrases"}

// entry is a line of a dictionary: what is replaced, and the usual replacement.
type entry struct{ from, to string }

// parse reads "from<TAB>usual other…" lines. What lies beyond the basic plane is left
// out: nobody types it, and two bytes a character are enough for the rest.
func parse(data []byte) []entry {
	var list []entry
	for line := range strings.Lines(string(data)) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), "\t")
		to, _, _ = strings.Cut(to, " ")
		if ok && to != "" && !strings.ContainsFunc(from+to, func(r rune) bool { return r > 0xFFFF }) &&
			utf8.RuneCountInString(from) == utf8.RuneCountInString(to) {
			list = append(list, entry{from, to})
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(utf8.RuneCountInString(a.from), utf8.RuneCountInString(b.from)), cmp.Compare(a.from, b.from))
	})
	return slices.CompactFunc(list, func(a, b entry) bool { return a.from == b.from })
}

// tables are the files to write.
func tables(read map[string][]entry) map[string][]byte {
	return map[string][]byte{
		"simplified.txt":        characters(read["TSCharacters"]),
		"traditional.txt":       characters(read["STCharacters"]),
		"taiwan.txt":            characters(read["TWVariants"]),
		"hongkong.txt":          characters(read["HKVariants"]),
		"simplified-words.txt":  words(read["TSPhrases"], read["TSCharacters"]),
		"traditional-words.txt": words(read["STPhrases"], read["STCharacters"]),
	}
}

// characters writes a pair a line, without those that stay.
func characters(list []entry) []byte {
	var b bytes.Buffer
	for _, e := range list {
		if e.from != e.to && utf8.RuneCountInString(e.from) == 1 {
			b.WriteString(e.from + e.to + "\n")
		}
	}
	return b.Bytes()
}

// words writes those words that come out wrong when each character and each shorter
// word in them is replaced: a seventh of all.
func words(phrases, single []entry) []byte {
	known := map[string]string{}
	for _, e := range single {
		known[e.from] = e.to
	}
	longest := 1
	var b bytes.Buffer
	for _, e := range phrases {
		if replace(e.from, known, longest) == e.to {
			continue
		}
		known[e.from] = e.to
		longest = max(longest, utf8.RuneCountInString(e.from))
		b.WriteString(e.from + "\t" + e.to + "\n")
	}
	return b.Bytes()
}

// replace replaces the longest known piece at each place.
func replace(s string, known map[string]string, longest int) string {
	var b strings.Builder
	runes := []rune(s)
	for i := 0; i < len(runes); {
		n := min(longest, len(runes)-i)
		for ; n > 1; n-- {
			if _, ok := known[string(runes[i:i+n])]; ok {
				break
			}
		}
		piece := string(runes[i : i+n])
		if to, ok := known[piece]; ok {
			piece = to
		}
		b.WriteString(piece)
		i += n
	}
	return b.String()
}
