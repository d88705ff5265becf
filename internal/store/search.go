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
//
// The cosines are computed here from the vectors returned, so they do not depend
// on which index, if any, found the rows.
func (s *Store) Nearest(ctx context.Context, who scope.Filter, n memory.Narrow, vector []float32, limit int) ([]memory.Hit, error) {
	if _, may, err := s.byColumns(who, n); err != nil || !may || limit <= 0 {
		return nil, err
	}
	if err := s.checkQuery(vector); err != nil {
		if s.PartlyEmbedded() {
			return s.partlyNearest(ctx, who, n, vector, limit)
		}
		return nil, err
	}
	m := s.mirrorFresh(ctx)
	if m == nil {
		m = s.mirrorAwaited(ctx)
	}
	if m != nil {
		if hits, ok := s.nearestHeld(ctx, m, who, n, vector, -2, limit); ok {
			if err := s.checkQuery(vector); err != nil { // it was embedded anew meanwhile
				return nil, err
			}
			return hits, s.CheckVectors() // a re-embed may have come to its end meanwhile
		}
	}
	if s.options.OwnCosine {
		hits, err := s.nearestOwn(ctx, who, n, vector, limit)
		if err != nil {
			return nil, fmt.Errorf("searching by vector: %w", err)
		}
		return hits, nil
	}
	hits, err := s.hits(ctx, who, n, limit, search{
		score: func(_ columns, _ int, m memory.Memory) float64 { return cosine(vector, m.Vector) },
		query: func(p lance.Predicate, ask int) (*lance.Rows, int, error) { return s.nearestRows(ctx, vector, p, ask) },
	})
	if err != nil {
		return nil, fmt.Errorf("searching by vector: %w", err)
	}
	if err := s.CheckVectors(); err != nil {
		return nil, err // a re-embed came to its end meanwhile
	}
	return hits, nil
}

func (s *Store) checkQuery(vector []float32) error {
	if err := s.CheckVectors(); err != nil {
		return err
	}
	if len(vector) != s.layout().width {
		return &WidthError{Path: s.path, Table: s.layout().width, Given: len(vector)}
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
	if _, may, err := s.byColumns(who, n); err != nil || !may || limit <= 0 {
		return nil, err
	}
	m := s.mirrorFresh(ctx)
	return inBothScripts(m, text, limit, func(text string) ([]memory.Hit, error) {
		return s.matchingWords(ctx, m, who, n, widenKorean(widenForms(text)), limit)
	})
}

// matchingWords is Matching for a text as it goes to the index, with what is held in
// memory, if anything is.
func (s *Store) matchingWords(ctx context.Context, m *mirror, who scope.Filter, n memory.Narrow, text string, limit int) ([]memory.Hit, error) {
	if m != nil {
		if hits, ok := s.matchingHeld(ctx, m, who, n, text, limit); ok {
			return hits, nil
		}
	}
	hits, err := s.hits(ctx, who, n, limit, search{
		whole: true, // LanceDB weighs words in rows not yet indexed by those that pass
		score: func(c columns, i int, _ memory.Memory) float64 {
			return max(c.number(lance.ScoreColumn, i, math.NaN()), 0)
		},
		query: func(p lance.Predicate, ask int) (*lance.Rows, int, error) {
			rows, err := s.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
				return t.Match(ctx, lance.TextQuery{Column: colText, Text: text, Filter: p, Columns: hitColumns, Limit: ask})
			})
			return rows, ask, err
		},
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

// search is a scored query.
type search struct {
	// score of row i of the result, which is m; rows whose score is no finite
	// number are left out.
	score func(c columns, i int, m memory.Memory) float64
	// query returns the best rows passing p: so many as it says it asked for, at
	// least ask, or all there are.
	query func(p lance.Predicate, ask int) (rows *lance.Rows, asked int, err error)
	// whole: the scores depend on which rows pass p, so that at first all are asked.
	whole bool
}

// hits runs a scored query so that a caller gets limit hits whenever so many rows
// pass who and n, whatever else lies near.
//
// Whether a row is valid, archived and so on is a question to its JSON, and asking
// all rows in the query takes longer than the search itself (10,000 rows: 7 of 15
// ms). Nearly all rows pass, so at first a few more rows than wanted are asked for
// without it, and the others dropped here. Only if too few are left the query asks it.
//
// The query's own filter still leaves a few odd rows for Narrow.Keeps to drop (see
// where); if it drops any, more are asked for.
func (s *Store) hits(ctx context.Context, who scope.Filter, n memory.Narrow, limit int, q search) ([]memory.Hit, error) {
	if limit <= 0 {
		return nil, nil
	}
	p, ok, err := s.byColumns(who, n)
	if err != nil || !ok {
		return nil, err
	}
	if more := byMetadata(n); q.whole || more != lance.True() {
		first := p
		if q.whole {
			first = lance.True()
		}
		hits, enough, err := s.ask(first, who, n, limit, limit+spare(limit), q)
		if err != nil || enough {
			return hits, err
		}
		p = lance.And(p, more)
	}
	for ask := limit; ; ask *= 4 {
		hits, enough, err := s.ask(p, who, n, limit, ask, q)
		if err != nil || enough {
			return hits, err
		}
	}
}

// spare is how many more rows than wanted are asked for, in case some do not pass.
func spare(limit int) int { return 8 + limit/4 }

// ask runs the query once for n rows that pass p, and keeps what who may read and is in
// narrow. enough is false if the query held back rows that may belong to the best.
func (s *Store) ask(p lance.Predicate, who scope.Filter, narrow memory.Narrow, limit, n int, q search) (_ []memory.Hit, enough bool, err error) {
	rows, n, err := q.query(p, n)
	if err != nil {
		return nil, false, err
	}
	defer rows.Release()
	hits := make([]memory.Hit, 0, rows.NumRows())
	for _, rec := range rows.Records() {
		c := columnsOf(rec)
		for i := range int(rec.NumRows()) {
			m := c.memory(i)
			if score := q.score(c, i, m); finite(score) && readable(who, m) && narrow.Keeps(m) {
				hits = append(hits, memory.Hit{Memory: m, Score: score})
			}
		}
	}
	return best(hits, limit), len(hits) >= limit || rows.NumRows() < n, nil
}

// finite is false for the score of a stored zero vector, which has no direction.
func finite(score float64) bool { return !math.IsNaN(score) && !math.IsInf(score, 0) }

// best sorts by score, then newest, then id, so that equal queries give equal
// lists, and cuts.
func best(hits []memory.Hit, limit int) []memory.Hit {
	slices.SortStableFunc(hits, byScore)
	return hits[:min(limit, len(hits))]
}

func byScore(a, b memory.Hit) int {
	return cmp.Or(
		cmp.Compare(b.Score, a.Score),
		b.Memory.Time.Compare(a.Memory.Time),
		cmp.Compare(a.Memory.ID, b.Memory.ID),
	)
}
