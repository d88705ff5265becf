package embed

import "testing"

// A forgotten text is asked for again; another one is not.
func TestForget(t *testing.T) {
	s := serve(t, byLength)
	e := open(t, s, func(o *Options) { o.MaxInputChars, o.Whole = 4, true })
	ask := func(text string) {
		t.Helper()
		if _, err := e.EmbedQuery(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		if _, err := e.EmbedPassage(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	ask("a long text")
	ask("other")
	if n, err := e.Forget("a long text"); n != 2 || err != nil {
		t.Errorf("%d vectors were dropped, want 2", n)
	}
	if n, _ := e.Forget("a long text"); n != 0 {
		t.Errorf("%d vectors were dropped the second time", n)
	}
	before := len(s.bodies)
	ask("other")
	if len(s.bodies) != before {
		t.Error("another text was forgotten, too")
	}
	ask("a long text")
	if got := len(s.bodies) - before; got != 2 {
		t.Errorf("%d requests for a forgotten text, want 2", got)
	}
	off := open(t, s, func(o *Options) { o.CacheSize = -1 })
	if n, _ := off.Forget("a long text"); n != 0 {
		t.Errorf("a cache that is off dropped %d vectors", n)
	}
}
