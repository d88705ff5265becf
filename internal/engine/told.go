package engine

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// When a person says "remember that …", the agent often calls its tool in the
// same turn, in words of its own. What it stored then is not captured a second
// time.

// noteTold keeps what a session's agent stored or changed until its turn is
// captured.
func (e *Engine) noteTold(who Who, text string) {
	key := who.caller.SessionKey
	if !e.cfg.Capture.Enabled || key == "" || text == "" {
		return
	}
	c := e.captures
	c.mu.Lock()
	defer c.mu.Unlock()
	list, _ := c.told.Get(key)
	if list = append(slices.Clone(list), firstBytes(text, longestReceived)); len(list) > maxReceived {
		list = list[1:]
	}
	c.told.Add(key, list)
}

// sameMatter is the share of a statement's telling words that the agent's text
// must have, for the two to be about the same.
const sameMatter = 0.6

// samePairs is the same where pairs of characters stand for words: then the
// particles around the words count, too.
const samePairs = 0.45

// alreadyTold reports whether the agent stored in this turn what a statement
// says. Its numbers and identifiers must all be there.
func alreadyTold(statement string, told []string) bool {
	words := telling(statement)
	share := sameMatter
	if pairs(words) > len(words)/2 {
		share = samePairs
	}
	return len(words) > 0 && slices.ContainsFunc(told, func(t string) bool {
		inIt := telling(t)
		shared := 0
		for w := range words {
			switch {
			case inIt[w]:
				shared++
			case strings.ContainsFunc(w, unicode.IsDigit):
				return false
			}
		}
		return float64(shared) >= share*float64(len(words))
	})
}

func pairs(words map[string]bool) (n int) {
	for w := range words {
		if utf8.RuneCountInString(w) == 2 && !ascii(w) {
			n++
		}
	}
	return n
}

// telling are the words of a text that carry its subject, by their first five
// letters, so that "prefers" is "prefer".
func telling(text string) map[string]bool {
	const letters = 5
	set := map[string]bool{}
	for w := range words(text) {
		n := utf8.RuneCountInString(w)
		digits, _ := digitsAndLetters(w)
		switch {
		case wishWords[w]:
		case digits, n == 2 && !ascii(w): // pairs of characters where there are no spaces
			set[w] = true
		case n >= 3:
			set[firstRunes(w, letters)] = true
		}
	}
	return set
}

func ascii(s string) bool { return len(s) == utf8.RuneCountInString(s) }

// wishWords are of the asking, not of what is asked to be remembered.
var wishWords = wordSet(`remember note please keep mind forget that this the and for from with are was has have you your our their
	user users dass bitte merk merke dir nicht que por favor recuerda souviens toi ricorda che lembre se`)
