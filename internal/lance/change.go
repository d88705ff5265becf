package lance

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

// NewColumn is a column to add. It is nullable, so that other programs may leave it out.
type NewColumn struct {
	Name string
	// Value is what the rows there are get; its Go type decides the column's.
	Value any // string or float64
}

// AddColumns adds columns in one commit. The data there are stay where they are.
func (t *Table) AddColumns(ctx context.Context, columns ...NewColumn) error {
	const op = "adding columns to table"
	if len(columns) == 0 {
		return nil
	}
	schema, err := t.Schema(ctx)
	if err != nil {
		return err
	}
	expressions := make(map[string]string, len(columns))
	for _, c := range columns {
		expression, err := nullable(c, textColumn(schema))
		if err != nil {
			return invalid(op, t.name, "%v", err)
		}
		expressions[c.Name] = expression
	}
	return fail(op, t.name, t.native.AddColumns(ctx, expressions))
}

// nullable writes a value so that its column may hold NULL, as a bare literal's
// may not: compared with something longer that the planner cannot know, because
// it is made of a text column.
func nullable(c NewColumn, text string) (string, error) {
	if !plainName.MatchString(c.Name) || !plainName.MatchString(text) {
		return "", fmt.Errorf("column name %q: only letters, digits and _ can be used", c.Name)
	}
	var value strings.Builder
	if err := writeValue(&value, c.Value); err != nil {
		return "", err
	}
	switch c.Value.(type) {
	case string:
		return fmt.Sprintf("nullif(%s, concat(%[1]s, '?', `%s`))", value.String(), text), nil
	case float64:
		return fmt.Sprintf("nullif(%s, %[1]s + 1.0 + CAST(length(`%s`) AS DOUBLE))", value.String(), text), nil
	}
	return "", fmt.Errorf("column %q: a value of type %T makes no column", c.Name, c.Value)
}

// textColumn names a column with texts.
func textColumn(schema *arrow.Schema) string {
	for _, f := range schema.Fields() {
		if f.Type.ID() == arrow.STRING || f.Type.ID() == arrow.LARGE_STRING {
			return f.Name
		}
	}
	return ""
}

// Scale multiplies a number column in the rows passing where, in one commit, and
// returns how many they were.
func (t *Table) Scale(ctx context.Context, column string, factor int, where Predicate) (int64, error) {
	return t.set(ctx, column, fmt.Sprintf("`%s` * %d", column, factor), where)
}

// Zero sets a number column to 0 in the rows passing where, in one commit, and
// returns how many they were.
func (t *Table) Zero(ctx context.Context, column string, where Predicate) (int64, error) {
	return t.set(ctx, column, "0", where)
}

// Clear sets a column to NULL in the rows passing where, in one commit, and returns
// how many they were.
func (t *Table) Clear(ctx context.Context, column string, where Predicate) (int64, error) {
	return t.set(ctx, column, "NULL", where)
}

// Rewrite writes the rows passing where into new files, as they are, in one
// commit, and returns how many they were: their old files are then no part of the
// table any more, with all that was deleted in them.
func (t *Table) Rewrite(ctx context.Context, where Predicate) (int64, error) {
	schema, err := t.Schema(ctx)
	if err != nil {
		return 0, err
	}
	column := textColumn(schema)
	return t.set(ctx, column, "`"+column+"`", where)
}

func (t *Table) set(ctx context.Context, column, expression string, where Predicate) (int64, error) {
	const op = "changing a column of table"
	if !plainName.MatchString(column) {
		return 0, invalid(op, t.name, "column name %q: only letters, digits and _ can be used", column)
	}
	if where == nil {
		return 0, invalid(op, t.name, "no predicate; pass lance.True to change every row")
	}
	filter, err := SQL(where)
	if err != nil {
		return 0, invalid(op, t.name, "%v", err)
	}
	n, err := t.native.Update(ctx, filter, map[string]string{column: expression})
	return n, fail(op, t.name, err)
}
