package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
)

// Bounds on the text of one memory, in characters: summaryRunes in the mode
// summary and where adaptive mode wants a line; a whole text gets deepTimes what
// the settings give one, deepRunes at most.
const (
	summaryRunes = 80
	deepTimes    = 3
	deepRunes    = 1000
)

// budget is the room the settings give the block of a turn; no items mean that
// turns get no memories.
func budget(c config.AutoRecall) screen.Budget {
	b := screen.Budget{Items: min(c.MaxItems, c.MaxPerTurn), Total: c.MaxChars, PerItem: c.PerItemMaxChars, Tokens: c.MaxTokens}
	if !c.Enabled || c.Mode == "off" || b.Total == 0 || b.PerItem == 0 {
		b.Items = 0
	}
	return b
}

// shape is how a turn's memories are shown.
type shape struct {
	intent screen.Intent // its Name is "" unless the mode is adaptive
	room   screen.Budget
}

func shapeOf(c config.AutoRecall, prompt string) shape {
	s := shape{room: budget(c)}
	depth := screen.Middle
	switch c.Mode {
	case "summary":
		depth = screen.Short
	case "adaptive":
		s.intent = screen.IntentOf(prompt)
		depth = s.intent.Depth
	}
	switch depth {
	case screen.Short:
		s.room.PerItem = min(s.room.PerItem, summaryRunes)
	case screen.Deep:
		s.room.PerItem = min(deepTimes*s.room.PerItem, deepRunes)
	}
	return s
}

// text is what is shown of a memory: its one-line form, or all of it.
func (s shape) text(m memory.Memory) string {
	if s.intent.Depth == screen.Deep {
		return m.Text
	}
	return m.Abstract()
}

// narrowing is what a turn may not get, whatever is relevant: it holds inside the
// search, so that no limit hides what is permitted behind what is not.
func narrowing(c config.AutoRecall, now time.Time) memory.Narrow {
	n := memory.Narrow{
		ConfirmedOnly: true, HideArchived: true, HideLayers: []string{memory.LayerArchive, memory.LayerReflection},
		Categories: c.Categories, HideReflections: c.ExcludeReflection, UnsuppressedAt: now,
	}
	if c.MaxAgeDays > 0 {
		n.Since = now.AddDate(0, 0, -c.MaxAgeDays)
	}
	return n
}

// getsMemories reports whether the settings give this agent memories.
func getsMemories(c config.AutoRecall, agent, session string) bool {
	named := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return namesAgent(p, agent, session) })
	}
	if len(c.IncludeAgents) > 0 {
		return named(c.IncludeAgents)
	}
	return !named(c.ExcludeAgents)
}

// namesAgent understands an id, a prefix that ends in "-", and "temp:*" for
// sessions the host or a plugin makes for itself.
func namesAgent(pattern, agent, session string) bool {
	switch {
	case pattern == "temp:*":
		return strings.HasPrefix(session, "temp:")
	case strings.HasSuffix(pattern, "-"):
		return strings.HasPrefix(agent, pattern)
	}
	return pattern == agent
}

// permitted parts hits, in their order, into those the settings let into a turn
// and those they refuse, with the reason.
func permitted(c config.AutoRecall, hits []retrieve.Hit) (kept []retrieve.Hit, refused map[string]string) {
	refused = map[string]string{}
	newest := slices.Clone(hits)
	slices.SortStableFunc(newest, func(a, b retrieve.Hit) int { return b.Memory.Time.Compare(a.Memory.Time) })
	versions := map[string]int{}
	for _, h := range newest {
		fact := factOf(h.Memory)
		switch {
		case c.MinScore != nil && h.Relevance < *c.MinScore:
			refused[h.Memory.ID] = LeftScore
			continue
		case c.HoldBackSuspicious && suspicion(h.Memory) != "":
			refused[h.Memory.ID] = LeftSuspicious
			continue
		case c.MaxPerKey > 0 && versions[fact] >= c.MaxPerKey:
			refused[h.Memory.ID] = LeftVersions
		}
		versions[fact]++
	}
	kept = slices.DeleteFunc(slices.Clone(hits), func(h retrieve.Hit) bool { return refused[h.Memory.ID] != "" })
	return kept, refused
}

// factOf is what makes two memories versions of one fact.
func factOf(m memory.Memory) string {
	return cmp.Or(m.Metadata.FactKey, strings.ToLower(strings.Join(strings.Fields(m.Text), " ")))
}

// labelOf says what a memory is, whose, and of when: "preferences:agent:main
// 2026-01-31". Nothing in it changes unless the memory does.
func labelOf(c config.AutoRecall, h retrieve.Hit) string {
	m := h.Memory
	label := fmt.Sprintf("%s:%s %s%s", kindShown(c.CategoryField, m), m.Scope, Day(m), speaker(m))
	if why := suspicion(m); why != "" {
		label += ", suspicious: it " + why
	}
	return label
}

// kindShown is the category, or the metadata field that is shown in its place
// where a memory has it.
func kindShown(field string, m memory.Memory) string {
	if field != "" {
		var all map[string]any
		if json.Unmarshal([]byte(m.Metadata.String()), &all) == nil {
			switch v := all[field].(type) {
			case string:
				if v = labelWord(v); v != "" {
					return v
				}
			case float64, bool:
				return fmt.Sprint(v)
			}
		}
	}
	return string(m.Kind())
}

// speaker marks what the assistant said, so that its "I" is not taken for the
// person's.
func speaker(m memory.Memory) string {
	if string(m.Metadata.Extra["source_role"]) == `"assistant"` {
		return ", the assistant's words"
	}
	return ""
}
