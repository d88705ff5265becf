package store

import (
	"context"
	"errors"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// copyRows is how many rows are copied at once: 8 MB of vectors of 1,024 numbers.
const copyRows = 2000

// besideDir holds the table that a re-embed builds, in the database's directory,
// because its files get a second name in the table's.
const besideDir = ".memory-pro.reembed"

// beside is the table a re-embed builds: all rows of the table as they are, every
// column, but for their vectors. It is built from nothing each time; what takes
// long, the vectors, lies in a file.
type beside struct {
	s      *Store
	from   *vectorFile
	dir    string // of its database
	db     *lance.DB
	table  *lance.Table
	schema *arrow.Schema
	have   map[string][]uint64 // digests of the rows by id; see digest
	seed   maphash.Seed
	seen   int64 // the version of the table when the last round began
	files  durable
}

// newBeside makes the empty table.
func (s *Store) newBeside(ctx context.Context, from *vectorFile) (_ *beside, err error) {
	b := &beside{s: s, from: from, dir: filepath.Join(s.path, besideDir), have: map[string][]uint64{}, seed: maphash.MakeSeed()}
	if err := os.RemoveAll(b.dir); err != nil {
		return nil, err
	}
	if err := os.Mkdir(b.dir, 0o700); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	b.schema = s.layout().withWidth(from.width)
	if b.db, err = lance.Connect(ctx, b.dir, lance.Options{}); err != nil {
		return nil, err
	}
	b.table, err = b.db.CreateTable(ctx, tableName, b.schema)
	return b, err
}

// flush makes the copy durable, as far as it is not: a name must not be durable before
// what it names.
func (b *beside) flush() error {
	b.files.fsync = b.s.durable.fsync
	return b.files.flush(b.dir, filepath.Join(b.dir, tableName+".lance"))
}

// close closes the table and deletes it.
func (b *beside) close() error {
	var err error
	if b.table != nil {
		err = b.table.Close()
	}
	if b.db != nil {
		err = errors.Join(err, b.db.Close())
	}
	b.table, b.db = nil, nil
	return errors.Join(err, os.RemoveAll(b.dir))
}

// withWidth is the table's schema with vectors of another width.
func (l layout) withWidth(width int) *arrow.Schema {
	fields := slices.Clone(l.schema.Fields())
	for i, f := range fields {
		if f.Name == colVector {
			fields[i].Type = arrow.FixedSizeListOfField(int32(width), f.Type.(*arrow.FixedSizeListType).ElemField())
			fields[i].Nullable = true // those that wait have none
		}
	}
	meta := l.schema.Metadata()
	return arrow.NewSchema(fields, &meta)
}

// round brings the copy up to date with the table. Without the lock the table may
// be ahead again when it ends; under it they are the same.
func (b *beside) round(ctx context.Context) error {
	version, err := b.s.version(ctx)
	if err != nil {
		return err
	}
	if version == b.seen {
		return nil
	}
	list, nameless, err := b.s.allIDs(ctx, scope.Operator().Filter(), memory.Narrow{})
	if err != nil {
		return err
	}
	there := make(map[string]bool, len(list))
	for _, id := range list {
		there[id] = true
	}
	there[noID] = nameless
	var gone []string
	for id := range b.have {
		if !there[id] {
			gone = append(gone, id)
		}
	}
	if err := b.drop(ctx, gone); err != nil {
		return err
	}
	for some := range slices.Chunk(list, copyRows) {
		// A range costs one comparison a row, a list of ids as many as it has.
		if err := b.copy(ctx, lance.And(lance.Ge(colID, some[0]), lance.Le(colID, some[len(some)-1]))); err != nil {
			return err
		}
	}
	if nameless {
		if err := b.copy(ctx, lance.IsNull(colID)); err != nil {
			return err
		}
	}
	b.seen = version
	return nil
}

// noID stands for the rows without an id, which another program may have left.
const noID = "\x00"

// drop deletes rows of the copy.
func (b *beside) drop(ctx context.Context, gone []string) error {
	for some := range slices.Chunk(gone, maxIDs) {
		which := ids(some)
		if slices.Contains(some, noID) {
			which = lance.Or(which, lance.IsNull(colID))
		}
		if _, err := b.table.Delete(ctx, which); err != nil {
			return err
		}
		for _, id := range some {
			delete(b.have, id)
		}
	}
	return nil
}

// copy brings the rows that pass which over, as far as they are not there already.
func (b *beside) copy(ctx context.Context, which lance.Predicate) error {
	columns := slices.DeleteFunc(names(b.schema), func(name string) bool { return name == colVector })
	rows, err := b.s.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
		return t.Scan(ctx, lance.ScanQuery{Filter: which, Columns: columns})
	})
	if err != nil {
		return err
	}
	defer rows.Release()
	for _, rec := range rows.Records() {
		if err := b.copyRecord(ctx, rec); err != nil {
			return err
		}
	}
	return nil
}

func (b *beside) copyRecord(ctx context.Context, rec arrow.Record) error {
	n := int(rec.NumRows())
	cols := columnsOf(rec)
	at, keys, vectors := make([]string, n), make([]textKey, n), make([]bool, n)
	now := map[string][]uint64{}
	for i := range n {
		if at[i] = cols.text(colID, i); cols[colID].IsNull(i) {
			at[i] = noID
		}
		keys[i] = keyOf(cols.text(colText, i))
		vectors[i] = b.from.has(keys[i])
		now[at[i]] = append(now[at[i]], b.digest(rec, i, vectors[i]))
	}
	var outdated []string
	for id, digests := range now {
		slices.Sort(digests)
		if old, ok := b.have[id]; ok && !slices.Equal(old, digests) {
			outdated = append(outdated, id)
		}
	}
	if err := b.drop(ctx, outdated); err != nil {
		return err
	}
	var wanted []int
	for i := range n {
		if _, ok := b.have[at[i]]; !ok {
			wanted = append(wanted, i)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	made, err := b.record(cols, keys, wanted)
	if err != nil {
		return err
	}
	defer made.Release()
	if err := b.table.Add(ctx, made); err != nil {
		return err
	}
	for _, i := range wanted {
		b.have[at[i]] = now[at[i]]
	}
	return nil
}

// digest is of all of a row but its vector, and of whether it has its new one.
func (b *beside) digest(rec arrow.Record, i int, vector bool) uint64 {
	var h maphash.Hash
	h.SetSeed(b.seed)
	for c := range int(rec.NumCols()) {
		if rec.Column(c).IsNull(i) {
			_ = h.WriteByte(1) // writing to a digest does not fail
			continue
		}
		_, _ = h.WriteString(rec.Column(c).ValueStr(i))
		_ = h.WriteByte(0)
	}
	if vector {
		_ = h.WriteByte(2)
	}
	return h.Sum64()
}
