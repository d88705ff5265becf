package rank

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tags are the tag tokens of a query, as proj:apollo: a prefix that somebody
// chose, a colon, and a name. Make one with ParseTags; the zero Tags has none.
type Tags struct {
	// Tokens are the distinct tokens, as written in the query.
	Tokens []string
	folded []string
}

// TagPattern finds tag tokens of the given prefixes, in any letter case, and
// nil when there are no prefixes. The name takes letters and digits of any
// script, _ and -.
func TagPattern(prefixes []string) *regexp.Regexp {
	var quoted []string
	for _, p := range prefixes {
		if p = strings.TrimSuffix(strings.TrimSpace(p), ":"); p != "" {
			quoted = append(quoted, regexp.QuoteMeta(p))
		}
	}
	if len(quoted) == 0 {
		return nil
	}
	// Longer prefixes first, so that "team" does not hide "team-eu".
	slices.SortFunc(quoted, func(a, b string) int { return len(b) - len(a) })
	return regexp.MustCompile(`(?i)(?:` + strings.Join(quoted, "|") + `):[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_-]*`)
}

// ParseTags finds the tags of a query. A prefix in the middle of a word or of an
// address (https://env:80) is none.
func ParseTags(pattern *regexp.Regexp, query string) Tags {
	var t Tags
	if pattern == nil {
		return t
	}
	for _, at := range pattern.FindAllStringIndex(query, -1) {
		token := strings.TrimRight(query[at[0]:at[1]], "-")
		if insideOther(query[:at[0]]) {
			continue
		}
		if folded := Fold(token); !slices.Contains(t.folded, folded) {
			t.Tokens, t.folded = append(t.Tokens, token), append(t.folded, folded)
		}
	}
	return t
}

// None reports whether there is no tag.
func (t Tags) None() bool { return len(t.Tokens) == 0 }

// In reports whether a text holds every tag as a whole token: proj:apollo is not
// in proj:apollo-2, nor in subproj:apollo.
func (t Tags) In(text string) bool {
	folded := Fold(strings.ToValidUTF8(text, " "))
	for _, tag := range t.folded {
		if !holdsTag(folded, tag) {
			return false
		}
	}
	return true
}

func holdsTag(text, tag string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], tag)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(tag)
		if !insideOther(text[:at]) && !goesOn(text[from:]) {
			return true
		}
	}
}

// insideOther reports whether a tag after this text would be the end of a longer
// word or of an address.
func insideOther(before string) bool { return attachedBefore(before) || strings.HasSuffix(before, "/") }

// goesOn reports whether the name of a tag continues with this text.
func goesOn(after string) bool {
	first, size := utf8.DecodeRuneInString(after)
	if first == '-' {
		second, _ := utf8.DecodeRuneInString(strings.TrimLeft(after[size:], "-"))
		return tagRune(second)
	}
	return size > 0 && tagRune(first)
}

// tagRune is what TagPattern takes as part of a name, besides the dash.
func tagRune(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.N) }
