package screen

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Statement is a part of a message that is worth remembering.
type Statement struct {
	// Text is in the person's own words and can stand alone.
	Text   string
	Reason Reason
	// Category is the kind of memory it makes, as package memory names them.
	Category string
	// Points is set for "remember this": Text is empty then, and what is meant
	// is what the person said before.
	Points bool
}

const (
	// wholeUpTo is the length, in characters, up to which a message is kept whole:
	// what surrounds a statement often says what it is about.
	wholeUpTo = 500
	// askedUpTo bounds what is kept when the person asked for it.
	askedUpTo = 4000
	// pastedFrom is the length in bytes from which a message is somebody's
	// document; the person's own words stand before and after it.
	pastedFrom = 8 << 10
	ownWords   = 3 << 10
	// longestSentence is pasted text rather than a sentence beyond this.
	longestSentence = 1000
)

// Statements gives what a message holds that is worth remembering, the most
// telling first. words is a message as Words leaves it.
//
// A short message is one statement, without the questions, orders and small
// talk in it. Of a long one, each group of neighbouring sentences that trigger
// is a statement of its own, with the sentence before where it needs that.
// Nothing with a credential or a planted instruction in it is given; those may
// span sentences, so the statements are looked at as well.
func Statements(words string) []Statement {
	return slices.DeleteFunc(statements(words), func(s Statement) bool {
		_, withheld := Withheld(s.Text)
		return withheld
	})
}

func statements(words string) []Statement {
	if len(words) > pastedFrom {
		words = ends(words)
	}
	all := units(words)
	reason, found := strongest(all)
	switch {
	case !found:
		// "Remember this" beside something withheld means that, and nothing older.
		withheld := slices.ContainsFunc(all, func(u unit) bool { return u.withheld })
		if !withheld && slices.ContainsFunc(all, func(u unit) bool { return u.kind == pointsKind }) {
			return []Statement{{Reason: ReasonAsked, Category: "other", Points: true}}
		}
		return nil
	case slices.ContainsFunc(all, func(u unit) bool { return u.kind == opensKind }):
		return []Statement{statement(cut(words, askedUpTo), ReasonAsked)}
	}
	if kept := keep(all, words); utf8.RuneCountInString(kept) <= wholeUpTo {
		return []Statement{statement(kept, reason)}
	}
	return groups(all)
}

// ends are the beginning and the end of a long text, in whole lines or words.
func ends(words string) string {
	head, tail := words[:ownWords], words[len(words)-ownWords:]
	if at := strings.LastIndexAny(head, "\n "); at > 0 {
		head = head[:at]
	}
	if at := strings.IndexAny(tail, "\n "); at >= 0 {
		tail = tail[at+1:]
	}
	return strings.ToValidUTF8(head, "") + "\n" + strings.ToValidUTF8(tail, "")
}

func statement(text string, reason Reason) Statement {
	return Statement{Text: text, Reason: reason, Category: categoryOf(reason, text)}
}

// strongest is the weightiest reason in a message.
func strongest(all []unit) (Reason, bool) {
	best := len(reasons)
	for _, u := range all {
		if u.kind == statesKind || u.kind == opensKind {
			best = min(best, slices.Index(reasons, u.reason))
		}
	}
	if best == len(reasons) {
		return "", false
	}
	return reasons[best], true
}

// keep is a message without what passes; as written if nothing does.
func keep(all []unit, words string) string {
	if !slices.ContainsFunc(all, func(u unit) bool { return u.kind == passingKind || u.kind == hostKind || u.kind == pointsKind }) {
		return words
	}
	if pasted := slices.ContainsFunc(all, func(u unit) bool { return u.kind == hostKind }); pasted {
		// Something quoted or configured belongs to the sentence about it, if short.
		others := slices.ContainsFunc(all, func(u unit) bool { return u.kind == passingKind || u.kind == pointsKind })
		if !others && strings.Contains(words, "```") && utf8.RuneCountInString(words) <= wholeUpTo {
			return words
		}
	}
	var left []unit
	for _, u := range all {
		if u.kind == plainKind || u.kind == statesKind || u.kind == opensKind {
			left = append(left, u)
		}
	}
	return join(left)
}

func join(us []unit) string {
	var b strings.Builder
	for i, u := range us {
		if i > 0 {
			if u.line == us[i-1].line {
				b.WriteByte(' ')
			} else {
				b.WriteByte('\n')
			}
		}
		b.WriteString(u.text)
	}
	return b.String()
}

// needsBefore are words a sentence begins with when its subject was named in
// the sentence before.
var needsBefore = regexp.MustCompile(`(?i)^(?:(?:and|but|so|also) )?(?:it|this|that|these|those|he|she|they|his|her|their|its|there|then|er|sie|es|das|dies~?|il|elle|ils|ça|cela|ce|él|ella|eso|esto|lui|lei|questo|ele|isso|он|она|это|они|to|ten|ona)\b|^(?:它|他|她|这|那|這|それ|これ|彼|그|이건)`)

// groups are the statements of a long message.
func groups(all []unit) []Statement {
	var out []Statement
	for i := 0; i < len(all); i++ {
		u := all[i]
		if u.kind != statesKind || (u.reason != ReasonAsked && utf8.RuneCountInString(u.text) > longestSentence) {
			continue
		}
		from, to := i, i+1
		if from > 0 && needsBefore.MatchString(u.text) && all[from-1].kind == plainKind && length(all[from-1:to]) <= wholeUpTo {
			from--
		}
		for to < len(all) && all[to].kind == statesKind && length(all[from:to+1]) <= wholeUpTo {
			to++
		}
		reason, _ := strongest(all[from:to])
		out = append(out, statement(cut(join(all[from:to]), askedUpTo), reason))
		i = to - 1
	}
	slices.SortStableFunc(out, func(a, b Statement) int {
		return slices.Index(reasons, a.Reason) - slices.Index(reasons, b.Reason)
	})
	return out
}

func length(us []unit) int { return utf8.RuneCountInString(join(us)) }

// cut shortens text to n characters, between words.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)[:n]
	s := string(runes)
	if at := strings.LastIndexAny(s, " \n"); at > len(s)/2 {
		s = s[:at]
	}
	return strings.TrimSpace(s)
}
