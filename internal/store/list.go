package store

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

const (
	defaultPage = 20
	maxPage     = 1000
)

// ListQuery asks for memories, newest first.
type ListQuery struct {
	Who    scope.Filter
	Narrow memory.Narrow
	// Limit is the size of the page; 0 means 20, more than 1000 means 1000.
	Limit int
	// Cursor is the Next of the page before; empty begins at the newest.
	Cursor string
}

// Page is a part of a list.
type Page struct {
	Memories []memory.Memory // without vectors
	Next     string          // cursor of the page after; empty on the last one
}

// cursor is the place of a row in the order (timestamp descending, id
// ascending), in the column's own units. Rows that arrive while someone pages
// neither shift nor repeat the rest. Rows without a timestamp come last.
type cursor struct {
	Time *float64 `json:"t"`
	ID   string   `json:"i"`
}

func (c cursor) String() string {
	text, _ := json.Marshal(c) // a number and a string always encode
	return base64.RawURLEncoding.EncodeToString(text)
}

func parseCursor(s string) (*cursor, error) {
	if s == "" {
		return nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(s)
	var c cursor
	if err != nil || json.Unmarshal(text, &c) != nil || c.ID == "" {
		return nil, fmt.Errorf("listing: %w", ErrCursor)
	}
	return &c, nil
}

// List returns one page. It reads about a page's worth of rows, however deep
// into the table the page lies.
func (s *Store) List(ctx context.Context, q ListQuery) (Page, error) {
	at, err := parseCursor(q.Cursor)
	if err != nil {
		return Page{}, err
	}
	p, ok, err := s.where(q.Who, q.Narrow)
	if err != nil || !ok {
		return Page{}, err
	}
	size := q.Limit
	if size <= 0 {
		size = defaultPage
	}
	size = min(size, maxPage)
	var page Page
	for {
		list, places, err := s.listAfter(ctx, p, at, size+1)
		if err != nil {
			return Page{}, fmt.Errorf("listing: %w", err)
		}
		for i, m := range list {
			if !q.Narrow.Keeps(m) {
				continue
			}
			if len(page.Memories) == size {
				page.Next = at.String()
				return page, nil
			}
			page.Memories = append(page.Memories, m)
			at = &places[i]
		}
		if len(list) <= size {
			return page, nil
		}
		at = &places[len(places)-1]
	}
}

// listAfter returns the n rows that follow a place, and their own places.
func (s *Store) listAfter(ctx context.Context, p lance.Predicate, at *cursor, n int) ([]memory.Memory, []cursor, error) {
	rows, err := s.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
		return t.Scan(ctx, lance.ScanQuery{
			Filter: lance.And(p, s.after(at)), Columns: rowColumns, Limit: n,
			OrderBy: []lance.Order{{Column: colTime, Desc: true}, {Column: colID}},
		})
	})
	if err != nil {
		return nil, nil, err
	}
	defer rows.Release()
	places := make([]cursor, rows.NumRows())
	for i := range places {
		places[i].ID = rows.String(colID, i)
		if !rows.IsNull(colTime, i) {
			t := orderable(rows.Float64(colTime, i))
			places[i].Time = &t
		}
	}
	return decode(rows.Records()), places, nil
}

// orderable is a number a cursor can carry; NaN sorts before all others.
func orderable(t float64) float64 {
	if math.IsNaN(t) {
		return beyond
	}
	return min(max(t, -beyond), beyond)
}

// after keeps the rows behind a place in the list's order.
func (s *Store) after(at *cursor) lance.Predicate {
	switch {
	case at == nil:
		return lance.True()
	case at.Time == nil:
		return lance.And(lance.IsNull(colTime), lance.Gt(colID, at.ID))
	case s.layout().timeIsInteger():
		t := int64(*at.Time)
		return lance.Or(lance.Lt(colTime, t), lance.And(lance.Eq(colTime, t), lance.Gt(colID, at.ID)), lance.IsNull(colTime))
	default:
		t := *at.Time
		return lance.Or(lance.Lt(colTime, t), lance.And(lance.Eq(colTime, t), lance.Gt(colID, at.ID)), lance.IsNull(colTime))
	}
}
