package engine

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
)

// Form says how memories are shown to a model.
type Form struct {
	// FullText shows each memory whole; otherwise its one-line form, cut to
	// MaxChars characters.
	FullText bool
	MaxChars int
}

// Block renders the hits as data a model must not obey: escaped, inside
// the same fence the prompt hook uses.
func (a RecallAnswer) Block(f Form) string {
	return a.BlockOf(func(h retrieve.Hit) []string {
		text := strings.TrimSpace(h.Memory.Full())
		if !f.FullText {
			text = Shorten(h.Memory.Abstract(), f.MaxChars)
		}
		return []string{text + beside(h)}
	})
}

// BlockOf is Block with the lines that say gives to each hit, at least one, the
// first of them behind its id, tag and flags.
func (a RecallAnswer) BlockOf(say func(retrieve.Hit) []string) string {
	items := make([][]string, 0, len(a.Hits))
	for _, h := range a.Hits {
		label := fmt.Sprintf("[%s] [%s] ", h.Memory.ID, Tag(h.Memory))
		for _, flag := range h.Flags {
			label += "[" + flag + "] "
		}
		lines := say(h)
		items = append(items, append([]string{label + lines[0]}, lines[1:]...))
	}
	return screen.InjectedItems(items)
}

// neighbourChars is how much of a related memory is shown.
const neighbourChars = 80

// beside is the related memories behind a hit.
func beside(h retrieve.Hit) string {
	var parts []string
	for _, n := range h.Neighbours {
		parts = append(parts, fmt.Sprintf("[%s] %s", n.ID, Shorten(n.Abstract(), neighbourChars)))
	}
	if len(parts) == 0 {
		return ""
	}
	return " Neighbors: " + strings.Join(parts, "; ")
}

// candidateChars is how much of a candidate is shown.
const candidateChars = 100

// Block renders candidates as data a model must not obey, like recalled memories.
func Block(candidates []Candidate) string {
	lines := make([]string, 0, len(candidates))
	for _, c := range candidates {
		lines = append(lines, fmt.Sprintf("[%s] [%s] %s", c.Memory.ID, Tag(c.Memory), Shorten(c.Memory.Abstract(), candidateChars)))
	}
	return screen.InjectedBlock(lines)
}

// Quoted are words of a server, for a model to read outside of a block: in quotes, on
// one line, and no turn of a conversation.
func Quoted(words string) string { return strconv.Quote(screen.Escape(words)) }

// Day is the day a memory is of. Rows of early tables may state none.
func Day(m memory.Memory) string {
	if m.Time.IsZero() {
		return "undated"
	}
	return m.Time.UTC().Format(time.DateOnly)
}

// Tag is the short label of a memory: "preference:agent:main". Other programs write
// categories of their own.
func Tag(m memory.Memory) string { return labelWord(string(m.Category)) + ":" + m.Scope }

const (
	// labelRunes bounds a word in a label.
	labelRunes = 40
	// closesLabel are brackets, and what looks like a colon behind the name of a speaker.
	closesLabel = "[]［］【】〔〕⟦⟧:：ː∶꞉׃։˸፡︰﹕"
)

// labelWord makes a word out of a table fit for a label of ours, which stands in
// brackets in front of a memory: nothing in it closes the label, names a speaker
// behind it, or gives orders. "" if nothing is left.
func labelWord(word string) string {
	word = strings.Map(func(r rune) rune {
		if strings.ContainsRune(closesLabel, r) {
			return ' '
		}
		return r
	}, firstRunes(word, 10*labelRunes))
	if word = Shorten(word, labelRunes); strings.Contains(word, " ") {
		if _, orders := screen.Suspicious(word); orders {
			return ""
		}
	}
	return word
}
