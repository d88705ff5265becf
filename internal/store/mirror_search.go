package store

import (
	"context"
	"math"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// nearestHeld is Nearest from what is held in memory; ok is false when that cannot
// tell. Rows whose cosine is below floor need not be among the hits.
func (s *Store) nearestHeld(ctx context.Context, m *mirror, who scope.Filter, n memory.Narrow, vector []float32, floor float64, limit int) (hits []memory.Hit, ok bool) {
	m.mu.RLock()
	if m.at == (edition{}) || len(vector) != m.width {
		m.mu.RUnlock()
		return nil, false
	}
	places := m.vectors.Candidates(vector, limit, floor, m.admits(who, n))
	found := m.pick(places)
	m.mu.RUnlock()
	if !s.vectorsOf(ctx, m.width, found) {
		return nil, false
	}
	for i := range found {
		found[i].hit.Score = cosine(vector, found[i].hit.Memory.Vector)
	}
	return finish(found, limit), true
}

// picked is a row that may be found.
type picked struct {
	hit memory.Hit
	row heldRow
}

// pick takes rows out, so that nothing is held while their vectors are read.
func (m *mirror) pick(places []int) []picked {
	found := make([]picked, len(places))
	for i, place := range places {
		found[i] = picked{hit: memory.Hit{Memory: m.brief(place)}, row: m.rows[place]}
		if !m.vectors.Has(place) {
			found[i].hit.Memory.Vector = []float32{}
		}
	}
	return found
}

// vectorsOf reads those vectors that are not held. It is false if a row is gone, or
// another lies at its address since the fragments were numbered anew.
func (s *Store) vectorsOf(ctx context.Context, width int, found []picked) bool {
	var missing []lance.Predicate
	for _, f := range found {
		if f.hit.Memory.Vector == nil {
			missing = append(missing, lance.Eq(lance.RowIDColumn, int64(f.row.address)))
		}
	}
	if len(missing) == 0 {
		return true
	}
	rows, err := s.scanAddressed(ctx, lance.ScanQuery{Filter: lance.Or(missing...)}, colID, colVector)
	if err != nil {
		return false
	}
	defer rows.Release()
	read := make(map[uint64]int, rows.NumRows())
	for i := range rows.NumRows() {
		read[uint64(rows.Int64(lance.RowIDColumn, i))] = i
	}
	for f := range found {
		m := &found[f].hit.Memory
		if m.Vector != nil {
			continue
		}
		i, there := read[found[f].row.address]
		if !there || rows.String(colID, i) != m.ID {
			return false
		}
		if m.Vector = rows.Vector(colVector, i); len(m.Vector) != width {
			return false
		}
	}
	return true
}

// finish orders, cuts and completes the hits.
func finish(found []picked, limit int) []memory.Hit {
	found = slices.DeleteFunc(found, func(f picked) bool { return !finite(f.hit.Score) })
	slices.SortStableFunc(found, func(a, b picked) int { return byScore(a.hit, b.hit) })
	hits := make([]memory.Hit, min(limit, len(found)))
	for i := range hits {
		hits[i] = found[i].hit
		found[i].row.fill(&hits[i].Memory)
		if len(hits[i].Memory.Vector) == 0 {
			hits[i].Memory.Vector = nil
		}
	}
	return hits
}

const (
	// wordsMost is how many addresses a keyword search asks for before the condition
	// is made part of the query: 5 ms.
	wordsMost = 5000
	// wordsSample is how many rows are looked at to guess how many of them may be found.
	wordsSample = 256
)

// matchingHeld is Matching through what is held. LanceDB orders the rows that match
// by their scores, whoever may read them; so many are asked for that enough are left.
func (s *Store) matchingHeld(ctx context.Context, m *mirror, who scope.Filter, n memory.Narrow, text string, limit int) (hits []memory.Hit, ok bool) {
	share, total, ok := m.share(who, n)
	if !ok {
		return nil, false
	}
	for ask := int(float64(limit+spare(limit)) / share); ; ask *= 4 {
		if ask = min(ask, total+1); ask > wordsMost {
			return nil, false
		}
		rows, err := s.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
			return t.Match(ctx, lance.TextQuery{Column: colText, Text: text, Columns: []string{lance.RowIDColumn}, Limit: ask})
		})
		if err != nil {
			return nil, false
		}
		found, known := m.matched(rows, who, n, limit)
		known = known && s.sameAddresses(ctx, m)
		all := rows.NumRows() < ask || ask > total
		rows.Release()
		if !known {
			return nil, false
		}
		if len(found) < limit && !all {
			continue
		}
		if !s.vectorsOf(ctx, m.width, found) {
			return nil, false
		}
		return finish(found, limit), true
	}
}

// sameAddresses reports whether rows lie where m has them in the newest version, too.
func (s *Store) sameAddresses(ctx context.Context, m *mirror) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	now, err := s.editionNow(ctx, m.at)
	return err == nil && (now == m.at || s.sameFiles(m, now))
}

// share is about which part of the rows may be found, and how many there are.
func (m *mirror) share(who scope.Filter, n memory.Narrow) (share float64, total int, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.at == (edition{}) {
		return 0, 0, false
	}
	admit, seen, may := m.admits(who, n), 0, 0
	step := max(1, len(m.rows)/wordsSample)
	for place := 0; place < len(m.rows); place += step {
		if seen++; admit(place) {
			may++
		}
	}
	if seen == 0 {
		return 1, 0, true
	}
	return max(float64(may)/float64(seen), 1e-3), len(m.rows), true
}

// matched are the first of the rows that may be found, with all that score as the
// last of them. known is false if one is not held: it was written meanwhile.
func (m *mirror) matched(rows *lance.Rows, who scope.Filter, n memory.Narrow, limit int) (found []picked, known bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.at == (edition{}) {
		return nil, false
	}
	admit := m.admits(who, n)
	var places []int
	var scores []float64
	for i := range rows.NumRows() {
		place, ok := m.places[uint64(rows.Int64(lance.RowIDColumn, i))]
		if !ok {
			return nil, false
		}
		score := max(rows.Float64(lance.ScoreColumn, i), 0)
		if len(places) >= limit && score < scores[limit-1] {
			break
		}
		if admit(int(place)) && !math.IsNaN(score) {
			places, scores = append(places, int(place)), append(scores, score)
		}
	}
	found = m.pick(places)
	for i, score := range scores {
		found[i].hit.Score = score
	}
	return found, true
}

// behindMost is how many changes of this process a search before a write may leave to
// NearestAfter; reading what they made of the table takes 2 ms.
const behindMost = 64

// nearMirrored is Nearest for the rows whose cosine is at least above, as of what is
// recorded up to seq: those that this process recorded since are not worth a look at
// the table, NearestAfter adds them. ok is false when it has to be asked.
func (s *Store) nearMirrored(ctx context.Context, who scope.Filter, n memory.Narrow, vector []float32, above float64, limit int) (hits []memory.Hit, seq uint64, ok bool) {
	if s.readOnly != nil || s.journalProblem != nil || s.checkQuery(vector) != nil {
		return nil, 0, false
	}
	m := s.mirrored.held()
	if m == nil {
		return nil, 0, false
	}
	if !s.madeUpFor(m) {
		if m = s.mirrorFresh(ctx); m == nil {
			return nil, 0, false
		}
	}
	m.mu.RLock()
	seq = m.seq
	m.mu.RUnlock()
	hits, ok = s.nearestHeld(ctx, m, who, s.byNow(n), vector, above, limit)
	return slices.DeleteFunc(hits, func(h memory.Hit) bool { return h.Score < above }), seq, ok
}

// madeUpFor reports whether the little that is recorded and not in m was recorded by
// this process, so that NearestAfter makes up for it.
func (s *Store) madeUpFor(m *mirror) bool {
	m.mu.RLock()
	at, seq := m.at, m.seq
	m.mu.RUnlock()
	last := s.journal.Last()
	if at == (edition{}) || last-min(seq, last) > behindMost {
		return false
	}
	_, ok := s.recent.since(seq, last)
	return ok
}
