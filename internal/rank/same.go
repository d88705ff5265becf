package rank

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SameMatter reports whether nothing that is written in two statements says that
// they are about different things: both have the same numbers, identifiers, names,
// times and as many negations. Vectors do not tell: "invoice 1003 is open" and
// "invoice 1004 is open", or db-prod-07 and db-prod-08, lie closer together than
// two ways of saying the same.
//
// In doubt it is false. A name is what has a capital and is no function word, also
// where a sentence begins, unless the other text has the word in any case. Where
// capitals tell nothing (Chinese, Japanese, Korean) one text must hold all that
// the other says; across scripts names cannot be compared. Of a longer text than
// 64 KiB the beginning is looked at.
func SameMatter(a, b string) bool {
	if a == b {
		return true
	}
	a, b = beginning(a), beginning(b)
	if !SameScript(a, b) || Negations(a) != Negations(b) {
		return false
	}
	x, y := matterOf(a), matterOf(b)
	return x.exact.equal(y.exact) && x.names.within(y.words) && y.names.within(x.words) &&
		x.times.equal(y.times) && (x.pairs.within(y.pairs) || y.pairs.within(x.pairs))
}

// matter is what of a statement must be the same.
type matter struct {
	// exact are identifiers and whatever has a digit or is a numeral, folded.
	exact wordsSet
	// words are all words and names those with a capital, as stems.
	words, names wordsSet
	times        wordsSet
	// pairs of neighbours in unspaced script, without the particles around them.
	pairs wordsSet
}

type wordsSet map[string]bool

func (s wordsSet) within(t wordsSet) bool {
	for w := range s {
		if !t[w] {
			return false
		}
	}
	return true
}

func (s wordsSet) equal(t wordsSet) bool { return len(s) == len(t) && s.within(t) }

func matterOf(text string) matter {
	m := matter{exact: wordsSet{}, words: wordsSet{}, names: wordsSet{}, times: wordsSet{}, pairs: wordsSet{}}
	ids, rest := cutIdentifiers(text)
	for _, id := range ids {
		m.exact[Fold(id)] = true
	}
	for _, r := range runs(rest) {
		folded := Fold(r.text)
		if r.kind == unspaced {
			m.unspaced(folded)
			continue
		}
		root := stem(folded)
		m.words[root] = true
		first, _ := utf8.DecodeRuneInString(r.text)
		switch {
		case strings.ContainsFunc(folded, unicode.IsDigit), numerals[folded]:
			m.exact[folded] = true
		case timeWords[folded]:
			m.times[folded] = true
		case unicode.IsUpper(first) && !functionWords[folded]:
			m.names[root] = true
		}
	}
	return m
}

// unspaced keeps pairs without hiragana, which is endings and particles, and
// numerals by themselves.
func (m matter) unspaced(folded string) {
	for _, p := range pairs(folded) {
		if !strings.ContainsAny(p, particles) && !strings.ContainsFunc(p, func(r rune) bool { return unicode.Is(unicode.Hiragana, r) }) {
			m.pairs[p] = true
		}
	}
	for _, r := range folded {
		if strings.ContainsRune("一二三四五六七八九十百千万萬億亿两兩", r) {
			m.exact[string(r)] = true
		}
	}
}

// numerals are numbers in words, folded.
var numerals = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range slices.Concat(
		strings.Fields("two three four five six seven eight nine ten eleven twelve twenty thirty hundred thousand million first second third fourth fifth"),
		strings.Fields("zwei drei vier funf sechs sieben acht neun zehn elf zwolf zwanzig dreißig hundert tausend erste zweite dritte vierte"),
		strings.Fields("deux trois quatre cinq six sept huit neuf dix onze douze vingt trente cent mille premier premiere deuxieme troisieme"),
		strings.Fields("dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cien mil primero primera segundo tercero"),
		strings.Fields("due tre quattro cinque sei sette otto nove dieci venti cento"),
		strings.Fields("dois quatro sete oito dez vinte"),
	) {
		set[w] = true
	}
	return set
}()

// beginning is as much of a text as is looked at.
func beginning(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxExactBytes)], "")
}
