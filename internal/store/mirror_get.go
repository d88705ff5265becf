package store

import (
	"context"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// lookup finds rows by id without a look at the others; ok is false when the table
// has to be asked. Rows that who may not read are left out.
func (s *Store) lookup(ctx context.Context, who scope.Filter, list []string, vectors bool) (rows map[string]memory.Memory, ok bool) {
	m := s.mirrorFresh(ctx)
	if m == nil {
		return nil, false
	}
	m.mu.RLock()
	if m.at == (edition{}) || m.twice {
		m.mu.RUnlock()
		return nil, false
	}
	admit, places := m.admits(who, memory.Narrow{}), []int{}
	for _, id := range list {
		if place, there := m.ids[id]; there && admit(int(place)) {
			places = append(places, int(place))
		}
	}
	found := m.pick(places)
	m.mu.RUnlock()
	if vectors && !s.vectorsOf(ctx, m.width, found) {
		return nil, false
	}
	rows = make(map[string]memory.Memory, len(found))
	for i := range found {
		row := found[i].hit.Memory
		found[i].row.fill(&row)
		if !vectors || len(row.Vector) == 0 {
			row.Vector = nil
		}
		rows[row.ID] = row
	}
	return rows, true
}

// withPrefix are up to limit ids that begin so, of rows that who may read.
func (s *Store) withPrefix(ctx context.Context, who scope.Filter, prefix string, limit int) (list []string, ok bool) {
	m := s.mirrorFresh(ctx)
	if m == nil {
		return nil, false
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.at == (edition{}) || m.twice {
		return nil, false
	}
	admit := m.admits(who, memory.Narrow{})
	for place := range m.rows {
		if id := m.id(place); strings.HasPrefix(id, prefix) && admit(place) {
			if list = append(list, id); len(list) == limit {
				break
			}
		}
	}
	return list, true
}
