package rank

import (
	"encoding/json"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// injectedKey is how often a memory was put before a turn unasked.
const injectedKey = "injected_count"

// LifeOf reads what ageing looks at.
//
// What was put before a turn unasked is weak evidence of use: it counts a
// quarter, never more than the recalls on purpose, and nothing without one. So a
// memory does not stay on top because it was on top.
func LifeOf(m memory.Memory) Life {
	d := m.Metadata
	accesses := float64(max(d.AccessCount, 0))
	var injected float64
	if json.Unmarshal(d.Extra[injectedKey], &injected) == nil {
		accesses += min(positive(injected)/4, accesses)
	}
	return Life{
		Created: m.Time, Accessed: d.LastAccessedAt, Accesses: accesses,
		Importance: m.Importance, Confidence: d.Confidence, Tier: d.Tier,
		Dynamic: d.TemporalType == "dynamic",
	}
}
