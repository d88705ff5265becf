package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// verdicts are those on memories that are not, or perhaps not yet, in the table,
// by id and in their order. A search that begins after they were taken sees each
// of them in one of the two.
type verdicts map[string][]touch

// verdicts gives those at hand.
func (e *Engine) verdicts() verdicts {
	t := &e.touches
	t.mu.Lock()
	defer t.mu.Unlock()
	v := verdicts{}
	for _, some := range []map[string]touch{t.writing, t.held} {
		for id, one := range some {
			if one.reception != (reception{}) {
				v[id] = append(v[id], one)
			}
		}
	}
	return v
}

// narrow is n with v taken into account: where v frees a memory that the table
// holds back, the search holds none back, and heldBack does.
func (v verdicts) narrow(n memory.Narrow) memory.Narrow {
	for _, parts := range v {
		if slices.ContainsFunc(parts, func(t touch) bool { return t.frees }) {
			n.UnsuppressedAt = time.Time{}
			break
		}
	}
	return n
}

// heldBack are those of some hits that are held back now, with the reason.
func (e *Engine) heldBack(hits []retrieve.Hit, v verdicts) map[string]string {
	held := map[string]string{}
	for _, h := range hits {
		if v.of(e.cfg.AutoRecall, h.Memory).SuppressedUntil().After(e.now()) {
			held[h.Memory.ID] = LeftUnused
		}
	}
	return held
}

// of is what the metadata of a memory will be once v is written.
func (v verdicts) of(c config.AutoRecall, m memory.Memory) memory.Metadata {
	for _, t := range v[m.ID] {
		if t.reception.unused > 0 && number(m.Metadata, keyBadRecallAt) >= t.reception.last.UnixMilli() {
			continue // it was written before the search read the row
		}
		t.shown = 0
		govern(c, &m.Metadata, t)
	}
	return m.Metadata
}

// permittedNow is permitted, after what is held back left.
func (e *Engine) permittedNow(hits []retrieve.Hit, v verdicts) (kept []retrieve.Hit, refused map[string]string) {
	held := e.heldBack(hits, v)
	kept, refused = permitted(e.cfg.AutoRecall, slices.DeleteFunc(slices.Clone(hits), func(h retrieve.Hit) bool { return held[h.Memory.ID] != "" }))
	maps.Copy(refused, held)
	return kept, refused
}
