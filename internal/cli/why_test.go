package cli

import (
	"io"
	"strings"
	"testing"
)

// What a turn does not ask is refused, not left out without a word.
func TestWhyOfATurnTakesNoLimits(t *testing.T) {
	for _, flag := range []string{"--limit=3", "--scope=global", "--category=fact"} {
		root := (&app{}).root()
		root.SetArgs([]string{"why", "the oven", "12345678", "--turn", flag})
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		err := root.ExecuteContext(t.Context())
		name, _, _ := strings.Cut(flag, "=")
		if err == nil || !strings.Contains(err.Error(), name+" means nothing with --turn") {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
