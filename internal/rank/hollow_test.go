package rank

import (
	"slices"
	"testing"
)

func TestHollow(t *testing.T) {
	for text, want := range map[string]bool{
		"the": true, "is": true, "what is it": true, "to be or not to be": true, "der": true, "is it E1043": false,
		"hello": false, "the oven": false, "食べる": false, "": false, "?": false, "The IT of it": false,
	} {
		if got := ParseQuery(text).Hollow(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestMissing(t *testing.T) {
	q := ParseQuery("does E1045 come from svc-billing-eu2")
	_, held := q.Compare("E1044 comes from svc-billing-eu2")
	if got := q.Missing(held); !slices.Equal(got, []string{"E1045"}) {
		t.Errorf("%q", got)
	}
}
