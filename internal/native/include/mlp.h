/*
 * The mlp_ functions: what lancedb-go's own header (lancedb.h) lacks.
 *
 * Both surfaces share one registry, keyed by database and table name, so a
 * write through one is seen by the next read through the other.
 *
 * Errors. A function that can fail returns NULL on success and otherwise an
 * mlp_error owned by the caller, who frees it with mlp_error_free. Outputs are
 * written on success only. No Rust panic crosses: it becomes kind MLP_PANIC.
 *
 * Handles. A handle is a number that is never used twice. Using or closing a
 * closed handle is an error of kind MLP_CLOSED and touches nothing else.
 *
 * Memory. Arguments stay the caller's and are only read during the call.
 * mlp_bytes is filled by us and freed with mlp_bytes_free. Freeing twice, and
 * freeing NULL, does nothing.
 *
 * Requests are small JSON objects, documented at each function. Rows cross as
 * an Arrow IPC stream holding at most one record batch.
 *
 * Waiting. Every request may carry "timeout_ms" (absent or 0: no limit), and
 * each waiting function takes a cancel handle (0: none). A read that times out
 * or is cancelled returns at once. A write is first stopped for good; if it had
 * already been committed by then, the call succeeds.
 */
#ifndef MLP_H
#define MLP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mlp_kind {
  MLP_OTHER = 1,     /* anything without a better name */
  MLP_INVALID = 2,   /* malformed request, predicate or argument */
  MLP_NOT_FOUND = 3, /* table, index or column */
  MLP_EXISTS = 4,    /* table or index of that name */
  MLP_SCHEMA = 5,    /* columns or types do not fit the table */
  MLP_IO = 6,        /* the storage refused */
  MLP_CORRUPT = 7,   /* stored files are damaged */
  MLP_CONFLICT = 8,  /* a concurrent commit won and retries ran out */
  MLP_TIMEOUT = 9,   /* "timeout_ms" has passed */
  MLP_CANCELLED = 10,
  MLP_CLOSED = 11,      /* the handle is closed or was never given out */
  MLP_UNSUPPORTED = 12, /* this build or table cannot do it */
  MLP_PANIC = 13        /* a panic was caught inside the library */
} mlp_kind;

typedef struct mlp_error {
  int32_t kind; /* an mlp_kind */
  char *message; /* UTF-8, owned by the error */
} mlp_error;

/* Frees an error and its message. */
void mlp_error_free(mlp_error *error);

typedef struct mlp_bytes {
  uint8_t *data;
  size_t len;
} mlp_bytes;

/* Frees the data and clears both fields. */
void mlp_bytes_free(mlp_bytes *bytes);

/* ---- cancelling ---------------------------------------------------------- */

/* Gives out a cancel handle for one call; free it with mlp_cancel_free. */
uint64_t mlp_cancel_new(void);
/* Stops the call that was given this handle, now or as soon as it begins. */
void mlp_cancel_fire(uint64_t cancel);
void mlp_cancel_free(uint64_t cancel);

/* ---- tables -------------------------------------------------------------- */

/*
 * Opens a table. Request: {"uri", "name", "storage_options": {string: string}}.
 * The handle is closed with mlp_table_close.
 */
mlp_error *mlp_table_open(const char *request, uint64_t cancel, uint64_t *table);
mlp_error *mlp_table_close(uint64_t table);

/* The version this process sees; reads follow the newest one by themselves. */
mlp_error *mlp_table_version(uint64_t table, int64_t *version);
/* Moves to the newest version now instead of at the next read. */
mlp_error *mlp_table_checkout_latest(uint64_t table, uint64_t cancel);

/* ---- reading ------------------------------------------------------------- */

/*
 * The rows nearest to a vector, nearest first, with a float32 column _distance.
 * Rows without a vector are left out. Exact unless the column has an index.
 * Request: {"column", "metric": "cosine"|"l2"|"dot", "filter", "columns",
 * "limit", "bypass_index": bool, "row_id": bool}. The filter is applied first.
 */
mlp_error *mlp_table_nearest(uint64_t table, const char *request, const float *vector,
                             size_t vector_len, uint64_t cancel, mlp_bytes *rows);

/*
 * The rows matching any term of a text, best first, with a float32 column
 * _score. Rows not yet folded into the index are searched too.
 * Request: {"column", "text", "filter", "columns", "limit", "row_id"}.
 */
mlp_error *mlp_table_match(uint64_t table, const char *request, uint64_t cancel,
                           mlp_bytes *rows);

/*
 * Rows passing a filter. Request: {"filter", "columns", "limit", "offset",
 * "order_by": [{"column", "descending": bool, "nulls_first": bool}], "row_id"}.
 */
mlp_error *mlp_table_scan(uint64_t table, const char *request, uint64_t cancel,
                          mlp_bytes *rows);

/* The number of rows passing {"filter"}; without a filter, of all rows. */
mlp_error *mlp_table_count(uint64_t table, const char *request, uint64_t cancel,
                           int64_t *count);

/* ---- writing ------------------------------------------------------------- */

typedef struct mlp_merge_stats {
  int64_t inserted;
  int64_t updated;
  int64_t version;  /* the version the commit made */
  int64_t attempts; /* 1 unless a concurrent commit forced a retry */
} mlp_merge_stats;

/*
 * Updates and inserts the rows of an Arrow IPC stream, matched on key columns,
 * in one commit. Request: {"on": [string], "update_matched", "insert_unmatched"}.
 */
mlp_error *mlp_table_merge_insert(uint64_t table, const char *request, const uint8_t *ipc,
                                  size_t ipc_len, uint64_t cancel, mlp_merge_stats *stats);

/* Deletes the rows passing {"filter"}, which is required. */
mlp_error *mlp_table_delete(uint64_t table, const char *request, uint64_t cancel,
                            int64_t *deleted);

/*
 * Sets columns to the values of SQL expressions in the rows passing a filter, in one commit.
 * Request: {"filter": string, "set": {column: expression}}; both are required.
 */
mlp_error *mlp_table_update(uint64_t table, const char *request, uint64_t cancel,
                            int64_t *updated);

/*
 * Adds columns whose values are SQL expressions, in one commit; the rows' other data are not
 * rewritten. Request: {"columns": {column: expression}}. A column that exists is an error.
 */
mlp_error *mlp_table_add_columns(uint64_t table, const char *request, uint64_t cancel);

/* ---- indexes ------------------------------------------------------------- */

/*
 * Creates an index. Request: {"column", "type", "name", "replace": bool, …};
 * type is one of btree, bitmap, label_list, fts, ivf_flat, ivf_sq, ivf_pq,
 * ivf_hnsw_sq, ivf_hnsw_pq, ivf_hnsw_flat. A vector index takes "metric" and
 * "partitions"; fts takes "tokenizer", "language", "lower_case", "stem",
 * "remove_stop_words", "ascii_folding", "with_position".
 */
mlp_error *mlp_table_create_index(uint64_t table, const char *request, uint64_t cancel);
mlp_error *mlp_table_drop_index(uint64_t table, const char *name, uint64_t cancel);

/*
 * All indexes as rows: name utf8, column utf8, type utf8, details utf8 (JSON of
 * the index's own parameters), indexed_rows int64, unindexed_rows int64.
 */
mlp_error *mlp_table_indexes(uint64_t table, uint64_t cancel, mlp_bytes *rows);

typedef struct mlp_index_stats {
  int64_t indexed_rows;
  int64_t unindexed_rows;
  int64_t parts;
} mlp_index_stats;

mlp_error *mlp_table_index_stats(uint64_t table, const char *name, uint64_t cancel,
                                 mlp_index_stats *stats);

typedef struct mlp_optimize_stats {
  int64_t fragments_removed;
  int64_t fragments_added;
  int64_t bytes_removed;
  int64_t versions_removed;
} mlp_optimize_stats;

/*
 * Maintenance, each part optional. Request: {"compact": bool, "target_rows":
 * integer, "fold_indexes": bool, "prune_older_than_ms": integer}. Compacting
 * leaves files of target_rows and more alone (absent: a million). Pruning also
 * drops files of writes that never committed, but only those older than a week.
 */
mlp_error *mlp_table_optimize(uint64_t table, const char *request, uint64_t cancel,
                              mlp_optimize_stats *stats);

/* ---- the library itself -------------------------------------------------- */

/* What is given out and not yet freed, by kind, over both surfaces. */
typedef struct mlp_live {
  int64_t connections;
  int64_t tables;
  int64_t cancels;
  int64_t errors;  /* mlp_error and SimpleResult */
  int64_t bytes;   /* mlp_bytes and IPC schemas */
  int64_t strings; /* strings and arrays of strings */
  int64_t models;  /* see mlp_model.h */
} mlp_live;

void mlp_live_handles(mlp_live *out);

/* A static JSON object: versions and features of this build. Not freed. */
const char *mlp_build_info(void);

/* Panics inside and returns the error it became; lets a test prove containment. */
mlp_error *mlp_panic_probe(void);

#ifdef __cplusplus
}
#endif

#endif /* MLP_H */
