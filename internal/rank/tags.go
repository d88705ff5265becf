package rank

import (
	"regexp"
	"slices"
	"strings"
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
		before := lastRunes(query[:at[0]], 1)
		if before != "" && (wordRune([]rune(before)[0]) || strings.ContainsAny(before, "_-./:@#")) {
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
// in proj:apollo-2.
func (t Tags) In(text string) bool {
	folded := Fold(strings.ToValidUTF8(text, ""))
	for _, tag := range t.folded {
		if !standsWhole(folded, tag) {
			return false
		}
	}
	return true
}
