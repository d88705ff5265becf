package lance

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// Rows is the result of a query. Column helpers return the zero value for NULL
// and for a column that is missing or of another type; Has and IsNull tell.
type Rows struct {
	schema  *arrow.Schema
	records []arrow.Record
	total   int
}

// Schema returns the columns of the result.
func (r *Rows) Schema() *arrow.Schema { return r.schema }

// Records returns the rows in order. They are released with Rows.
func (r *Rows) Records() []arrow.Record { return r.records }

// NumRows returns the number of rows.
func (r *Rows) NumRows() int { return r.total }

// Release gives the rows' memory back; nothing read from them by reference may be used then.
func (r *Rows) Release() {
	for _, record := range r.records {
		record.Release()
	}
	r.records, r.total = nil, 0
}

// Has reports whether the result has a column of that name.
func (r *Rows) Has(column string) bool { return len(r.schema.FieldIndices(column)) > 0 }

// IsNull reports whether row i has no value in column, or there is no such column.
func (r *Rows) IsNull(column string, i int) bool {
	values, at := r.cell(column, i)
	return values == nil || values.IsNull(at)
}

// String returns the text in row i of column.
func (r *Rows) String(column string, i int) string {
	values, at := r.cell(column, i)
	if values == nil || values.IsNull(at) {
		return ""
	}
	switch v := values.(type) {
	case *array.String:
		return v.Value(at)
	case *array.LargeString:
		return v.Value(at)
	}
	return ""
}

// Float64 returns the number in row i of column, whatever its width.
func (r *Rows) Float64(column string, i int) float64 {
	values, at := r.cell(column, i)
	if values == nil || values.IsNull(at) {
		return 0
	}
	switch v := values.(type) {
	case *array.Float64:
		return v.Value(at)
	case *array.Float32:
		return float64(v.Value(at))
	case *array.Int64:
		return float64(v.Value(at))
	case *array.Int32:
		return float64(v.Value(at))
	case *array.Uint64:
		return float64(v.Value(at))
	}
	return 0
}

// Int64 returns the number in row i of column, whatever its width; fractions are cut off.
func (r *Rows) Int64(column string, i int) int64 {
	values, at := r.cell(column, i)
	if values == nil || values.IsNull(at) {
		return 0
	}
	switch v := values.(type) {
	case *array.Int64:
		return v.Value(at)
	case *array.Int32:
		return int64(v.Value(at))
	case *array.Uint64:
		return int64(v.Value(at))
	case *array.Float64:
		return int64(v.Value(at))
	}
	return 0
}

// Bool returns the truth value in row i of column.
func (r *Rows) Bool(column string, i int) bool {
	values, at := r.cell(column, i)
	v, ok := values.(*array.Boolean)
	return ok && !v.IsNull(at) && v.Value(at)
}

// Vector returns a copy of the vector in row i of column, nil if there is none.
func (r *Rows) Vector(column string, i int) []float32 {
	values, at := r.cell(column, i)
	if values == nil || values.IsNull(at) {
		return nil
	}
	list, ok := values.(*array.FixedSizeList)
	if !ok {
		return nil
	}
	numbers, ok := list.ListValues().(*array.Float32)
	if !ok {
		return nil
	}
	from, to := list.ValueOffsets(at)
	return append([]float32(nil), numbers.Float32Values()[from:to]...)
}

// cell finds row i of column among the records.
func (r *Rows) cell(column string, i int) (arrow.Array, int) {
	at := r.schema.FieldIndices(column)
	if len(at) == 0 {
		return nil, 0
	}
	for _, record := range r.records {
		if n := int(record.NumRows()); i >= n {
			i -= n
			continue
		}
		return record.Column(at[0]), i
	}
	return nil, 0
}

// decode reads the Arrow IPC stream a query returned.
func decode(op, object string, stream []byte, err error) (*Rows, error) {
	if err != nil {
		return nil, fail(op, object, err)
	}
	reader, err := ipc.NewReader(bytes.NewReader(stream))
	if err != nil {
		return nil, fail(op, object, fmt.Errorf("decoding rows: %w", err))
	}
	defer reader.Release()
	rows := &Rows{schema: reader.Schema()}
	for reader.Next() {
		record := reader.Record()
		record.Retain()
		rows.records = append(rows.records, record)
		rows.total += int(record.NumRows())
	}
	if err := reader.Err(); err != nil {
		rows.Release()
		return nil, fail(op, object, fmt.Errorf("decoding rows: %w", err))
	}
	return rows, nil
}

// encode writes a record as an Arrow IPC stream.
func encode(record arrow.Record) ([]byte, error) {
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(record.Schema()))
	if err := w.Write(record); err != nil {
		return nil, fmt.Errorf("encoding rows: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encoding rows: %w", err)
	}
	return buf.Bytes(), nil
}
