package embed

import (
	"slices"
	"strings"
	"testing"
)

// The end of a long text counts: a question about it finds it as well as one about
// its beginning. A text that fits is not touched.
func TestLocalReadsLongTextsToTheirEnd(t *testing.T) {
	l := local(t)
	filler := strings.Repeat("The minutes of the meeting list who came, who was excused and what was said about the budget of the garden club. ", 18)
	text := "The spare key of the boat house hangs behind the barometer. " + filler + "The ferry to the island leaves at half past six in the morning."
	got, err := l.EmbedPassages(t.Context(), []string{"short", text, filler})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := l.EmbedPassage(t.Context(), text)
	if err != nil || !slices.Equal(alone, got[1]) {
		t.Errorf("alone and in a batch it has two vectors: %v", err)
	}
	for _, question := range []string{"When does the ferry leave?", "Where is the key of the boat house?"} {
		q, err := l.EmbedQuery(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		if with, without := dot(q, got[1]), dot(q, got[2]); with < without+0.05 {
			t.Errorf("%s: %.3f with the answer in the text, %.3f without", question, with, without)
		}
	}
	for _, c := range []struct {
		text string
		want int
	}{{strings.Repeat("word ", 290), 0}, {strings.Repeat("水", 590), 0}, {strings.Repeat("word ", 400), 2}, {strings.Repeat("水泵坏了。", 200), 3}, {strings.Repeat("word ", 100_000), localParts}} {
		if parts := l.parts(c.text); len(parts) != c.want {
			t.Errorf("%d bytes: %d parts, want %d", len(c.text), len(parts), c.want)
		}
	}
}
