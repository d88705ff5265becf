package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// maxQueryBytes bounds a keyword query: every word is looked up, and what comes
// after the first thousand words of a prompt no longer changes who answers it.
const maxQueryBytes = 8 << 10

// Nearest returns the memories whose vectors point most nearly the way of
// vector, best first, with their cosine in [-1,1] and their vectors. Memories
// without a vector are not among them.
func (s *Store) Nearest(ctx context.Context, who scope.Filter, n memory.Narrow, vector []float32, limit int) ([]memory.Hit, error) {
	if err := s.checkQuery(vector); err != nil {
		return nil, err
	}
	hits, err := s.hits(ctx, who, n, limit, lance.DistanceColumn, func(d float64) float64 {
		return min(max(1-d, -1), 1)
	}, func(t *lance.Table, p lance.Predicate, ask int) (*lance.Rows, error) {
		return t.NearestTo(ctx, lance.VectorQuery{
			Column: colVector, Vector: vector, Metric: lance.Cosine, Filter: p, Columns: hitColumns, Limit: ask,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("searching by vector: %w", err)
	}
	return hits, nil
}

func (s *Store) checkQuery(vector []float32) error {
	if err := s.CheckVectors(); err != nil {
		return err
	}
	if len(vector) != s.layout.width {
		return &WidthError{Path: s.path, Table: s.layout.width, Given: len(vector)}
	}
	if usable(vector) != nil {
		return fmt.Errorf("searching by vector: %w: the query's vector is zero or not finite; embed it again", ErrInvalid)
	}
	return nil
}

// Matching returns the memories with any word of text, best first, with their
// BM25 score over 0 and their vectors. A text without words matches nothing.
func (s *Store) Matching(ctx context.Context, who scope.Filter, n memory.Narrow, text string, limit int) ([]memory.Hit, error) {
	text = clip(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", " "), " "))
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	text = widenKorean(widenForms(text))
	hits, err := s.hits(ctx, who, n, limit, lance.ScoreColumn, func(score float64) float64 {
		return max(score, 0)
	}, func(t *lance.Table, p lance.Predicate, ask int) (*lance.Rows, error) {
		return t.Match(ctx, lance.TextQuery{Column: colText, Text: text, Filter: p, Columns: hitColumns, Limit: ask})
	})
	if err != nil {
		return nil, s.explainMatch(ctx, err)
	}
	return hits, nil
}

// explainMatch names a missing text index, which the next write puts back.
func (s *Store) explainMatch(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		if state, serr := s.TextIndex(ctx); serr == nil && !state.Present {
			s.indexWanted.Store(true)
			return fmt.Errorf("searching by keyword: %w (%w); it is built again with the next store", ErrNoTextIndex, err)
		}
	}
	return fmt.Errorf("searching by keyword: %w", err)
}

func clip(text string) string {
	if len(text) <= maxQueryBytes {
		return text
	}
	cut := maxQueryBytes
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// hits runs a scored query. The query's own filter leaves at most a few odd rows
// for keep to drop (see where); if it drops any, more are asked for, so that a
// caller gets limit hits whenever there are that many.
func (s *Store) hits(ctx context.Context, who scope.Filter, n memory.Narrow, limit int, column string,
	score func(float64) float64, query func(*lance.Table, lance.Predicate, int) (*lance.Rows, error),
) ([]memory.Hit, error) {
	p, ok, err := where(who, n)
	if err != nil || !ok || limit <= 0 {
		return nil, err
	}
	for ask := limit; ; ask *= 4 {
		rows, err := s.read(ctx, func(t *lance.Table) (*lance.Rows, error) { return query(t, p, ask) })
		if err != nil {
			return nil, err
		}
		hits, found := scored(rows, column, score), rows.NumRows()
		rows.Release()
		hits = slices.DeleteFunc(hits, func(h memory.Hit) bool { return !keep(h.Memory, n) })
		if len(hits) >= limit || found < ask {
			return best(hits, limit), nil
		}
	}
}

func scored(rows *lance.Rows, column string, score func(float64) float64) []memory.Hit {
	hits := make([]memory.Hit, 0, rows.NumRows())
	for _, rec := range rows.Records() {
		c := columnsOf(rec)
		for i := range int(rec.NumRows()) {
			raw := c.number(column, i, math.NaN())
			if math.IsNaN(raw) || math.IsInf(raw, 0) {
				continue // a stored zero vector has no direction
			}
			hits = append(hits, memory.Hit{Memory: c.memory(i), Score: score(raw)})
		}
	}
	return hits
}

// best sorts by score, then newest, then id, so that equal queries give equal
// lists, and cuts.
func best(hits []memory.Hit, limit int) []memory.Hit {
	slices.SortStableFunc(hits, func(a, b memory.Hit) int {
		return cmp.Or(
			cmp.Compare(b.Score, a.Score),
			b.Memory.Time.Compare(a.Memory.Time),
			cmp.Compare(a.Memory.ID, b.Memory.ID),
		)
	})
	return hits[:min(limit, len(hits))]
}
