package engine

import (
	"encoding/json"
	"maps"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lifecycle"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

const keyTierUpdated = "tier_updated_at"

// promote moves a memory between the tiers after its recalls were counted.
func (e *Engine) promote(m *memory.Memory) {
	c := e.cfg
	c.Decay.Enabled = true // tiers move also where they do not age what is recalled
	decay, _ := ageing(c)
	tier := lifecycle.Tier(*m, e.now(), *decay, lifecycle.Rules(c.Tier))
	if tier == m.Metadata.Tier {
		return
	}
	m.Metadata.Tier = tier
	m.Metadata.Extra = maps.Clone(m.Metadata.Extra)
	if m.Metadata.Extra == nil {
		m.Metadata.Extra = map[string]json.RawMessage{}
	}
	put(&m.Metadata, keyTierUpdated, e.noteAt().UnixMilli())
}
