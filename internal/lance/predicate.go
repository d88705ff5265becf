package lance

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Predicate is a condition on the rows of a table. Build one with the functions
// of this file; SQL() is the only place in the program where SQL is written.
//
// A comparison with a column that is NULL is neither true nor false, so neither
// it nor its Not keeps the row; use IsNull to speak of missing values.
type Predicate interface {
	// write appends SQL, or fails on a column name or value that has none.
	write(*strings.Builder) error
}

// Value is what a column can be compared with.
type Value interface {
	string | int | int32 | int64 | float64 | bool
}

type comparison struct {
	left  operand
	op    string
	value any
}

type operand interface{ writeOperand(*strings.Builder) error }

// Eq keeps rows whose column equals value.
func Eq[V Value](column string, value V) Predicate { return comparison{col(column), "=", value} }

// Gt keeps rows whose column is greater than value.
func Gt[V Value](column string, value V) Predicate { return comparison{col(column), ">", value} }

// Ge keeps rows whose column is at least value.
func Ge[V Value](column string, value V) Predicate { return comparison{col(column), ">=", value} }

// Lt keeps rows whose column is less than value.
func Lt[V Value](column string, value V) Predicate { return comparison{col(column), "<", value} }

// Le keeps rows whose column is at most value.
func Le[V Value](column string, value V) Predicate { return comparison{col(column), "<=", value} }

// JSONField is an integer member at the top level of the JSON object in a text
// column. Texts that merely contain its name do not count, nor do nested members.
type JSONField struct{ column, key string }

// JSONInt names the member key of the JSON object in column.
func JSONInt(column, key string) JSONField { return JSONField{column, key} }

// Absent keeps rows without a number under the key (missing, null, another
// type), or whose column is NULL or no JSON object.
func (f JSONField) Absent() Predicate { return isNull{f} }

// GT keeps rows whose member is greater than value; absent members fail.
func (f JSONField) GT(value int64) Predicate { return comparison{f, ">", value} }

// LE keeps rows whose member is at most value; absent members fail.
func (f JSONField) LE(value int64) Predicate { return comparison{f, "<=", value} }

// EQ keeps rows whose member equals value; absent members fail.
func (f JSONField) EQ(value int64) Predicate { return comparison{f, "=", value} }

// Below keeps rows whose member is less than another of the same object; absent
// members fail.
func (f JSONField) Below(other JSONField) Predicate { return below{f, other} }

// HasPrefix keeps rows whose text column begins with prefix, byte for byte.
func HasPrefix(column, prefix string) Predicate { return prefixed{col(column), prefix} }

// IsNull keeps rows whose column has no value.
func IsNull(column string) Predicate { return isNull{col(column)} }

// In keeps rows whose column is one of values; with none, it keeps nothing.
func In(column string, values ...string) Predicate {
	if len(values) == 0 {
		return False()
	}
	return in{col(column), values}
}

// And keeps rows that pass all of ps; nil ones are skipped, and none keeps all.
func And(ps ...Predicate) Predicate { return join(ps, true) }

// Or keeps rows that pass any of ps; nil ones are skipped, and none keeps nothing.
func Or(ps ...Predicate) Predicate { return join(ps, false) }

// Not keeps rows for which p is false.
func Not(p Predicate) Predicate {
	if c, ok := p.(constant); ok {
		return !c
	}
	return not{p}
}

// NotTrue keeps rows for which p is false or, because of a NULL, neither true nor
// false.
func NotTrue(p Predicate) Predicate {
	if c, ok := p.(constant); ok {
		return !c
	}
	return notTrue{p}
}

// True keeps every row.
func True() Predicate { return constant(true) }

// False keeps no row.
func False() Predicate { return constant(false) }

// SQL renders p, or fails when a column name or value cannot be written.
func SQL(p Predicate) (string, error) {
	var b strings.Builder
	if err := p.write(&b); err != nil {
		return "", err
	}
	return b.String(), nil
}

type (
	col      string
	constant bool
	not      struct{ of Predicate }
	notTrue  struct{ of Predicate }
	isNull   struct{ of operand }
	below    struct{ left, right JSONField }
	in       struct {
		column col
		values []string
	}
	prefixed struct {
		column col
		prefix string
	}
	junction struct {
		of  []Predicate
		and bool
	}
)

// join drops what does not matter, so that constants never reach the planner.
func join(ps []Predicate, and bool) Predicate {
	kept := make([]Predicate, 0, len(ps))
	for _, p := range ps {
		if p == nil {
			continue
		}
		if c, ok := p.(constant); ok {
			if bool(c) == and {
				continue
			}
			return c
		}
		kept = append(kept, p)
	}
	switch len(kept) {
	case 0:
		return constant(and)
	case 1:
		return kept[0]
	}
	return junction{kept, and}
}

func (j junction) write(b *strings.Builder) error {
	word := " OR "
	if j.and {
		word = " AND "
	}
	b.WriteByte('(')
	for i, p := range j.of {
		if i > 0 {
			b.WriteString(word)
		}
		if err := p.write(b); err != nil {
			return err
		}
	}
	b.WriteByte(')')
	return nil
}

func (c constant) write(b *strings.Builder) error {
	b.WriteString(strconv.FormatBool(bool(c)))
	return nil
}

func (n not) write(b *strings.Builder) error {
	if n.of == nil {
		return fmt.Errorf("negating nothing; use lance.True or lance.False")
	}
	b.WriteString("(NOT ")
	if err := n.of.write(b); err != nil {
		return err
	}
	b.WriteByte(')')
	return nil
}

func (n notTrue) write(b *strings.Builder) error {
	if n.of == nil {
		return fmt.Errorf("negating nothing; use lance.True or lance.False")
	}
	b.WriteByte('(')
	if err := n.of.write(b); err != nil {
		return err
	}
	b.WriteString(" IS NOT TRUE)")
	return nil
}

func (n isNull) write(b *strings.Builder) error {
	b.WriteByte('(')
	if err := n.of.writeOperand(b); err != nil {
		return err
	}
	b.WriteString(" IS NULL)")
	return nil
}

func (c comparison) write(b *strings.Builder) error {
	b.WriteByte('(')
	if err := c.left.writeOperand(b); err != nil {
		return err
	}
	b.WriteString(" " + c.op + " ")
	if err := writeValue(b, c.value); err != nil {
		return err
	}
	b.WriteByte(')')
	return nil
}

func (l below) write(b *strings.Builder) error {
	b.WriteByte('(')
	if err := l.left.writeOperand(b); err != nil {
		return err
	}
	b.WriteString(" < ")
	if err := l.right.writeOperand(b); err != nil {
		return err
	}
	b.WriteByte(')')
	return nil
}

func (i in) write(b *strings.Builder) error {
	b.WriteByte('(')
	if err := i.column.writeOperand(b); err != nil {
		return err
	}
	b.WriteString(" IN (")
	for n, v := range i.values {
		if n > 0 {
			b.WriteString(", ")
		}
		if err := writeText(b, v); err != nil {
			return err
		}
	}
	b.WriteString("))")
	return nil
}

func (p prefixed) write(b *strings.Builder) error {
	b.WriteString("starts_with(")
	if err := p.column.writeOperand(b); err != nil {
		return err
	}
	b.WriteString(", ")
	if err := writeText(b, p.prefix); err != nil {
		return err
	}
	b.WriteByte(')')
	return nil
}

// Columns are written in backquotes, which neither fold case nor clash with
// keywords; a name that would need escaping there is refused.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (c col) writeOperand(b *strings.Builder) error {
	if !plainName.MatchString(string(c)) {
		return fmt.Errorf("column name %q: only letters, digits and _ can be used in a predicate", string(c))
	}
	b.WriteString("`" + string(c) + "`")
	return nil
}

func (f JSONField) writeOperand(b *strings.Builder) error {
	b.WriteString("mlp_json_int(")
	if err := col(f.column).writeOperand(b); err != nil {
		return err
	}
	b.WriteString(", ")
	if err := writeText(b, f.key); err != nil {
		return err
	}
	b.WriteByte(')')
	return nil
}

func writeValue(b *strings.Builder, value any) error {
	switch v := value.(type) {
	case string:
		return writeText(b, v)
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("comparing with %v: only finite numbers can be used in a predicate", v)
		}
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		b.WriteString(text)
	default: // the integers of Value
		fmt.Fprintf(b, "%d", v)
	}
	return nil
}

// writeText writes a string literal: the quote is doubled, nothing else is special.
func writeText(b *strings.Builder, s string) error {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return fmt.Errorf("text %q: NUL and invalid UTF-8 cannot be used in a predicate", s)
	}
	b.WriteByte('\'')
	b.WriteString(strings.ReplaceAll(s, "'", "''"))
	b.WriteByte('\'')
	return nil
}
