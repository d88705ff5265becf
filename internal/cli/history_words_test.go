package cli

import (
	"strings"
	"testing"
)

func TestWordDiff(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"a word", "Seat on trains: window", "Seat on trains: aisle", "Seat on trains: [-window-]{+aisle+}"},
		{"words side by side", "the red old car", "the blue new car", "the [-red old-]{+blue new+} car"},
		{"added at the end", "tea at four", "tea at four, with milk", "tea at four{+, with milk+}"},
		{"gone from the middle", "a very long day", "a long day", "a [-very -]long day"},
		{"nothing in common", "tea", "coffee", "[-tea-]{+coffee+}"},
		{"equal", "the same", "the same", "the same"},
		{"from nothing", "", "new", "{+new+}"},
		{"to nothing", "old", "", "[-old-]"},
		{"two places", "one two three four five", "one 2 three four 5", "one [-two-]{+2+} three four [-five-]{+5+}"},
		{"no spaces", "发票周五到期", "发票周一到期", "发票周[-五-]{+一+}到期"},
		{"a word twice", "no no yes", "no yes", "no [-no -]yes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pieces := wordDiff(c.before, c.after)
			if got := string(diffText(pieces, screen{})); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			was, is := sides(pieces)
			if was != c.before || is != c.after {
				t.Errorf("the pieces give %q and %q", was, is)
			}
		})
	}
}

func sides(list []piece) (before, after string) {
	for _, p := range list {
		if p.kind != came {
			before += p.text
		}
		if p.kind != went {
			after += p.text
		}
	}
	return before, after
}

// Texts too long for a table are still told in full, in bounded memory.
func TestWordDiffOfLongTexts(t *testing.T) {
	before, after := strings.Repeat("one two ", 4000), strings.Repeat("three four ", 4000)
	was, is := sides(wordDiff("x "+before+"y", "x "+after+"y"))
	if was != "x "+before+"y" || is != "x "+after+"y" {
		t.Error("the pieces do not give the texts back")
	}
	if got := len(diffText(wordDiff(before+"tea "+before, before+"coffee "+before), screen{})); got > 200 {
		t.Errorf("a change of one word in a long text is shown in %d bytes", got)
	}
}

// A text out of the database cannot steer the terminal through a diff either.
func TestWordDiffIsVisible(t *testing.T) {
	got := string(diffText(wordDiff("a \x1b[31mred\x1b[0m b", "a \x1b[2Jblue b"), screen{}))
	if strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
}
