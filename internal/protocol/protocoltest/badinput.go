// Package protocoltest makes messages that are not what they should be, for the
// tests of everything that reads messages.
package protocoltest

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Odd is values that a host, a model or an attacker may put where something
// else belongs: wrong types, numbers out of range, text with quotes, wildcards,
// control characters, half characters, nothing, and a lot.
func Odd() []string {
	return []string{
		`null`, `true`, `0`, `-1`, `2.5`, `1e9`, `1e400`, `-9223372036854775809`, `[]`, `{}`, `[[]]`, `{"":null}`,
		`""`, `" \t\n"`, `"5"`, `"NaN"`, `"null"`, `"%"`, `"*"`, `"_"`, `"' OR 1=1 --"`, `"\"); DROP TABLE memories; --"`, `"../../etc/passwd"`,
		`"agent:*"`, `"global,agent:other"`, `"\u0000\u0007\u001b[31m"`, `"\ud800"`, `"\ud83d\ude00 שלום"`, `"` + strings.Repeat("x", 12_000) + `"`,
	}
}

// Variants gives a message with one place in it replaced by every odd value,
// for all places; with each member left out; and with a member nobody knows.
// The key names the variant.
func Variants(message string) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		var root any
		if err := json.Unmarshal([]byte(message), &root); err != nil {
			panic(err) // a literal of a test
		}
		w := walker{root: &root, yield: yield}
		w.walk("message", &root)
	}
}

type walker struct {
	root  *any
	yield func(string, json.RawMessage) bool
	done  bool
}

func (w *walker) emit(name string) {
	if w.done {
		return
	}
	text, err := json.Marshal(w.root)
	if err != nil {
		panic(err) // what was decoded can be encoded
	}
	w.done = !w.yield(name, text)
}

// walk varies the value at a place, which is part of the root.
func (w *walker) walk(path string, at *any) {
	was := *at
	for _, odd := range Odd() {
		*at = json.RawMessage(odd)
		w.emit(fmt.Sprintf("%s = %.40s", path, odd))
	}
	*at = was
	switch v := was.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			member := v[key]
			delete(v, key)
			w.emit(path + " without " + key)
			var place any = member
			v[key] = &place
			w.walk(path+"."+key, &place)
			v[key] = member
		}
		v["nobodyKnowsThis"] = map[string]any{"at": []int{1}}
		w.emit(path + " with an unknown member")
		delete(v, "nobodyKnowsThis")
	case []any:
		for i, element := range v {
			place := element
			v[i] = &place
			w.walk(fmt.Sprintf("%s[%d]", path, i), &place)
			v[i] = element
		}
	}
}
