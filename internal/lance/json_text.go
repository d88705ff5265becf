package lance

import (
	"fmt"
	"regexp"
	"strings"
)

// JSONSays keeps rows whose JSON object in column says, at its top level, that key
// is one of values. It never keeps a row that does not, but may miss one that does:
// it is for leaving rows out before an exact look at the others. Missed are objects
// in which something nested comes before the key, or whose texts hold \u escapes.
//
// A pattern alone cannot tell an object from a broken text that begins like one,
// which says nothing at all: proof is a member that these objects hold a whole
// number under, and it is read with a real parser.
func JSONSays(column, key, proof string, values ...string) Predicate {
	if len(values) == 0 {
		return False()
	}
	return And(says{col(column), key, values}, Not(JSONInt(column, proof).Absent()))
}

type says struct {
	column col
	key    string
	values []string
}

// plainWord is what needs no escape, neither in JSON nor in a pattern.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// jsonMembers matches the beginning of an object up to some member, if all values
// before it are texts, numbers, words or flat lists of them. An object's text can be
// cut in one way only, so what follows is a key and not part of a text.
const jsonMembers = `^\s*\{(\s*"([^"\\]|\\.)*"\s*:\s*("([^"\\]|\\.)*"|\[("([^"\\]|\\.)*"|[^"\[\]{}])*\]|[^"\[\]{},]*)\s*,)*\s*`

func (s says) write(b *strings.Builder) error {
	for _, w := range append([]string{s.key}, s.values...) {
		if !plainWord.MatchString(w) {
			return fmt.Errorf("JSON member or value %.40q: only letters, digits, - and _ can be looked for", w)
		}
	}
	var column strings.Builder
	if err := s.column.writeOperand(&column); err != nil {
		return err
	}
	name := `"` + s.key + `"`
	// Of two members of one name the last counts: such an object is missed.
	pattern := jsonMembers + name + `\s*:\s*"(` + strings.Join(s.values, "|") + `)"`
	twice := `(?s)` + name + `.*` + name
	fmt.Fprintf(b, `(regexp_like(%[1]s, '%[2]s') AND NOT regexp_like(%[1]s, '%[3]s') AND strpos(%[1]s, '\u') = 0)`, column.String(), pattern, twice)
	return nil
}
