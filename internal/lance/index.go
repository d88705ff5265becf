package lance

import (
	"context"
	"encoding/json"
	"time"
)

// Index describes an index of a table.
type Index struct {
	Name    string
	Columns []string
	Type    string // "FTS", "BTREE", "BITMAP", "IVF_HNSW_SQ", …
	// Params are the index's own parameters, as the library reports them; a
	// text index has "base_tokenizer", "stem", "remove_stop_words" and others.
	Params map[string]any
	IndexStats
}

// IndexStats says how much of a table an index covers. Queries search the rest
// too, more slowly.
type IndexStats struct {
	IndexedRows, UnindexedRows int64
	Parts                      int64 // segments; folding many makes one
}

// Indexes lists the table's indexes.
func (t *Table) Indexes(ctx context.Context) ([]Index, error) {
	const op = "listing indexes of table"
	ipc, err := t.native.Indexes(ctx)
	rows, err := decode(op, t.name, ipc, err)
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	list := make([]Index, rows.NumRows())
	for i := range list {
		list[i] = Index{
			Name: rows.String("name", i), Type: rows.String("type", i),
			Columns: []string{rows.String("column", i)},
			IndexStats: IndexStats{
				IndexedRows: rows.Int64("indexed_rows", i), UnindexedRows: rows.Int64("unindexed_rows", i),
				Parts: rows.Int64("parts", i),
			},
		}
		// Parameters are for people and for deciding whether to rebuild: a
		// library that reports none is no error.
		_ = json.Unmarshal([]byte(rows.String("details", i)), &list[i].Params)
	}
	return list, nil
}

// IndexStats returns the coverage of an index.
func (t *Table) IndexStats(ctx context.Context, name string) (IndexStats, error) {
	s, err := t.native.IndexStats(ctx, name)
	return IndexStats{s.IndexedRows, s.UnindexedRows, s.Parts}, fail("reading index", name, err)
}

// TextIndexOptions are the parameters of a full-text index.
type TextIndexOptions struct {
	Tokenizer       string // "icu" cuts Chinese, Japanese and Korean into words; empty: icu
	Language        string // of the stemmer; empty: English
	Stem            bool
	LowerCase       bool
	ASCIIFolding    bool // é matches e
	RemoveStopWords bool
	WithPosition    bool // needed for phrases only
	Replace         bool // build anew if there is one
}

// CreateTextIndex builds a full-text index over the rows there are; later rows
// are searched unindexed until Optimize folds them in.
func (t *Table) CreateTextIndex(ctx context.Context, column string, o TextIndexOptions) error {
	params := map[string]any{
		"tokenizer": orDefault(o.Tokenizer, "icu"), "language": orDefault(o.Language, "English"),
		"stem": o.Stem, "lower_case": o.LowerCase, "ascii_folding": o.ASCIIFolding,
		"remove_stop_words": o.RemoveStopWords, "with_position": o.WithPosition,
	}
	err := t.native.CreateIndex(ctx, column, "fts", o.Replace, params)
	return fail("creating text index on column", column, err)
}

// ScalarIndexOptions are the parameters of an index for filters.
type ScalarIndexOptions struct {
	Bitmap  bool // for columns of few values; otherwise a B-tree
	Replace bool
}

// CreateScalarIndex builds an index that speeds up filters on column.
func (t *Table) CreateScalarIndex(ctx context.Context, column string, o ScalarIndexOptions) error {
	kind := "btree"
	if o.Bitmap {
		kind = "bitmap"
	}
	return fail("creating index on column", column, t.native.CreateIndex(ctx, column, kind, o.Replace, nil))
}

// VectorIndexOptions are the parameters of an index for vector search.
type VectorIndexOptions struct {
	Type       string // "ivf_hnsw_sq", "ivf_flat", …; empty: ivf_hnsw_sq
	Name       string // empty: that of the column with "_idx"
	Metric     Metric // empty: Cosine
	Partitions int    // 0: chosen by the number of rows
	Replace    bool
}

// CreateVectorIndex builds an approximate index over the vectors of column.
func (t *Table) CreateVectorIndex(ctx context.Context, column string, o VectorIndexOptions) error {
	params := map[string]any{"metric": orDefault(string(o.Metric), string(Cosine))}
	if o.Partitions > 0 {
		params["partitions"] = o.Partitions
	}
	if o.Name != "" {
		params["name"] = o.Name
	}
	err := t.native.CreateIndex(ctx, column, orDefault(o.Type, "ivf_hnsw_sq"), o.Replace, params)
	return fail("creating vector index on column", column, err)
}

// DropIndex removes an index.
func (t *Table) DropIndex(ctx context.Context, name string) error {
	return fail("dropping index", name, t.native.DropIndex(ctx, name))
}

// OptimizeOptions chooses the parts of maintenance.
type OptimizeOptions struct {
	Compact        bool           // merge small files
	TargetRows     int            // files of so many rows are not small; 0: a million
	FoldIndexes    bool           // index the rows that are not
	PruneOlderThan *time.Duration // delete versions older than this; nil keeps all
}

// OptimizeStats says what maintenance did.
type OptimizeStats struct {
	FragmentsRemoved, FragmentsAdded int64
	BytesRemoved, VersionsRemoved    int64
}

// Optimize maintains the table; readers and writers may go on meanwhile.
func (t *Table) Optimize(ctx context.Context, o OptimizeOptions) (OptimizeStats, error) {
	s, err := t.native.Optimize(ctx, o.Compact, o.TargetRows, o.FoldIndexes, o.PruneOlderThan)
	return OptimizeStats(s), fail("optimizing table", t.name, err)
}

func orDefault(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
