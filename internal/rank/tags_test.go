package rank

import (
	"slices"
	"testing"
)

func TestTags(t *testing.T) {
	pattern := TagPattern([]string{"proj", "env:", " team ", ""})
	for query, want := range map[string][]string{
		"proj:apollo deadline":                {"proj:apollo"},
		"what is open in PROJ:Apollo, env:eu": {"PROJ:Apollo", "env:eu"},
		"proj:apollo Proj:APOLLO":             {"proj:apollo"},
		"(team:支付-组)":                         {"team:支付-组"},
		"proj: apollo":                        nil,
		"project:apollo":                      nil,
		"subproj:apollo":                      nil,
		"https://env:8080/x":                  nil,
		"the team is":                         nil,
		"scope:x":                             nil,
		"env:prod-":                           {"env:prod"},
	} {
		if got := ParseTags(pattern, query).Tokens; !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	tags := ParseTags(pattern, "proj:apollo env:eu")
	for text, want := range map[string]bool{
		"Proj:Apollo runs in env:EU.":     true,
		"env:eu, proj:apollo":             true,
		"proj:apollo runs":                false,
		"proj:apollo-2 in env:eu":         false,
		"proj:apollo in env:eu-west":      false,
		"xproj:apollo in env:eu":          false,
		"proj apollo env eu":              false,
		"proj:apollo2 proj:apollo env:eu": true,
	} {
		if got := tags.In(text); got != want {
			t.Errorf("in %q: %v, want %v", text, got, want)
		}
	}
	if TagPattern(nil) != nil || TagPattern([]string{" ", ":"}) != nil || !ParseTags(nil, "proj:x").None() {
		t.Error("no prefixes, yet tags")
	}
	if got := ParseTags(TagPattern([]string{"a.c"}), "abc:x a.c:y").Tokens; !slices.Equal(got, []string{"a.c:y"}) {
		t.Errorf("a prefix is not a pattern: %q", got)
	}
}

func FuzzTags(f *testing.F) {
	for _, query := range []string{"proj:apollo env:eu", "proj:0#0", "0\xd4env:0", "proj:a-- env:-"} {
		f.Add(query, "proj:apollo \xff")
	}
	pattern := TagPattern([]string{"proj", "env"})
	f.Fuzz(func(t *testing.T, query, text string) {
		tags := ParseTags(pattern, query)
		tags.In(text)
		if !tags.In(query) {
			t.Fatalf("%q does not hold its own tags %q", query, tags.Tokens)
		}
	})
}
