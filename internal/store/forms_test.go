package store

import "testing"

func TestWidenForms(t *testing.T) {
	for query, want := range map[string]string{
		"plain words":              "plain words",
		"caf\u00e9 bar":            "caf\u00e9 bar cafe\u0301",
		"cafe\u0301":               "cafe\u0301 caf\u00e9",
		"\u1112\u116c\u110b\u1174": "\u1112\u116c\u110b\u1174 회의", // Hangul in parts
		"회의실 が":                    "회의실 が",
		"":                         "",
	} {
		if got := widenForms(query); got != want {
			t.Errorf("widenForms(%+q) = %+q, want %+q", query, got, want)
		}
	}
}

// B121: a word with an accent is found in either way of writing it.
func TestAccentsAreFoundInBothForms(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	one, two := mem("das caf\u00e9 morgenrot"), mem("le cafe\u0301 du matin")
	insert(t, s, one, two, mem("an unrelated row"))
	for _, query := range []string{"caf\u00e9", "cafe\u0301", "CAF\u00c9", "CAFE\u0301"} {
		if got := matching(t, s, query, 5); len(got) != 2 {
			t.Errorf("%+q finds %q", query, got)
		}
	}
}
