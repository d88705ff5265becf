package screen

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShortened(t *testing.T) {
	for _, c := range []struct {
		in     string
		runes  int
		tokens int
		want   string
	}{
		{"short", 10, 0, "short"},
		{"exactly ten", 11, 0, "exactly ten"},
		{"The gate is nine. The train leaves at noon sharp", 24, 0, "The gate is nine. …"},
		{"The gate is nine. The train leaves at noon, sharp", 46, 0, "The gate is nine. The train leaves at noon…"},
		{"Antidisestablishmentarianism", 12, 0, "Antidisest…"},
		{"支付网关周三发布。测试环境周二冻结，由林负责", 20, 0, "支付网关周三发布。测试环境周二冻结…"},
		{"支付网关周三发布。测试环境周二冻结，由林负责", 14, 0, "支付网关周三发布。 …"},
		{"支付网关周三发布", 0, 6, "支付网关…"},
		{"a &lt;b&gt; c and more of it", 7, 0, "a…"},
		{"ab ⏎ cd ef", 8, 0, "ab…"}, {"The gate is nine. ⏎ The train leaves", 24, 0, "The gate is nine. …"},
		{"see cafe\u0301 now", 9, 0, "see caf…"},
		{"pair 👩\u200d💻 of them", 8, 0, "pair…"},
		{"whatever", 2, 0, ""},
		{"서울에서 부산까지 기차로 두 시간", 12, 0, "서울에서 부산까지…"},
	} {
		r := room{unbounded, unbounded}
		if c.runes > 0 {
			r.runes = c.runes
		}
		if c.tokens > 0 {
			r.quarters = 4 * c.tokens
		}
		got := shortened(c.in, r)
		if got != c.want {
			t.Errorf("shortened(%q, %d, %d) = %q, want %q", c.in, c.runes, c.tokens, got, c.want)
		}
		if !r.holds(size(got)) {
			t.Errorf("%q is over %d characters, %d tokens", got, c.runes, c.tokens)
		}
	}
}

func TestTokens(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, "word": 1, "four letters to a token": 6, "支付网关": 4, "тест": 2, "port 5432": 4, "👍": 2, "café": 2,
	} {
		if got := Tokens(in); got != want {
			t.Errorf("Tokens(%q) = %d, want %d", in, got, want)
		}
	}
}

// The lines of memories keep the bounds in tokens and in characters alike, the
// frame counts for neither; where not even one memory fits there is no block.
func TestInjectKeepsItsTokens(t *testing.T) {
	items := []Item{
		{Label: "fact:global", Text: "The gateway listens on port 6543, behind the second proxy of the staging network"},
		{Label: "fact:global", Text: strings.Repeat("支付网关周三发布。", 30)},
		{Label: "fact:global", Text: strings.Repeat("Шлюз открыт по средам. ", 30)},
	}
	for tokens := 1; tokens < 400; tokens++ {
		block, shown := Inject(items, Budget{Items: 3, Tokens: tokens})
		if n := Tokens(inside(block)); n > tokens {
			t.Fatalf("%d tokens of %d", n, tokens)
		}
		if block, _ := Inject(items, Budget{Items: 3, Total: tokens}); utf8.RuneCountInString(inside(block)) > tokens {
			t.Fatalf("%d characters of %d", utf8.RuneCountInString(inside(block)), tokens)
		}
		if (block == "") != (len(shown) == 0) {
			t.Fatalf("%d shown in %q", len(shown), block)
		}
	}
	if block, _ := Inject(items, Budget{Items: 3, Tokens: 8}); block != "" {
		t.Errorf("a stump was shown:\n%s", block)
	}
	if _, shown := Inject(items, Budget{Items: 3, Tokens: 300}); len(shown) < 2 {
		t.Errorf("only %d of 3 in 300 tokens", len(shown))
	}
}

func inside(block string) string {
	return strings.TrimSuffix(strings.TrimPrefix(block, blockOpen+"\n"+blockNote+"\n"), "\n"+blockClose)
}

// What the help of autoRecallMaxChars and autoRecallMaxTokens says: from which
// values on a long memory is added, behind a usual label, and how large the frame is.
func TestUsefulBounds(t *testing.T) {
	item := []Item{{Label: "preference:agent:main 2026-01-31", Text: "Mara takes the night train to Bergen whenever she can, with a seat at the window and tea at four"}}
	for _, b := range []Budget{{Total: 80}, {Tokens: 40}} {
		if block, _ := Inject(item, b); block == "" {
			t.Errorf("%+v adds nothing", b)
		}
	}
	for _, b := range []Budget{{Total: 60}, {Tokens: 16}} {
		if block, _ := Inject(item, b); block != "" {
			t.Errorf("%+v adds %s", b, block)
		}
	}
	if c, n := utf8.RuneCountInString(frame(nil)), Tokens(frame(nil)); c != 219 || n != 59 {
		t.Errorf("the frame has %d characters, %d tokens; the help and docs say otherwise", c, n)
	}
}

// What the total leaves no room for ends the block: nothing shorter slips in
// behind the one that was shortened.
func TestTheShortenedOneIsLast(t *testing.T) {
	items := []Item{{Text: strings.Repeat("long words of a statement ", 20)}, {Text: "short"}}
	block, shown := Inject(items, Budget{Items: 5, Total: 100})
	if len(shown) != 1 || !strings.Contains(block, "…") {
		t.Errorf("%d shown:\n%s", len(shown), block)
	}
}

func FuzzShortened(f *testing.F) {
	f.Add("a &amp; b. 支付。 👩\u200d💻", 5, 7)
	f.Fuzz(func(t *testing.T, text string, runes, tokens int) {
		whole := Escape(text)
		r := room{runes, unbounded}
		if tokens > 0 && tokens < 1<<20 {
			r.quarters = 4 * tokens
		}
		got := shortened(whole, r)
		if got != "" && !r.holds(size(got)) {
			t.Fatalf("%q over %+v", got, r)
		}
		kept := strings.TrimSuffix(strings.TrimSuffix(got, ellipsis), " ")
		if got != whole && (!strings.HasPrefix(whole, kept) || !utf8.ValidString(got)) {
			t.Fatalf("%q is no beginning of %q", got, whole)
		}
		if i := strings.LastIndexByte(kept, '&'); i >= 0 && !strings.Contains(kept[i:], ";") {
			t.Fatalf("an entity was cut: %q", got)
		}
	})
}

// What is shown is told by index: an item without text takes no line.
func TestInjectTellsWhatItShows(t *testing.T) {
	items := []Item{{Label: "a", Text: "first"}, {Label: "b", Text: " \u200b\u202e"}, {Label: "c", Text: "third", More: "Related: fourth"}}
	block, shown := Inject(items, Budget{Items: 3, Total: 600, PerItem: 180})
	if want := []int{0, 2}; !slices.Equal(shown, want) || !strings.Contains(block, "[c] third Related: fourth") {
		t.Errorf("shows %v of\n%s", shown, block)
	}
}
