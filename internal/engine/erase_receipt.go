package engine

import (
	"encoding/json"
	"fmt"
	"maps"
)

// count is a number of things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %s", n, plurals(thing))
}

func plurals(thing string) string {
	if n := len(thing); n > 1 && thing[n-1] == 'y' {
		return thing[:n-1] + "ies"
	}
	return thing + "s"
}

// removed says how much of one or two kinds; empty for none.
func removed(n int, thing string, m int, one, more string) string {
	text := ""
	if n > 0 {
		text = count(n, thing)
	}
	if m > 0 {
		if text != "" {
			text += ", "
		}
		if m == 1 {
			more = one
		}
		text += fmt.Sprintf("%d %s", m, more)
	}
	return text
}

// spelledOut is a JSON value as text, without escapes.
func spelledOut(value json.RawMessage) string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return string(value)
	}
	return fmt.Sprint(v)
}

func cloneWithout(m map[string]json.RawMessage, key string) map[string]json.RawMessage {
	m = maps.Clone(m)
	delete(m, key)
	return m
}
