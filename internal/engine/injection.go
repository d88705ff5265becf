package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
)

// summaryRunes is what recallMode "summary" shows of one memory.
const summaryRunes = 80

// budget is the room the settings give the block of a turn; no items mean that
// turns get no memories.
func budget(c config.AutoRecall) screen.Budget {
	b := screen.Budget{Items: min(c.MaxItems, c.MaxPerTurn), Total: c.MaxChars, PerItem: c.PerItemMaxChars, Tokens: c.MaxTokens}
	if !c.Enabled || c.Mode == "off" || b.Total == 0 || b.PerItem == 0 {
		b.Items = 0
	}
	if c.Mode == "summary" {
		b.PerItem = min(b.PerItem, summaryRunes)
	}
	return b
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

// choosy reports whether the settings leave out some of what is relevant.
func choosy(c config.AutoRecall) bool {
	return len(c.Categories) > 0 || c.ExcludeReflection || c.MaxAgeDays > 0 || c.MaxPerKey > 0
}

// chosen keeps the hits that the settings let into a turn, in their order.
func chosen(c config.AutoRecall, hits []retrieve.Hit, now time.Time) []retrieve.Hit {
	oldest := now.AddDate(0, 0, -c.MaxAgeDays)
	kept := slices.DeleteFunc(slices.Clone(hits), func(h retrieve.Hit) bool {
		m := h.Memory
		return (c.ExcludeReflection && m.Category == memory.StoredReflection) ||
			(c.MaxAgeDays > 0 && m.Time.Before(oldest)) ||
			(len(c.Categories) > 0 && !slices.ContainsFunc(c.Categories, func(name string) bool { return memory.MatchesCategory(m, name) }))
	})
	if c.MaxPerKey == 0 {
		return kept
	}
	newest := slices.Clone(kept)
	slices.SortStableFunc(newest, func(a, b retrieve.Hit) int { return b.Memory.Time.Compare(a.Memory.Time) })
	of, in := map[string]int{}, map[string]bool{}
	for _, h := range newest {
		key := factOf(h.Memory)
		of[key]++
		in[h.Memory.ID] = of[key] <= c.MaxPerKey
	}
	return slices.DeleteFunc(kept, func(h retrieve.Hit) bool { return !in[h.Memory.ID] })
}

// factOf is what makes two memories versions of one fact.
func factOf(m memory.Memory) string {
	return cmp.Or(m.Metadata.FactKey, strings.ToLower(strings.Join(strings.Fields(m.Text), " ")))
}
