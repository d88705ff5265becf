package rank

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/hanzi"
)

// Query is a question taken apart: what to look for by words, and what counts
// as an exact match. Make one with ParseQuery; it is read-only afterwards.
type Query struct {
	// Keywords is the text for the keyword half: the query without its function
	// words, or all of it when it has no others.
	Keywords string
	// Identifiers are the names in it that are meant to the letter.
	Identifiers []string
	text        string
	terms       []term
	chinese     bool // both scripts of Chinese are one
}

// term is one thing to be found in a row.
type term struct {
	written    string // as in the query
	folded     string
	identifier bool
	function   bool // says nothing about the subject
	kind       script
}

// maxTerms bounds the work per row; a pasted page asks about nothing in
// particular, so the rest of it would not change the share. A Held has a bit for
// each.
const maxTerms = 64

// maxExactBytes bounds the work on one row: forty candidates of a megabyte each
// would cost a second. A longer row is judged by its beginning; the keyword half
// has read all of it.
const maxExactBytes = 64 << 10

// ParseQuery takes a query apart.
func ParseQuery(text string) Query {
	all := parseTerms(text)
	content := slices.DeleteFunc(slices.Clone(all), func(t term) bool { return t.function })
	q := Query{Keywords: keywords(text), text: text, terms: content, chinese: hanzi.Chinese(text)}
	if len(content) == 0 {
		q.Keywords, q.terms = strings.TrimSpace(text), all
	}
	for _, t := range q.terms {
		if t.identifier {
			q.Identifiers = append(q.Identifiers, t.written)
		}
	}
	return q
}

// Searchable reports whether text holds anything a search could go by: a letter
// or a digit.
func Searchable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// parseTerms lists the distinct terms of text in order.
func parseTerms(text string) []term {
	var out []term
	seen := map[string]int{}
	add := func(t term) {
		at, ok := seen[t.folded]
		switch {
		case ok:
			out[at].function = out[at].function && t.function
		case t.folded != "" && len(out) < maxTerms:
			seen[t.folded] = len(out)
			out = append(out, t)
		}
	}
	chinese := hanzi.Chinese(text)
	ids, rest := cutIdentifiers(text)
	for _, id := range ids {
		add(term{written: id, folded: Fold(id), identifier: true, kind: spaced})
	}
	onlyKana := !strings.ContainsFunc(rest, func(r rune) bool {
		return scriptOf(r) == unspaced && !unicode.Is(unicode.Hiragana, r)
	})
	de := german(text)
	for i, r := range runs(cutPhrases(rest)) {
		if r.kind == spaced {
			first := i == 0 && len(ids) == 0
			function := isFunctionWord(r.text, first) || de && germanOnly[Fold(r.text)]
			add(term{written: r.text, folded: Fold(r.text), kind: spaced, function: function})
			continue
		}
		for _, p := range pairs(r.text) {
			if strings.ContainsAny(p, particles) || (!onlyKana && strings.ContainsFunc(p, func(r rune) bool { return unicode.Is(unicode.Hiragana, r) })) {
				continue
			}
			folded := Fold(p)
			if chinese {
				folded = hanzi.Simplify(folded)
			}
			add(term{written: p, folded: folded, kind: unspaced})
		}
	}
	return out
}

// keywords drops function words and phrases from text, keeping the spelling.
func keywords(text string) string {
	var kept []string
	de := german(text)
	for i, field := range strings.Fields(cutKana(cutPhrases(text))) {
		bare := strings.TrimFunc(field, func(r rune) bool { return scriptOf(r) == separator })
		bare = withoutClitic(bare)
		// "it's" and "what's" are function words with a tail.
		head, _, _ := strings.Cut(strings.ReplaceAll(bare, "’", "'"), "'")
		if bare != "" && !isFunctionWord(head, i == 0) && !(de && germanOnly[Fold(head)]) {
			kept = append(kept, bare)
		}
	}
	return strings.Join(kept, " ")
}

// Terms is about how many distinct words are looked for; of unspaced script two
// pairs make a word.
func (q Query) Terms() int {
	words, pairs := 0, 0
	for _, t := range q.terms {
		if t.kind == unspaced {
			pairs++
		} else {
			words++
		}
	}
	return words + (pairs+1)/2
}

// Held says which of a query's words a row holds, a bit a word.
type Held uint64

// Compare tells how literally a row's text repeats the query, and which of its
// words it holds.
func (q Query) Compare(text string) (Exact, Held) {
	if len(q.terms) == 0 {
		return Exact{}, 0
	}
	folded := Fold(strings.ToValidUTF8(text[:min(len(text), maxExactBytes)], ""))
	if q.chinese {
		folded = hanzi.Simplify(folded)
	}
	stems := map[string]bool{}
	for _, r := range runs(folded) {
		if r.kind == spaced {
			stems[stem(r.text)] = true
		}
	}
	var e Exact
	var held Held
	var words []string
	ids, idsFound, found := 0, 0, 0
	for i, t := range q.terms {
		if t.identifier {
			ids++
			if standsWhole(folded, t.folded) {
				idsFound++
				found++
				held |= 1 << i
				e.Found = append(e.Found, t.written)
			}
			continue
		}
		if t.kind == unspaced && strings.Contains(folded, t.folded) || t.kind == spaced && stems[stem(t.folded)] {
			found++
			held |= 1 << i
			words = append(words, t.written)
		}
	}
	e.Found = append(e.Found, joinPairs(words)...)
	e.Words = float64(found) / float64(len(q.terms))
	if ids > 0 {
		e.Identifiers = float64(idsFound) / float64(ids)
	}
	return e, held
}

// joinPairs puts overlapping pairs (支付, 付网, 网关) together again (支付网关).
func joinPairs(words []string) []string {
	var out []string
	for _, w := range words {
		if n := len(out); n > 0 {
			if r := []rune(w); len(r) == 2 && scriptOf(r[0]) == unspaced && strings.HasSuffix(out[n-1], string(r[0])) {
				out[n-1] += string(r[1])
				continue
			}
		}
		out = append(out, w)
	}
	return out
}
