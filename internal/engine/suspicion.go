package engine

import (
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
)

// suspicion is what is wrong with a memory that gives instructions to its reader,
// behind "it …"; "" if nothing is. Every form of it that may be shown is judged.
func suspicion(m memory.Memory) string {
	judged := ""
	for _, text := range []string{m.Text, m.Abstract(), m.Full()} {
		if text == judged {
			continue
		}
		if reason, yes := screen.Suspicious(text); yes {
			return reason
		}
		judged = text
	}
	return ""
}

// FlagSuspicious begins the flag of a hit that gives instructions to its reader.
const FlagSuspicious = "suspicious: it "

// flagSuspicious warns of such hits; it changes neither their order nor their
// number. Of related memories, which nobody asked for, it leaves such out.
func flagSuspicious(hits []retrieve.Hit) {
	for i := range hits {
		hits[i].Neighbours = slices.DeleteFunc(hits[i].Neighbours, func(m memory.Memory) bool { return suspicion(m) != "" })
		if why := suspicion(hits[i].Memory); why != "" {
			hits[i].Flags = append(hits[i].Flags, FlagSuspicious+why)
		}
	}
}
