package store

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	arrowmem "github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// record is some rows of a record, with their new vectors. What the metadata say
// about a vector to come is put right; all else is as it was, to the byte.
func (b *beside) record(cols columns, keys []textKey, wanted []int) (arrow.Record, error) {
	made := make([]arrow.Array, 0, b.schema.NumFields())
	defer func() {
		for _, c := range made {
			c.Release()
		}
	}()
	for _, f := range b.schema.Fields() {
		var col arrow.Array
		var err error
		switch f.Name {
		case colVector:
			col, err = b.vectors(f, keys, wanted)
		case colMetadata:
			col, err = b.metadata(f, cols, keys, wanted)
		default:
			col, err = some(cols[f.Name], wanted)
		}
		if err != nil {
			return nil, fmt.Errorf("copying column %q: %w", f.Name, err)
		}
		made = append(made, col)
	}
	return array.NewRecord(b.schema, made, int64(len(wanted))), nil
}

// some copies the wanted values of a column, runs of them at once.
func some(a arrow.Array, wanted []int) (arrow.Array, error) {
	var parts []arrow.Array
	defer func() {
		for _, p := range parts {
			p.Release()
		}
	}()
	for from := 0; from < len(wanted); {
		to := from + 1
		for to < len(wanted) && wanted[to] == wanted[to-1]+1 {
			to++
		}
		parts = append(parts, array.NewSlice(a, int64(wanted[from]), int64(wanted[to-1]+1)))
		from = to
	}
	return array.Concatenate(parts, arrowmem.DefaultAllocator)
}

func (b *beside) vectors(f arrow.Field, keys []textKey, wanted []int) (arrow.Array, error) {
	list := array.NewBuilder(arrowmem.DefaultAllocator, f.Type).(*array.FixedSizeListBuilder)
	defer list.Release()
	for _, i := range wanted {
		v, err := b.from.get(keys[i])
		if err != nil {
			return nil, err
		}
		if v == nil {
			list.AppendNull()
			continue
		}
		list.Append(true)
		list.ValueBuilder().(*array.Float32Builder).AppendValues(v, nil)
	}
	return list.NewArray(), nil
}

func (b *beside) metadata(f arrow.Field, cols columns, keys []textKey, wanted []int) (arrow.Array, error) {
	out := array.NewBuilder(arrowmem.DefaultAllocator, f.Type)
	defer out.Release()
	text, ok := out.(interface {
		Append(string)
		AppendNull()
	})
	if !ok {
		return nil, fmt.Errorf("a type no memory has: %s", f.Type)
	}
	for _, i := range wanted {
		column := cols.text(colMetadata, i)
		d, _ := memory.ParseMetadata(column)
		switch waits := !b.from.has(keys[i]); {
		case waits != (d.Embedding == memory.EmbeddingPending):
			d.Embedding = ""
			if waits {
				d.Embedding = memory.EmbeddingPending
			}
			text.Append(d.String())
		case cols[colMetadata].IsNull(i):
			text.AppendNull()
		default:
			text.Append(column)
		}
	}
	return out.NewArray(), nil
}
