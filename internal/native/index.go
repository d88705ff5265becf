package native

/*
#include <stdlib.h>
#include "mlp.h"
*/
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// CreateIndex creates an index of the given type; params are its further
// fields, as include/mlp.h lists them.
func (t *Table) CreateIndex(ctx context.Context, column, indexType string, replace bool, params map[string]any) error {
	f := map[string]any{"column": column, "type": indexType, "replace": replace}
	for k, v := range params {
		f[k] = v
	}
	return t.with(ctx, f, func(req *C.char, cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_create_index(t.handle, req, cancel)
	})
}

// DropIndex removes an index.
func (t *Table) DropIndex(ctx context.Context, name string) error {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return call(ctx, func(cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_drop_index(t.handle, c, cancel)
	})
}

// Indexes lists all indexes as an Arrow IPC stream; include/mlp.h has its columns.
func (t *Table) Indexes(ctx context.Context) ([]byte, error) {
	var rows C.mlp_bytes
	err := call(ctx, func(cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_indexes(t.handle, cancel, &rows)
	})
	if err != nil {
		return nil, err
	}
	return takeBytes(&rows), nil
}

// IndexStats says how much of a table an index covers.
type IndexStats struct {
	IndexedRows, UnindexedRows, Parts int64
}

// IndexStats returns the coverage of an index.
func (t *Table) IndexStats(ctx context.Context, name string) (IndexStats, error) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	var s C.mlp_index_stats
	err := call(ctx, func(cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_index_stats(t.handle, c, cancel, &s)
	})
	return IndexStats{int64(s.indexed_rows), int64(s.unindexed_rows), int64(s.parts)}, err
}

// OptimizeStats says what maintenance did.
type OptimizeStats struct {
	FragmentsRemoved, FragmentsAdded, BytesRemoved, VersionsRemoved int64
}

// Optimize compacts files of fewer than targetRows rows (0: a million), folds new
// rows into the indexes and prunes versions older than pruneOlderThan; each part
// is optional.
func (t *Table) Optimize(ctx context.Context, compact bool, targetRows int, fold bool, pruneOlderThan *time.Duration) (OptimizeStats, error) {
	f := map[string]any{"compact": compact, "fold_indexes": fold}
	if targetRows > 0 {
		f["target_rows"] = targetRows
	}
	if pruneOlderThan != nil {
		f["prune_older_than_ms"] = pruneOlderThan.Milliseconds()
	}
	var s C.mlp_optimize_stats
	err := t.with(ctx, f, func(req *C.char, cancel C.uint64_t) *C.mlp_error {
		return C.mlp_table_optimize(t.handle, req, cancel, &s)
	})
	return OptimizeStats{
		FragmentsRemoved: int64(s.fragments_removed), FragmentsAdded: int64(s.fragments_added),
		BytesRemoved: int64(s.bytes_removed), VersionsRemoved: int64(s.versions_removed),
	}, err
}
