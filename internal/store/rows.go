package store

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	arrowmem "github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// decode turns the rows of a query into memories, in the query's order. Columns
// that were not read leave their fields zero. NULL reads as the zero value:
// a row without a scope has the scope "", which no filter names.
func decode(records []arrow.Record) []memory.Memory {
	var list []memory.Memory
	for _, rec := range records {
		c := columnsOf(rec)
		for i := range int(rec.NumRows()) {
			list = append(list, c.memory(i))
		}
	}
	return list
}

// columns finds a record's columns by name once.
type columns map[string]arrow.Array

func columnsOf(rec arrow.Record) columns {
	c := columns{}
	for i, f := range rec.Schema().Fields() {
		c[f.Name] = rec.Column(i)
	}
	return c
}

func (c columns) memory(i int) memory.Memory {
	m := memory.Memory{
		ID:         c.text(colID, i),
		Text:       c.text(colText, i),
		Vector:     c.vector(colVector, i),
		Category:   memory.StoredCategory(c.text(colCategory, i)),
		Scope:      c.text(colScope, i),
		Importance: memory.ClampImportance(c.number(colImportance, i, math.NaN())),
	}
	// Rows of early versions state seconds; FromEpoch tells the units apart.
	m.Time, _ = memory.FromEpoch(c.number(colTime, i, 0))
	// What cannot be parsed is carried along in the metadata, and no reason to hide the memory.
	m.Metadata, _ = memory.ParseMetadata(c.text(colMetadata, i))
	return m
}

// text copies: the array's memory is freed with its record.
func (c columns) text(name string, i int) string {
	switch a := c[name].(type) {
	case *array.String:
		if a.IsValid(i) {
			return string([]byte(a.Value(i)))
		}
	case *array.LargeString:
		if a.IsValid(i) {
			return string([]byte(a.Value(i)))
		}
	}
	return ""
}

func (c columns) number(name string, i int, null float64) float64 {
	a := c[name]
	if a == nil || a.IsNull(i) {
		return null
	}
	switch a := a.(type) {
	case *array.Float64:
		return a.Value(i)
	case *array.Float32:
		return float64(a.Value(i))
	case *array.Int64:
		return float64(a.Value(i))
	}
	return null
}

func (c columns) vector(name string, i int) []float32 {
	list, ok := c[name].(*array.FixedSizeList)
	if !ok || list.IsNull(i) {
		return nil
	}
	values, ok := list.ListValues().(*array.Float32)
	if !ok {
		return nil
	}
	from, to := list.ValueOffsets(i)
	return slices.Clone(values.Float32Values()[from:to])
}

// extras copies row i's values of the given columns.
func (c columns) extras(names []string, i int) (map[string]arrow.Array, error) {
	if len(names) == 0 {
		return nil, nil
	}
	extra := make(map[string]arrow.Array, len(names))
	for _, name := range names {
		a, ok := c[name]
		if !ok {
			continue
		}
		one := array.NewSlice(a, int64(i), int64(i)+1)
		// Concatenate copies into Go's memory; a slice would die with its record.
		kept, err := array.Concatenate([]arrow.Array{one}, arrowmem.DefaultAllocator)
		one.Release()
		if err != nil {
			return nil, fmt.Errorf("keeping column %q: %w", name, err)
		}
		extra[name] = kept
	}
	return extra, nil
}

// encode turns changes into a record of the table's own schema, in its column
// order and types. The caller releases it.
func (l layout) encode(changes []change) (arrow.Record, error) {
	cols := make([]arrow.Array, 0, l.schema.NumFields())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for _, f := range l.schema.Fields() {
		var col arrow.Array
		var err error
		if slices.Contains(l.extra, f.Name) {
			col, err = foreignColumn(f, changes)
		} else {
			col, err = ownColumn(f, changes)
		}
		if err != nil {
			return nil, err
		}
		cols = append(cols, col)
	}
	return array.NewRecord(l.schema, cols, int64(len(changes))), nil
}

// foreignColumn writes back what an updated row had, and NULL for a new row.
func foreignColumn(f arrow.Field, changes []change) (arrow.Array, error) {
	parts := make([]arrow.Array, len(changes))
	for i, c := range changes {
		if parts[i] = c.old.extra[f.Name]; parts[i] != nil {
			continue
		}
		if !f.Nullable {
			return nil, fmt.Errorf("storing memory %s: the table's column %q must have a value and is not known to this version; drop the column", c.mem.ID, f.Name)
		}
		parts[i] = array.MakeArrayOfNull(arrowmem.DefaultAllocator, f.Type, 1)
	}
	return array.Concatenate(parts, arrowmem.DefaultAllocator)
}

func ownColumn(f arrow.Field, changes []change) (arrow.Array, error) {
	b := array.NewBuilder(arrowmem.DefaultAllocator, f.Type)
	defer b.Release()
	b.Reserve(len(changes))
	for _, c := range changes {
		if err := appendValue(b, f.Name, c.mem); err != nil {
			return nil, err
		}
	}
	return b.NewArray(), nil
}

func appendValue(b array.Builder, name string, m memory.Memory) error {
	switch b := b.(type) {
	case *array.StringBuilder:
		if v := textOf(name, m); v != "" {
			b.Append(v)
		} else {
			b.AppendNull()
		}
	case *array.LargeStringBuilder:
		if v := textOf(name, m); v != "" {
			b.Append(v)
		} else {
			b.AppendNull()
		}
	case *array.Float64Builder:
		switch {
		case name == colImportance:
			b.Append(m.Importance)
		case m.Time.IsZero():
			b.AppendNull()
		default:
			b.Append(float64(m.Time.UnixMilli()))
		}
	case *array.Int64Builder:
		if m.Time.IsZero() {
			b.AppendNull()
		} else {
			b.Append(m.Time.UnixMilli())
		}
	case *array.FixedSizeListBuilder:
		if m.Vector == nil {
			b.AppendNull()
			break
		}
		b.Append(true)
		b.ValueBuilder().(*array.Float32Builder).AppendValues(m.Vector, nil)
	default:
		return fmt.Errorf("column %q has a type no memory has", name)
	}
	return nil
}

func textOf(name string, m memory.Memory) string {
	switch name {
	case colID:
		return m.ID
	case colText:
		return m.Text
	case colCategory:
		return string(m.Category)
	case colScope:
		return m.Scope
	default:
		return m.Metadata.String()
	}
}
