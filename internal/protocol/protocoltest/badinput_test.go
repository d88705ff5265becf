package protocoltest

import (
	"encoding/json"
	"testing"
)

func TestVariants(t *testing.T) {
	seen := map[string]string{}
	for name, message := range Variants(`{"a":{"b":1},"c":["d"]}`) {
		seen[name] = string(message)
		if !json.Valid(message) && name != "" {
			t.Errorf("%s: %.80s is no JSON", name, message)
		}
	}
	for name, want := range map[string]string{
		"message = 0":                      `0`,
		"message without a":                `{"c":["d"]}`,
		"message.a.b = null":               `{"a":{"b":null},"c":["d"]}`,
		"message.c[0] = -1":                `{"a":{"b":1},"c":[-1]}`,
		"message.a with an unknown member": `{"a":{"b":1,"nobodyKnowsThis":{"at":[1]}},"c":["d"]}`,
	} {
		if seen[name] != want {
			t.Errorf("%s: %s, want %s", name, seen[name], want)
		}
	}
	if want := 5*len(Odd()) + 3 + 2; len(seen) != want {
		t.Errorf("%d variants, want %d", len(seen), want)
	}
}
