package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

const tableName = "memories"

// The columns. Names and types are those of the TypeScript plugin, which must be
// able to go on with the table.
const (
	colID         = "id"
	colText       = "text"
	colVector     = "vector"
	colCategory   = "category"
	colScope      = "scope"
	colImportance = "importance"
	colTime       = "timestamp"
	colMetadata   = "metadata"
)

// rowColumns is everything a Memory is made of except its vector.
var rowColumns = []string{colID, colText, colCategory, colScope, colImportance, colTime, colMetadata}

// hitColumns adds the vector.
var hitColumns = append([]string{colVector}, rowColumns...)

// DefaultWidth is the vector width of a table made without an embedder: that of
// the embedded model, which may fill the column later.
const DefaultWidth = 384

// newSchema describes a new table. All columns are nullable, as the Node package
// infers them.
func newSchema(width int) *arrow.Schema {
	text := func(name string) arrow.Field {
		return arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	number := func(name string) arrow.Field {
		return arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64, Nullable: true}
	}
	vector := arrow.FixedSizeListOfField(int32(width),
		arrow.Field{Name: "item", Type: arrow.PrimitiveTypes.Float32, Nullable: true})
	return arrow.NewSchema([]arrow.Field{
		text(colID), text(colText), {Name: colVector, Type: vector, Nullable: true},
		text(colCategory), text(colScope), number(colImportance), number(colTime), text(colMetadata),
	}, nil)
}

// layout is what the store knows about the table it opened.
type layout struct {
	schema *arrow.Schema
	width  int      // numbers per vector
	late   []string // columns that an early table lacks and is going to get
	extra  []string // columns of others, kept through updates
}

// inspect checks an existing table's schema. A wrong width is no error here:
// keyword search and listing do not need vectors.
func inspect(path string, schema *arrow.Schema) (layout, error) {
	l := layout{schema: schema}
	refuse := func(format string, args ...any) (layout, error) {
		return layout{}, &SchemaError{
			Path: path, Problem: fmt.Sprintf(format, args...),
			Fix: "point dbPath at the directory of a memory database, or at a new one",
		}
	}
	var missing []string
	for _, name := range hitColumns {
		found := schema.FieldIndices(name)
		if len(found) == 0 {
			missing = append(missing, name)
			continue
		}
		if t := schema.Field(found[0]).Type; !fits(name, t) {
			return refuse("has the column %q as %s, which memories never are", name, t)
		}
	}
	switch {
	case slices.Contains(missing, colID) || slices.Contains(missing, colText) || slices.Contains(missing, colVector):
		return refuse("has no column %s (it has %s), so it holds no memories",
			quoted(missing), quoted(names(schema)))
	}
	l.late = missing
	l.width = int(schema.Field(schema.FieldIndices(colVector)[0]).Type.(*arrow.FixedSizeListType).Len())
	for _, f := range schema.Fields() {
		if !slices.Contains(hitColumns, f.Name) {
			l.extra = append(l.extra, f.Name)
		}
	}
	return l, nil
}

// fits reports whether a column of type t can be read and written as name.
func fits(name string, t arrow.DataType) bool {
	switch name {
	case colImportance:
		return t.ID() == arrow.FLOAT64
	case colTime: // both occur: the TypeScript plugin made int64 columns for a while
		return t.ID() == arrow.FLOAT64 || t.ID() == arrow.INT64
	case colVector:
		list, ok := t.(*arrow.FixedSizeListType)
		return ok && list.Elem().ID() == arrow.FLOAT32
	default:
		return t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING
	}
}

func names(schema *arrow.Schema) []string {
	var list []string
	for _, f := range schema.Fields() {
		list = append(list, f.Name)
	}
	return list
}

func quoted(list []string) string {
	return `"` + strings.Join(list, `", "`) + `"`
}

// timeIsInteger reports whether timestamps are int64; a literal must match it.
func (l layout) timeIsInteger() bool {
	return l.schema.Field(l.schema.FieldIndices(colTime)[0]).Type.ID() == arrow.INT64
}
