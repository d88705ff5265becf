package embed

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// bounded answers like byContent but refuses texts of more characters than most.
func bounded(most int, refusal string) func(*http.Request, []string) (int, string) {
	return func(_ *http.Request, inputs []string) (int, string) {
		for _, text := range inputs {
			if utf8.RuneCountInString(text) > most {
				return 400, fmt.Sprintf(`{"error":{"message":%q}}`, refusal)
			}
		}
		return 200, byContent(inputs)
	}
}

// averaged is the direction a text should get from its parts.
func averaged(parts []string) [2]float64 {
	var sum [2]float64
	for _, p := range parts {
		v := contentOf(p)
		length := math.Hypot(float64(v[0]), float64(v[1]))
		sum[0], sum[1] = sum[0]+float64(v[0])/length, sum[1]+float64(v[1])/length
	}
	length := math.Hypot(sum[0], sum[1])
	return [2]float64{sum[0] / length, sum[1] / length}
}

func near(v []float32, want [2]float64) bool {
	return len(v) == 2 && math.Abs(float64(v[0])-want[0]) < 1e-5 && math.Abs(float64(v[1])-want[1]) < 1e-5
}

func prose(sentences int) string {
	var b strings.Builder
	for i := range sentences {
		fmt.Fprintf(&b, "Sentence number %d says something of its own. ", i)
	}
	return b.String()
}

// A text longer than the limit is sent in parts, which together say all of it.
func TestLongTextIsAveraged(t *testing.T) {
	s := serve(t, bounded(300, "must not be sent"))
	e := open(t, s, func(o *Options) { o.MaxInputChars = 300 })
	text := prose(30)
	v, err := e.EmbedPassage(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, body := range s.bodies {
		for _, in := range body["input"].([]any) {
			parts = append(parts, in.(string))
		}
	}
	if len(parts) < 5 || !near(v, averaged(parts)) || math.Abs(norm2(v)-1) > 1e-5 {
		t.Errorf("%d parts give %v, want %v", len(parts), v, averaged(parts))
	}
	for i := range 30 {
		if !slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(p, fmt.Sprintf("number %d says", i)) }) {
			t.Errorf("sentence %d is in no part", i)
		}
	}
	before := s.requests()
	if again, err := e.EmbedPassage(t.Context(), text); err != nil || !slices.Equal(again, v) || s.requests() != before {
		t.Errorf("not kept under the whole text: %v", err)
	}
}

// Only what is too long is split; the rest of the batch is sent as it is.
func TestOnlyTheLongOfABatchAreSplit(t *testing.T) {
	for name, limit := range map[string]int{"known": 300, "told by the provider": 0} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, bounded(300, "This model's maximum context length is 60 tokens"))
			e := open(t, s, func(o *Options) { o.MaxInputChars = limit; o.Parts.Longest = 250 })
			texts := append(statements(10), prose(20))
			texts = append(texts, statements(12)[10:]...)
			got, err := e.EmbedPassages(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				if want := contentOf(texts[i]); i != 10 && [2]float32(v) != want {
					t.Errorf("text %d was changed", i)
				}
			}
			if math.Abs(norm2(got[10])-1) > 1e-5 {
				t.Errorf("the long one has %v", got[10])
			}
			if n := s.requests(); n > 4 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// Servers say in many words that a text is too long; each makes it be split.
func TestTooLongInTheWordsOfServers(t *testing.T) {
	for _, said := range []string{
		"This model's maximum context length is 8192 tokens, however you requested 9000 tokens",
		"Input text exceeds the maximum length of 512 tokens", "the input length exceeds the context length",
		"`inputs` must have less than 512 tokens. Given: 785", "input is too large to process. increase the physical batch size",
		"Input length 600 exceeds maximum allowed token size 512", "the text is too long", "Range of input length should be [1, 8192]",
		"input must have less than 512 tokens", "Your request contains a text that exceeds the maximum token limit of 8194",
	} {
		s := serve(t, bounded(400, said))
		if v, err := open(t, s, nil).EmbedPassage(t.Context(), prose(20)); err != nil || math.Abs(norm2(v)-1) > 1e-5 {
			t.Errorf("%s: %v, %v", said, v, err)
		}
	}
	for _, said := range []string{"batch size 64 > maximum allowed batch size 32", "batch size is invalid, it should not be larger than 10", "too many inputs: at most 10 texts", "The batch size limit is 128", "array too long: input may have at most 10 items"} {
		s := serve(t, func(_ *http.Request, in []string) (int, string) {
			if len(in) > 10 {
				return 422, fmt.Sprintf(`{"error":{"message":%q}}`, said)
			}
			return 200, byContent(in)
		})
		if _, err := open(t, s, nil).EmbedPassages(t.Context(), statements(100)); err != nil {
			t.Errorf("%s: %v", said, err)
		}
		if n := s.requests(); n > 20 {
			t.Errorf("%s: %d requests", said, n)
		}
	}
}

// A server that finds everything too long is asked a bounded number of times.
func TestSplittingEnds(t *testing.T) {
	s := serve(t, bounded(0, "the text is too long"))
	_, err := open(t, s, nil).EmbedPassage(t.Context(), prose(4000))
	if !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), "too long") {
		t.Errorf("%v", err)
	}
	if n := s.requests(); n > 60 {
		t.Errorf("%d requests", n)
	}
}

// What three halvings do not help is cut to its first half.
func TestWhatIsStillTooLongIsCut(t *testing.T) {
	s := serve(t, bounded(120, "the text is too long"))
	e := open(t, s, func(o *Options) { o.Parts.Longest = 800 })
	if v, err := e.EmbedPassage(t.Context(), strings.Repeat("x", 1600)); err != nil || math.Abs(norm2(v)-1) > 1e-5 {
		t.Errorf("%v, %v", v, err)
	}
}

// With chunking off the beginning stands for the text, and the error names both ways out.
func TestWholeTexts(t *testing.T) {
	s := serve(t, bounded(300, "the text is too long"))
	e := open(t, s, func(o *Options) { o.Whole, o.MaxInputChars = true, 100 })
	if v, err := e.EmbedPassage(t.Context(), prose(20)); err != nil || [2]float32(v) != contentOf(prose(20)[:100]) {
		t.Errorf("%v, %v", v, err)
	}
	e = open(t, s, func(o *Options) { o.Whole = true })
	_, err := e.EmbedPassage(t.Context(), prose(20))
	if !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), "embedding.maxInputChars") || !strings.Contains(err.Error(), "embedding.chunking") {
		t.Errorf("%v", err)
	}
}

// The sizes of parts, by model and script.
func TestSizesOfParts(t *testing.T) {
	for _, c := range []struct {
		model, text string
		given       PartSizes
		limit, want int
	}{
		{"text-embedding-3-small", "plain words", PartSizes{}, 0, 5734},
		{"text-embedding-3-small", "水泵坏了阀门开着", PartSizes{}, 0, 2293},
		{"all-MiniLM-L6-v2", "plain words", PartSizes{}, 0, 358},
		{"sentence-transformers/all-mpnet-base-v2", "plain words", PartSizes{}, 0, 358},
		{"gemini-embedding-001", "plain words", PartSizes{}, 0, 1433},
		{"nomic-embed-text", "plain words", PartSizes{}, 0, 1400},
		{"bge-m3", "plain words", PartSizes{}, 900, 900},
		{"bge-m3", "水泵坏了阀门开着", PartSizes{Longest: 2000, Overlap: 500, Shortest: 500, Lines: 100}, 0, 2000},
	} {
		e, err := NewRemote(Options{Model: c.model, Parts: c.given, MaxInputChars: c.limit})
		if err != nil {
			t.Fatal(err)
		}
		s := e.partsFor(c.text)
		overlap, least, lines := int(float64(s.size)*0.05), int(float64(s.size)*0.1), 50
		if c.given.Longest > 0 {
			overlap, least, lines = 500, 500, 100
		}
		if s.size != c.want || abs(s.overlap-overlap) > 1 || abs(s.least-least) > 1 || s.lines != lines {
			t.Errorf("%s, %q: %+v, want %d", c.model, c.text, s, c.want)
		}
	}
}

func abs(n int) int { return max(n, -n) }
