package rank

import (
	"strings"
	"unicode"
)

// connectors join the parts of an identifier.
const connectors = "-_./:@#"

func wordRune(r rune) bool { return scriptOf(r) == spaced }

// cutIdentifiers finds the identifiers of text and returns them with the text
// without them.
func cutIdentifiers(text string) (ids []string, rest string) {
	var b strings.Builder
	runes := []rune(text)
	for i := 0; i < len(runes); {
		end := tokenEnd(runes, i)
		token := string(runes[i:end])
		if identifier(token) {
			ids = append(ids, token)
			b.WriteByte(' ')
		} else {
			b.WriteString(token)
		}
		i = end
	}
	return ids, b.String()
}

// tokenEnd is the end of the token at i: word runes with single connectors
// between them, or one other rune.
func tokenEnd(runes []rune, i int) int {
	if !wordRune(runes[i]) {
		return i + 1
	}
	for i < len(runes) {
		switch {
		case wordRune(runes[i]):
			i++
		case strings.ContainsRune(connectors, runes[i]) && i+1 < len(runes) && wordRune(runes[i+1]):
			i += 2
		default:
			return i
		}
	}
	return i
}

// identifier reports whether a token is a name meant to the letter:
// svc-billing-eu2, MAX_RETRY_COUNT, maxRetryCount, E1043, 2026-11-30, v1.4.2,
// mara@example.org, but no plain word, hyphenated word, ordinal or quantity.
func identifier(token string) bool {
	var letters, digits, joints, humps int
	var dotted bool
	previous := ' '
	runes := []rune(token)
	for _, r := range runes {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) && unicode.IsLower(previous) {
				humps++
			}
		case strings.ContainsRune(connectors, r):
			joints++
			dotted = dotted || r == '_' || r == '@' || r == '.'
		}
		previous = r
	}
	switch n := len(runes); {
	case digits > 0 && letters > 0 && joints > 0:
		return true
	case digits > 0 && letters > 0:
		// "eu2" and "1f3e9a" but not "v2", "3rd" or "10am".
		return n >= 3 && unicode.IsLetter(runes[0]) || n >= 6
	case digits > 0 && joints > 0:
		return n >= 4 // "24/7", "10:30", not "1.5"
	case digits > 0:
		// A number of four digits may be a year, which is in half the rows.
		return n >= 5 || n == 4 && token[:2] != "19" && token[:2] != "20"
	}
	return letters > 0 && n5(runes) && (dotted || humps > 0)
}

// n5 keeps "e.g" and "McD" out.
func n5(runes []rune) bool { return len(runes) >= 5 }

// standsWhole reports whether id occurs in text, both folded, with nothing
// attached that would make it another name: E1043 is not in E10431, v1.4.2 not
// in v1.4.2.1, svc-billing-eu2 not in svc-billing-eu2-old.
func standsWhole(text, id string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], id)
		if at < 0 {
			return false
		}
		at += from
		if !attachedBefore(text[:at]) && !attachedAfter(text[at+len(id):]) {
			return true
		}
		from = at + len(id)
	}
}

func attachedBefore(s string) bool {
	r := []rune(lastRunes(s, 2))
	if len(r) == 0 {
		return false
	}
	last := r[len(r)-1]
	return wordRune(last) || len(r) == 2 && strings.ContainsRune(connectors, last) && wordRune(r[0])
}

func attachedAfter(s string) bool {
	first, second := rune(' '), rune(' ')
	for i, r := range s {
		if i == 0 {
			first = r
			continue
		}
		second = r
		break
	}
	return wordRune(first) || strings.ContainsRune(connectors, first) && wordRune(second)
}

// lastRunes is the end of s, at most n runes of it.
func lastRunes(s string, n int) string {
	end := len(s)
	for i := end; i > 0 && n > 0; n-- {
		i--
		for i > 0 && s[i]&0xC0 == 0x80 {
			i--
		}
		end = i
	}
	return s[end:]
}
