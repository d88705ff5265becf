package lance

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/native"
)

// Columns that queries add.
const (
	DistanceColumn = "_distance" // float32, by NearestTo
	ScoreColumn    = "_score"    // float32, by Match
	RowIDColumn    = "_rowid"    // uint64, on request
)

// Metric is a measure of distance between vectors; smaller is nearer.
type Metric string

// The metrics. Cosine is 1 − the cosine of the angle, so it lies in [0,2].
const (
	Cosine Metric = "cosine"
	L2     Metric = "l2" // squared
	Dot    Metric = "dot"
)

// VectorQuery asks for the rows nearest to a vector.
type VectorQuery struct {
	Column      string
	Vector      []float32
	Metric      Metric    // empty: Cosine
	Filter      Predicate // applied before the search; nil: none
	Columns     []string  // empty: all
	Limit       int       // must be positive
	BypassIndex bool      // compare every row even if the column has an index
}

// NearestTo returns rows nearest first, with a column _distance. Rows without a
// vector are left out. The search is exact unless the column has an index.
func (t *Table) NearestTo(ctx context.Context, q VectorQuery) (*Rows, error) {
	const op = "searching vectors of table"
	filter, err := filterSQL(q.Filter)
	if err != nil {
		return nil, invalid(op, t.name, "%v", err)
	}
	if q.Limit <= 0 || len(q.Vector) == 0 {
		return nil, invalid(op, t.name, "a vector query needs a vector and a positive limit")
	}
	if q.Metric == "" {
		q.Metric = Cosine
	}
	base := native.Query{Filter: filter, Columns: q.Columns, Limit: q.Limit}
	ipc, err := t.native.Nearest(ctx, base, q.Column, string(q.Metric), q.Vector, q.BypassIndex)
	return decode(op, t.name, ipc, err)
}

// TextQuery asks for the rows that match any term of a text.
type TextQuery struct {
	Column  string
	Text    string
	Filter  Predicate // applied before the search; nil: none
	Columns []string  // empty: all
	Limit   int       // must be positive
}

// Match returns rows best first, with a column _score (BM25, over 0). Rows not
// yet folded into the text index are searched too.
func (t *Table) Match(ctx context.Context, q TextQuery) (*Rows, error) {
	const op = "searching text of table"
	filter, err := filterSQL(q.Filter)
	if err != nil {
		return nil, invalid(op, t.name, "%v", err)
	}
	if q.Limit <= 0 {
		return nil, invalid(op, t.name, "a text query needs a positive limit")
	}
	base := native.Query{Filter: filter, Columns: q.Columns, Limit: q.Limit}
	ipc, err := t.native.Match(ctx, base, q.Column, q.Text)
	return decode(op, t.name, ipc, err)
}

// Order is a sort key. NULLs come last.
type Order struct {
	Column string
	Desc   bool
}

// ScanQuery asks for rows by condition.
type ScanQuery struct {
	Filter  Predicate // nil: none
	Columns []string  // empty: all
	OrderBy []Order   // empty: as stored
	Limit   int       // 0: no limit
	Offset  int
	RowID   bool // adds the column _rowid
}

// Scan returns the rows passing the filter.
func (t *Table) Scan(ctx context.Context, q ScanQuery) (*Rows, error) {
	const op = "scanning table"
	filter, err := filterSQL(q.Filter)
	if err != nil {
		return nil, invalid(op, t.name, "%v", err)
	}
	if q.Limit < 0 || q.Offset < 0 {
		return nil, invalid(op, t.name, "limit %d and offset %d may not be negative", q.Limit, q.Offset)
	}
	order := make([]native.Order, len(q.OrderBy))
	for i, o := range q.OrderBy {
		order[i] = native.Order{Column: o.Column, Descending: o.Desc}
	}
	base := native.Query{Filter: filter, Columns: q.Columns, Limit: q.Limit, RowID: q.RowID}
	ipc, err := t.native.Scan(ctx, base, order, q.Offset)
	return decode(op, t.name, ipc, err)
}
