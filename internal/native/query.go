package native

/*
#include <stdlib.h>
#include "mlp.h"
*/
import "C"

import (
	"context"
	"unsafe"
)

// Query is what every read may carry. Zero fields are left out.
type Query struct {
	Filter  string   // SQL, applied before any search
	Columns []string // empty means all
	Limit   int      // 0 means no limit
	RowID   bool     // adds the column _rowid
}

func (q Query) fields() map[string]any {
	f := map[string]any{}
	if q.Filter != "" {
		f["filter"] = q.Filter
	}
	if len(q.Columns) > 0 {
		f["columns"] = q.Columns
	}
	if q.Limit > 0 {
		f["limit"] = q.Limit
	}
	if q.RowID {
		f["row_id"] = true
	}
	return f
}

// Nearest returns the rows nearest to vector as an Arrow IPC stream.
func (t *Table) Nearest(ctx context.Context, q Query, column, metric string, vector []float32, bypassIndex bool) ([]byte, error) {
	if len(vector) == 0 {
		return nil, &Error{Kind: Invalid, Message: "the query vector is empty"}
	}
	f := q.fields()
	f["column"], f["metric"] = column, metric
	if bypassIndex {
		f["bypass_index"] = true
	}
	var rows C.mlp_bytes
	err := t.with(ctx, f, func(req *C.char, cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_nearest(t.handle, req, (*C.float)(unsafe.Pointer(&vector[0])),
			C.size_t(len(vector)), cancel, &rows)
	})
	if err != nil {
		return nil, err
	}
	return takeBytes(&rows), nil
}

// Match returns the rows matching any term of text as an Arrow IPC stream.
func (t *Table) Match(ctx context.Context, q Query, column, text string) ([]byte, error) {
	f := q.fields()
	f["column"], f["text"] = column, text
	return t.rows(ctx, f, func(req *C.char, cancel C.uint64_t, rows *C.mlp_bytes) *C.mlp_error {
		return C.mlp_table_match(t.handle, req, cancel, rows)
	})
}

// Order is one sort key of a scan.
type Order struct {
	Column     string `json:"column"`
	Descending bool   `json:"descending"`
	NullsFirst bool   `json:"nulls_first"`
}

// Scan returns the rows passing the filter as an Arrow IPC stream.
func (t *Table) Scan(ctx context.Context, q Query, order []Order, offset int) ([]byte, error) {
	f := q.fields()
	if len(order) > 0 {
		f["order_by"] = order
	}
	if offset > 0 {
		f["offset"] = offset
	}
	return t.rows(ctx, f, func(req *C.char, cancel C.uint64_t, rows *C.mlp_bytes) *C.mlp_error {
		return C.mlp_table_scan(t.handle, req, cancel, rows)
	})
}

// rows runs a read that yields an Arrow IPC stream.
func (t *Table) rows(ctx context.Context, fields map[string]any, fn func(*C.char, C.uint64_t, *C.mlp_bytes) *C.mlp_error) ([]byte, error) {
	var rows C.mlp_bytes
	err := t.with(ctx, fields, func(req *C.char, cancel C.uint64_t) *C.mlp_error {
		return fn(req, cancel, &rows)
	})
	if err != nil {
		return nil, err
	}
	return takeBytes(&rows), nil
}
