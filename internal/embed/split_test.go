package embed

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSplitAtSentences(t *testing.T) {
	for _, c := range []struct {
		name, text string
		s          splitter
		want       []string
	}{
		{"short", "One sentence.", splitter{size: 50, lines: 50}, []string{"One sentence."}},
		{"at sentences", "The pump is dry. The valve is open! Who was here? Nobody.", splitter{size: 30, lines: 50},
			[]string{"The pump is dry.", "The valve is open!", "Who was here? Nobody."}},
		{"a point inside a number ends nothing", "Version 1.2 runs on port 80.443 and elsewhere too", splitter{size: 34, lines: 50},
			[]string{"Version 1.2 runs on port 80.443", "and elsewhere too"}},
		{"after a quote", `He said "stop." Then he left the room for good.`, splitter{size: 28, lines: 50}, []string{`He said "stop."`, "Then he left the room for", "good."}},
		{"Chinese", "水泵坏了。阀门开着！谁来过？没有人。", splitter{size: 10, lines: 50}, []string{"水泵坏了。阀门开着！", "谁来过？没有人。"}},
		{"lines where there are no sentences", "first line\nsecond line\nthird line", splitter{size: 25, lines: 50}, []string{"first line\nsecond line", "third line"}},
		{"words where there are no lines", "alpha beta gamma delta", splitter{size: 12, lines: 50}, []string{"alpha beta", "gamma delta"}},
		{"nothing to split at", strings.Repeat("x", 25), splitter{size: 10, lines: 50}, []string{strings.Repeat("x", 10), strings.Repeat("x", 10), strings.Repeat("x", 5)}},
		{"overlap begins with a word", "alpha beta gamma or delta epsilon", splitter{size: 20, overlap: 5, lines: 50}, []string{"alpha beta gamma or", "or delta epsilon"}},
		{"no crumbs", "alpha beta gamma delta x", splitter{size: 22, least: 10, lines: 50}, []string{"alpha beta", "gamma delta x"}},
		{"few lines a part", strings.Repeat("a line of text\n", 6), splitter{size: 60, lines: 2},
			[]string{"a line of text\na line of text", "a line of text\na line of text", "a line of text\na line of text"}},
		{"anywhere", "One. Two three four five", splitter{size: 12, lines: 50, anywhere: true}, []string{"One. Two", "three four", "five"}},
		{"a character of several", "aaaaaaaaa\U0001F468\u200d\U0001F469\u200d\U0001F467bbb", splitter{size: 12, lines: 50}, []string{"aaaaaaaaa", "\U0001F468\u200d\U0001F469\u200d\U0001F467bbb"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.s.sound().split(c.text)); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever the text: no part is longer than it may be, none is blank, no word is
// lost, and there are not many more parts than the text is long.
func TestSplitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"pump", "the valve.", "水泵坏了。", "a", "\n", "\n\n", "function f() {", "}", "e\u0301e\u0301", strings.Repeat("y", 40), `"why?"`, "def f():", "`", "\U0001F468\u200d\U0001F469"}), 0, 300).Draw(t, "words")
		text := strings.Join(words, rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, "between"))
		s := splitter{
			size: rapid.IntRange(1, 200).Draw(t, "size"), overlap: rapid.IntRange(0, 100).Draw(t, "overlap"), least: rapid.IntRange(0, 100).Draw(t, "least"),
			lines: rapid.IntRange(1, 50).Draw(t, "lines"), anywhere: rapid.Bool().Draw(t, "anywhere"),
		}.sound()
		if rapid.Bool().Draw(t, "code") {
			s.code = languages
		}
		parts := s.split(text)
		if len(parts) > 16*utf8.RuneCountInString(text)/s.size+1 && len(parts) > len(words)+1 {
			t.Fatalf("%d parts of %d characters at most for %d", len(parts), s.size, utf8.RuneCountInString(text))
		}
		letters := func(s string) string { return strings.Join(strings.Fields(s), "") }
		rest := letters(text)
		for _, part := range parts {
			if n := utf8.RuneCountInString(part); n > s.size || strings.TrimSpace(part) == "" {
				t.Fatalf("a part of %d characters: %q", n, part)
			}
			// A part goes on where the ones before end, or repeats their end.
			p := letters(part)
			for len(p) > 0 && !strings.HasPrefix(rest, p) {
				_, size := utf8.DecodeRuneInString(p)
				p = p[size:]
			}
			rest = rest[len(p):]
		}
		if rest != "" && len(parts) < mostParts {
			t.Fatalf("not in any part: %q", rest)
		}
	})
}

func TestCodeIsSplitAtDeclarations(t *testing.T) {
	const script = "import x from 'x'\n\n// adds\nexport function add(a, b) {\n  const s = `\nfunction no() {}\n`\n  return a + b\n}\n\nclass Box {\n  open() {}\n}\n\nexport const twice = (n) => {\n  return 2 * n // }\n}\n"
	const python = "import os\n\n@cached\n# why\ndef one():\n    \"\"\"\ndef no():\n    \"\"\"\n    return 1\n\nclass Two(Base):\n    def three(self):\n        return '{'\n\nasync def four():\n    pass\n"
	for _, c := range []struct {
		name, text string
		size       int
		names      []string
		want       []string
	}{
		{"JavaScript", script, 90, nil, []string{"import x from 'x'", "// adds\nexport function add(a, b) {\n  const s = `\nfunction no() {}\n`\n  return a + b\n}", "class Box {\n  open() {}\n}\n\nexport const twice = (n) => {\n  return 2 * n // }\n}"}},
		{"Python", python, 75, []string{"python"}, []string{"import os", "@cached\n# why\ndef one():\n    \"\"\"\ndef no():\n    \"\"\"\n    return 1", "class Two(Base):\n    def three(self):\n        return '{'", "async def four():\n    pass"}},
		{"TypeScript", "interface A {\n  b: string\n}\ntype C = {\n  d: number\n}\nenum E { F }\n", 45, []string{"typescript"}, []string{"interface A {\n  b: string\n}", "type C = {\n  d: number\n}\nenum E { F }"}},
		{"another language is prose", python, 400, []string{"javascript"}, []string{strings.TrimSpace(python)}},
		{"one declaration is no program", "Class of 1994. def is a word.\ndef one():", 30, nil, []string{"Class of 1994. def is a word.", "def one():"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := splitter{size: c.size, lines: 50, code: languagesOf(c.names)}
			if diff := cmp.Diff(c.want, s.sound().split(c.text)); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
	long := "function a() {\n" + strings.Repeat("  step();\n", 40) + "}\nfunction b() {}\n"
	parts := splitter{size: 100, lines: 50, code: languages}.sound().split(long)
	if len(parts) < 4 || parts[len(parts)-1] != "function b() {}" {
		t.Errorf("a function longer than a part: %q", parts)
	}
}
