package engine

import (
	"context"
	"strings"
	"unicode"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/recalls"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// eraseFromRecalls takes the recalls out of the record that had to do with what is
// erased: that found one of the memories, or whose question repeats their words. Of
// those that only looked at one and left it out the question tells nothing of it: they
// stay, without its id. The questions that go take their vectors along, which tell of
// the memory as well; those first, for afterwards nobody knows the questions.
func (e *Engine) eraseFromRecalls(ctx context.Context, db *store.Store, x *erasure, a *EraseAnswer) {
	keep := func(entry *recalls.Entry) bool {
		found := x.asked(entry.Query)
		for id := range x.ids {
			found = found || entry.Found(id)
			entry.Unname(id)
		}
		if found {
			x.questions = append(x.questions, strings.TrimSpace(entry.Query)) // as it was embedded
		}
		return !found
	}
	n := &e.recalls
	n.writing.Lock() // what was taken to be written is there
	defer n.writing.Unlock()
	n.mu.Lock()
	waiting := n.held
	n.held = nil
	for _, entry := range waiting {
		if keep(&entry) {
			n.held = append(n.held, entry)
		}
	}
	cut := len(waiting) - len(n.held)
	n.mu.Unlock()
	book := e.recallsOf(db)
	list, err := book.Read(ctx)
	if err != nil {
		a.Left = append(a.Left, err.Error())
	}
	for _, entry := range list {
		keep(&entry)
	}
	e.forgetVectors(x, x.questions, a)
	looked, went, err := book.Clean(ctx, keep)
	if err != nil {
		a.Left = append(a.Left, err.Error())
	}
	a.put("record of recalls", "", count(looked+len(waiting), "recall"), removed(went+cut, "recall", 0, "", ""))
}

// asked reports whether a question repeats what is erased: holds one of the texts
// or is part of one, shares a number with one, or half of its words.
func (x *erasure) asked(question string) bool {
	question = strings.ToLower(strings.TrimSpace(question))
	if question == "" {
		return false
	}
	words := wordsIn(question)
	for _, text := range x.lower {
		if strings.Contains(question, text) || strings.Contains(text, question) {
			return true
		}
		said := wordsIn(text)
		shared := 0
		for word := range words {
			if !said[word] {
				continue
			}
			if strings.ContainsFunc(word, unicode.IsDigit) {
				return true
			}
			shared++
		}
		if shared > 0 && 2*shared >= len(words) {
			return true
		}
	}
	return false
}

// wordsIn are the words of a text: runs of letters and digits of three or more, and
// pairs of neighbours in scripts that write no spaces.
func wordsIn(text string) map[string]bool {
	words := map[string]bool{}
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		runes := []rune(run)
		if !strings.ContainsFunc(run, unspaced) {
			if len(runes) >= 3 || strings.ContainsFunc(run, unicode.IsDigit) {
				words[run] = true
			}
			continue
		}
		for i := range len(runes) - 1 {
			words[string(runes[i:i+2])] = true
		}
	}
	return words
}
