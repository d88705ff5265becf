// Package lifecycle says when a memory moves between the tiers core, working
// and peripheral. It is arithmetic; who counts recalls asks it and writes the
// answer.
//
// Caveats: a memory moves one tier at a time, and the summary of a session never
// moves. What was put before a turn unasked moves nothing by itself (see
// rank.LifeOf).
package lifecycle

import (
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// Rules are the thresholds of the configuration's tier block.
type Rules struct {
	// A working memory becomes core with so many recalls on purpose, such a
	// composite and such an importance.
	CoreAccess                    int
	CoreComposite, CoreImportance float64
	// Below PeripheralComposite a memory goes down; a working one also when it
	// is older than PeripheralAgeDays and rarely recalled. 0 days is never.
	PeripheralComposite, PeripheralAgeDays float64
	// A peripheral memory becomes working with so many recalls and such a
	// composite. Fewer recalls are "rarely".
	WorkingAccess    int
	WorkingComposite float64
}

// DefaultRules hold the values of a configuration that says nothing.
var DefaultRules = Rules{
	CoreAccess: 10, CoreComposite: 0.7, CoreImportance: 0.8,
	PeripheralComposite: 0.15, PeripheralAgeDays: 60,
	WorkingAccess: 3, WorkingComposite: 0.4,
}

// Tier is the tier m belongs to at now, by the rules of the TypeScript plugin:
//
//	peripheral → working     recalls ≥ 3 and composite ≥ 0.4
//	working → core           recalls ≥ 10, composite ≥ 0.7 and importance ≥ 0.8
//	working → peripheral     composite < 0.15, or over 60 days old and recalls < 3
//	core → working           composite < 0.15 and recalls < 3
//
// A memory without a tier counts as working.
func Tier(m memory.Memory, now time.Time, decay rank.Decay, rules Rules) memory.Tier {
	tier := m.Metadata.Tier
	if tier != memory.TierCore && tier != memory.TierPeripheral {
		tier = memory.TierWorking
	}
	if m.Metadata.Source == memory.SourceSessionSummary {
		return tier
	}
	life := rank.LifeOf(m)
	life.Tier = tier
	composite := decay.Composite(life, now)
	recalls := m.Metadata.AccessCount
	rarely := recalls < rules.WorkingAccess
	faded := composite < rules.PeripheralComposite
	switch tier {
	case memory.TierPeripheral:
		if !rarely && composite >= rules.WorkingComposite {
			return memory.TierWorking
		}
	case memory.TierCore:
		if faded && rarely {
			return memory.TierWorking
		}
	default:
		old := rules.PeripheralAgeDays > 0 && now.Sub(m.Time).Hours()/24 > rules.PeripheralAgeDays
		switch {
		case recalls >= rules.CoreAccess && composite >= rules.CoreComposite && m.Importance >= rules.CoreImportance:
			return memory.TierCore
		case faded, old && rarely:
			return memory.TierPeripheral
		}
	}
	return tier
}
