package native

/*
#include <stdlib.h>
#include "mlp.h"
*/
import "C"

import (
	"context"
	"sync/atomic"
	"unsafe"
)

// Table is an open table. Its methods may be called from several goroutines.
type Table struct {
	handle C.uint64_t
	closed atomic.Bool
}

// OpenTable opens a table of the database at uri.
func OpenTable(ctx context.Context, uri, name string, storage map[string]string) (*Table, error) {
	fields := map[string]any{"uri": uri, "name": name}
	if len(storage) > 0 {
		fields["storage_options"] = storage
	}
	req, free, err := request(ctx, fields)
	if err != nil {
		return nil, err
	}
	defer free()
	t := &Table{}
	err = call(ctx, func(cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_open(req, cancel, &t.handle)
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Close gives the handle back. Closing twice does nothing.
func (t *Table) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	return take(C.mlp_table_close(t.handle))
}

// Version returns the version this process sees.
func (t *Table) Version() (int64, error) {
	var version C.int64_t
	err := take(C.mlp_table_version(t.handle, &version))
	return int64(version), err
}

// CheckoutLatest moves to the newest version now.
func (t *Table) CheckoutLatest(ctx context.Context) error {
	return call(ctx, func(cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_checkout_latest(t.handle, cancel)
	})
}

// Count returns the number of rows passing filter, an SQL predicate; empty means all.
func (t *Table) Count(ctx context.Context, filter string) (int64, error) {
	fields := map[string]any{}
	if filter != "" {
		fields["filter"] = filter
	}
	var count C.int64_t
	err := t.with(ctx, fields, func(req *C.char, cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_count(t.handle, req, cancel, &count)
	})
	return int64(count), err
}

// Delete deletes the rows passing filter and returns how many they were.
func (t *Table) Delete(ctx context.Context, filter string) (int64, error) {
	var deleted C.int64_t
	err := t.with(ctx, map[string]any{"filter": filter}, func(req *C.char, cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_delete(t.handle, req, cancel, &deleted)
	})
	return int64(deleted), err
}

// Update sets columns to SQL expressions in the rows passing filter and returns how many they were.
func (t *Table) Update(ctx context.Context, filter string, set map[string]string) (int64, error) {
	var updated C.int64_t
	fields := map[string]any{"filter": filter, "set": set}
	err := t.with(ctx, fields, func(req *C.char, cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_update(t.handle, req, cancel, &updated)
	})
	return int64(updated), err
}

// AddColumns adds columns with the values of SQL expressions.
func (t *Table) AddColumns(ctx context.Context, columns map[string]string) error {
	return t.with(ctx, map[string]any{"columns": columns}, func(req *C.char, cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_add_columns(t.handle, req, cancel)
	})
}

// MergeStats says what a merge-insert did.
type MergeStats struct {
	Inserted, Updated, Version, Attempts int64
}

// MergeInsert writes the rows of an Arrow IPC stream, matched on key columns, in one commit.
func (t *Table) MergeInsert(ctx context.Context, ipc []byte, on []string, update, insert bool) (MergeStats, error) {
	if len(ipc) == 0 {
		return MergeStats{}, &Error{Kind: Invalid, Message: "no rows to merge"}
	}
	fields := map[string]any{"on": on, "update_matched": update, "insert_unmatched": insert}
	var stats C.mlp_merge_stats
	err := t.with(ctx, fields, func(req *C.char, cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_merge_insert(t.handle, req, (*C.uint8_t)(unsafe.Pointer(&ipc[0])),
			C.size_t(len(ipc)), cancel, &stats)
	})
	return MergeStats{
		Inserted: int64(stats.inserted), Updated: int64(stats.updated),
		Version: int64(stats.version), Attempts: int64(stats.attempts),
	}, err
}

// with renders fields and runs fn under ctx.
func (t *Table) with(ctx context.Context, fields map[string]any, fn func(*C.char, C.uint64_t) *C.mlp_error) error {
	req, free, err := request(ctx, fields)
	if err != nil {
		return err
	}
	defer free()
	return call(ctx, func(cancel C.uint64_t) *C.mlp_error { return fn(req, cancel) })
}
