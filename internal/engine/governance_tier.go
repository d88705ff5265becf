package engine

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lifecycle"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Memories move between the tiers when recalls are counted: those recalled at
// once, and of their scopes the newest others in the same go, because the ones
// that fade are those nobody recalls.

const (
	keyTierUpdated = "tier_updated_at"
	// tierRows of a scope are looked at, the newest; tierScopes at a time.
	tierRows   = 100
	tierScopes = 8
)

// promote moves a memory to the tier it belongs to, and says whether it moved.
func (e *Engine) promote(m *memory.Memory) bool {
	c := e.cfg
	c.Decay.Enabled = true // tiers move also where they do not age what is recalled
	decay, _ := ageing(c)
	tier := lifecycle.Tier(*m, e.now(), *decay, lifecycle.Rules(c.Tier))
	if tier == m.Metadata.Tier {
		return false
	}
	m.Metadata.Tier = tier
	m.Metadata.Extra = maps.Clone(m.Metadata.Extra)
	if m.Metadata.Extra == nil {
		m.Metadata.Extra = map[string]json.RawMessage{}
	}
	put(&m.Metadata, keyTierUpdated, e.noteAt().UnixMilli())
	return true
}

// moveTiers looks at the newest rows of some scopes, and writes those that move.
func (e *Engine) moveTiers(ctx context.Context, db *store.Store, scopes []string) error {
	var moving []string
	for _, name := range scopes[:min(len(scopes), tierScopes)] {
		filter, unknown := readable(scope.Operator(), name)
		if unknown != "" {
			continue // a row of an old table may name none
		}
		page, err := db.List(ctx, store.ListQuery{Who: filter, Limit: tierRows})
		if err != nil {
			return err
		}
		for _, m := range page.Memories {
			if e.promote(&m) {
				moving = append(moving, m.ID)
			}
		}
	}
	if len(moving) == 0 {
		return nil
	}
	return db.WriteQuiet(ctx, "moving tiers", func(tx *store.Tx) error {
		return eachTouched(ctx, tx, moving, func(m *memory.Memory) bool { return e.promote(m) })
	})
}

// eachTouched changes memories under the write lock. Those that are gone are
// passed over, and those of old tables that could not be stored again as they are.
func eachTouched(ctx context.Context, tx *store.Tx, ids []string, change func(*memory.Memory) bool) error {
	all := scope.Operator().Filter()
	slices.Sort(ids)
	if err := tx.Load(ctx, ids...); err != nil {
		return err
	}
	for _, id := range ids {
		m, err := tx.Get(ctx, all, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if strings.TrimSpace(m.Text) == "" || len(m.Text) > memory.MaxTextBytes || !change(&m) {
			continue
		}
		m.Vector = nil // as it is stored
		if err := tx.Update(m); err != nil {
			return err
		}
	}
	return nil
}
