package lance

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/lancedb/lancedb-go/pkg/contracts"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/native"
)

// Table is an open table. Its methods may be called from several goroutines.
type Table struct {
	name   string
	base   contracts.ITable // lancedb-go's door
	native *native.Table    // ours
}

// Name returns the table's name.
func (t *Table) Name() string { return t.name }

// Schema returns the table's columns.
func (t *Table) Schema(ctx context.Context) (*arrow.Schema, error) {
	schema, err := await(ctx, func() (*arrow.Schema, error) {
		return t.base.Schema(context.WithoutCancel(ctx))
	}, nil)
	return schema, fail("reading the schema of table", t.name, err)
}

// Add appends the rows of a record in one commit.
func (t *Table) Add(ctx context.Context, record arrow.Record) error {
	const op = "adding to table"
	if err := ctx.Err(); err != nil {
		return fail(op, t.name, err)
	}
	if record == nil || record.NumRows() == 0 {
		return nil
	}
	return fail(op, t.name, t.base.Add(context.WithoutCancel(ctx), record, nil))
}

// Delete deletes the rows passing where, which may not be nil, and returns how many they were.
func (t *Table) Delete(ctx context.Context, where Predicate) (int64, error) {
	const op = "deleting from table"
	if where == nil {
		return 0, invalid(op, t.name, "no predicate; pass lance.True to delete every row")
	}
	filter, err := SQL(where)
	if err != nil {
		return 0, invalid(op, t.name, "%v", err)
	}
	n, err := t.native.Delete(ctx, filter)
	return n, fail(op, t.name, err)
}

// MergeOptions says how MergeInsert treats its rows.
type MergeOptions struct {
	On              []string // key columns
	UpdateMatched   bool     // replace rows whose key exists
	InsertUnmatched bool     // add rows whose key is new
}

// MergeStats says what MergeInsert did.
type MergeStats struct {
	Inserted, Updated int64
	Version           int64 // the version the commit made
}

// MergeInsert updates and inserts the rows of a record in one commit.
func (t *Table) MergeInsert(ctx context.Context, record arrow.Record, opts MergeOptions) (MergeStats, error) {
	const op = "merging into table"
	if len(opts.On) == 0 {
		return MergeStats{}, invalid(op, t.name, "no key columns")
	}
	if record == nil || record.NumRows() == 0 {
		return MergeStats{}, nil
	}
	ipc, err := encode(record)
	if err != nil {
		return MergeStats{}, invalid(op, t.name, "%v", err)
	}
	s, err := t.native.MergeInsert(ctx, ipc, opts.On, opts.UpdateMatched, opts.InsertUnmatched)
	return MergeStats{Inserted: s.Inserted, Updated: s.Updated, Version: s.Version}, fail(op, t.name, err)
}

// Count returns the number of rows passing where; nil counts all.
func (t *Table) Count(ctx context.Context, where Predicate) (int64, error) {
	const op = "counting rows of table"
	filter, err := filterSQL(where)
	if err != nil {
		return 0, invalid(op, t.name, "%v", err)
	}
	if filter != "" {
		n, err := t.native.Count(ctx, filter)
		return n, fail(op, t.name, err)
	}
	n, err := await(ctx, func() (int64, error) {
		return t.base.Count(context.WithoutCancel(ctx))
	}, nil)
	return n, fail(op, t.name, err)
}

// Version returns the newest version; every commit makes one.
func (t *Table) Version(ctx context.Context) (int64, error) {
	n, err := await(ctx, func() (int, error) {
		return t.base.Version(context.WithoutCancel(ctx))
	}, nil)
	return int64(n), fail("reading the version of table", t.name, err)
}

// CheckoutLatest moves to the newest version now. Reads do so by themselves.
func (t *Table) CheckoutLatest(ctx context.Context) error {
	return fail("refreshing table", t.name, t.native.CheckoutLatest(ctx))
}

// Close closes the table. Closing twice does nothing.
func (t *Table) Close() error {
	err := t.native.Close()
	if e := t.base.Close(); err == nil {
		err = e
	}
	return fail("closing table", t.name, err)
}

// filterSQL renders an optional predicate; nil and True are no filter at all.
func filterSQL(p Predicate) (string, error) {
	if p == nil || p == True() {
		return "", nil
	}
	return SQL(p)
}
