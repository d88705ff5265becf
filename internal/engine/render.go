package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
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
	lines := make([]string, 0, len(a.Hits))
	for _, h := range a.Hits {
		text := strings.TrimSpace(h.Memory.Full())
		if !f.FullText {
			text = Shorten(h.Memory.Abstract(), f.MaxChars)
		}
		lines = append(lines, fmt.Sprintf("[%s] [%s] %s", h.Memory.ID, Tag(h.Memory), text))
	}
	return screen.InjectedBlock(lines)
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

// Day is the day a memory is of. Rows of early tables may state none.
func Day(m memory.Memory) string {
	if m.Time.IsZero() {
		return "undated"
	}
	return m.Time.UTC().Format(time.DateOnly)
}

// Tag is the short label of a memory: "preference:agent:main".
func Tag(m memory.Memory) string { return string(m.Category) + ":" + m.Scope }
