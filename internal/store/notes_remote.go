package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// In object storage the notes are a second table with one row, so that every
// machine has them.
const (
	notesTable = "memory_pro_notes"
	colKey     = "key"
	colValue   = "value"
	notesKey   = "memories"
)

// notesFresh is how long notes that were read are taken for current: every search
// and every write asks for them, and they hardly ever change.
const notesFresh = 10 * time.Second

// notesPatience bounds reading or writing them.
const notesPatience = 30 * time.Second

type remoteNotes struct {
	db    *lance.DB
	since func(time.Time) time.Duration // time.Since, but in tests

	known bool // last was read or written before
	at    time.Time
	last  notes
}

func newRemoteNotes(db *lance.DB) *remoteNotes { return &remoteNotes{db: db, since: time.Since} }

// read gives what is known as long as it is fresh, or while the storage fails.
func (r *remoteNotes) read() (notes, error) {
	if r.known && r.since(r.at) < notesFresh {
		return r.last, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), notesPatience)
	defer cancel()
	n, err := r.fetch(ctx)
	if err != nil {
		if r.known {
			return r.last, nil
		}
		return notes{}, fmt.Errorf("reading the notes of the database: %w", err)
	}
	r.known, r.at, r.last = true, time.Now(), n
	return n, nil
}

func (r *remoteNotes) fetch(ctx context.Context) (n notes, err error) {
	t, err := r.open(ctx, false)
	if err != nil || t == nil {
		return notes{}, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	rows, err := t.Scan(ctx, lance.ScanQuery{Filter: lance.Eq(colKey, notesKey), Columns: []string{colValue}, Limit: 1})
	if err != nil {
		return notes{}, err
	}
	defer rows.Release()
	if rows.NumRows() > 0 {
		err = json.Unmarshal([]byte(rows.String(colValue, 0)), &n)
	}
	return n, err
}

// write replaces the notes in one commit. The caller holds the write lock.
func (r *remoteNotes) write(n notes, text string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), notesPatience)
	defer cancel()
	t, err := r.open(ctx, true)
	if err != nil {
		return fmt.Errorf("writing the notes of the database: %w", err)
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	b := array.NewRecordBuilder(memory.DefaultAllocator, notesSchema)
	defer b.Release()
	b.Field(0).(*array.StringBuilder).Append(notesKey)
	b.Field(1).(*array.StringBuilder).Append(text)
	record := b.NewRecord()
	defer record.Release()
	if _, err := t.MergeInsert(ctx, record, lance.MergeOptions{On: []string{colKey}, UpdateMatched: true, InsertUnmatched: true}); err != nil {
		return fmt.Errorf("writing the notes of the database: %w", err)
	}
	r.known, r.at, r.last = true, time.Now(), n
	return nil
}

var notesSchema = arrow.NewSchema([]arrow.Field{
	{Name: colKey, Type: arrow.BinaryTypes.String}, {Name: colValue, Type: arrow.BinaryTypes.String},
}, nil)

// open opens the table of notes; without one, and without make, it is nil.
func (r *remoteNotes) open(ctx context.Context, make bool) (*lance.Table, error) {
	names, err := r.db.TableNames(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, notesTable) {
		if !make {
			return nil, nil
		}
		t, err := r.db.CreateTable(ctx, notesTable, notesSchema)
		if err == nil || !errors.Is(err, lance.ErrExists) {
			return t, err
		} // another machine made it meanwhile
	}
	return r.db.OpenTable(ctx, notesTable)
}
