package embed

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// byContent answers each text with numbers made from its words, so that a vector
// at the wrong place is seen. The items come backwards.
func byContent(inputs []string) string {
	var items []string
	for i, text := range inputs {
		v := contentOf(text)
		items = append(items, fmt.Sprintf(`{"index":%d,"embedding":[%v,%v]}`, i, v[0], v[1]))
	}
	slices.Reverse(items)
	return `{"data":[` + strings.Join(items, ",") + `]}`
}

func contentOf(text string) [2]float32 {
	sum := sha256.Sum256([]byte(text))
	return [2]float32{float32(sum[0]) + 1, float32(sum[1]) + 1}
}

func (s *standIn) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

// B88: a provider that takes few at once, answers in any order and does not take
// one of them. Every other text gets its own vector; that one is named.
func TestOneBadTextOfMany(t *testing.T) {
	for _, c := range []struct {
		name, refusal string
		status        int
		kind          error
	}{
		{"refused", `{"error":{"message":"content is not allowed"}}`, 400, ErrRejected},
		{"too long", `{"error":{"message":"maximum context length is 512 tokens"}}`, 400, ErrRejected},
		{"a vector of zeros", "", 200, ErrBadVector},
	} {
		t.Run(c.name, func(t *testing.T) {
			const most = 20
			s := serve(t, func(_ *http.Request, inputs []string) (int, string) {
				if len(inputs) > most {
					return 400, fmt.Sprintf(`{"error":{"message":"batch size %d is larger than 20"}}`, len(inputs))
				}
				if i := slices.Index(inputs, "statement 137"); i >= 0 {
					if c.refusal != "" {
						return c.status, c.refusal
					}
					v := contentOf("statement 137")
					return 200, strings.Replace(byContent(inputs), fmt.Sprintf("[%v,%v]", v[0], v[1]), "[0,0]", 1)
				}
				return 200, byContent(inputs)
			})
			e := open(t, s, func(o *Options) { o.Whole = true })
			texts := statements(250)
			got, err := e.EmbedPassages(t.Context(), texts)
			var some *ItemsError
			if !errors.As(err, &some) || len(some.Items) != 1 || some.Items[0].Place != 137 || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), "text 138 of 250") {
				t.Fatalf("error %v", err)
			}
			for i, v := range got {
				want := contentOf(texts[i])
				if i == 137 {
					if v != nil {
						t.Errorf("the bad text has the vector %v", v)
					}
				} else if v == nil || [2]float32(v) != want {
					t.Errorf("text %d has %v, want %v", i, v, want)
				}
			}
			if n := s.requests(); n > 40 {
				t.Errorf("%d requests", n)
			}
			before := s.requests()
			if _, err := e.EmbedPassages(t.Context(), texts[:40]); err != nil || s.requests() != before {
				t.Errorf("the others were asked for again: %v", err)
			}
		})
	}
}

// What an answer leaves out or numbers twice is asked for again, and only that.
func TestMissingAndDuplicateNumbers(t *testing.T) {
	for name, spoil := range map[string]func(string) string{
		"one missing":  func(s string) string { return strings.Replace(s, `{"index":2,`, `{"index":7,`, 1) },
		"twice":        func(s string) string { return strings.Replace(s, `{"index":2,`, `{"index":3,`, 1) },
		"out of range": func(s string) string { return strings.Replace(s, `{"index":2,`, `{"index":-1,`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(_ *http.Request, inputs []string) (int, string) {
				if len(inputs) == 5 {
					return 200, spoil(byContent(inputs))
				}
				return 200, byContent(inputs)
			})
			texts := statements(5)
			got, err := open(t, s, nil).EmbedPassages(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				if [2]float32(v) != contentOf(texts[i]) {
					t.Errorf("text %d has the vector of another", i)
				}
			}
			if n := len(s.bodies[1]["input"].([]any)); len(s.bodies) != 2 || n > 2 {
				t.Errorf("%d requests, %d texts in the second", len(s.bodies), n)
			}
		})
	}
}

// Where every text is refused it is the settings, which a few requests tell.
func TestSettingsAreNotTriedTextByText(t *testing.T) {
	for _, answer := range []string{`{"error":{"message":"unknown field"}}`, `{"detail":"bad request"}`} {
		s := serve(t, fixed(400, answer))
		got, err := open(t, s, nil).EmbedPassages(t.Context(), statements(250))
		if !errors.Is(err, ErrRejected) || got != nil || s.requests() > 8 {
			t.Errorf("%v after %d requests", err, s.requests())
		}
	}
	for name, answer := range map[string]func(*http.Request, []string) (int, string){
		"wrong key": fixed(401, `{"error":{"message":"no"}}`),
		"down":      fixed(502, ""),
		"wrong width": func(_ *http.Request, in []string) (int, string) {
			return 200, strings.ReplaceAll(byContent(in), `"embedding":[`, `"embedding":[1,`)
		},
		"dimensions":   fixed(400, `{"error":{"message":"dimensions is not supported"}}`),
		"another page": fixed(200, `<html>`),
	} {
		s := serve(t, answer)
		if _, err := open(t, s, nil).EmbedPassages(t.Context(), statements(250)); err == nil || s.requests() != 1 {
			t.Errorf("%s: %v after %d requests", name, err, s.requests())
		}
	}
}

func TestEmptyTextsOfABatch(t *testing.T) {
	s := serve(t, byLength)
	got, err := open(t, s, nil).EmbedPassages(t.Context(), []string{"a", " ", "ccc"})
	var some *ItemsError
	if !errors.As(err, &some) || !errors.Is(err, ErrInput) || some.Items[0].Place != 1 || got[0][0] != 1 || got[1] != nil || got[2][0] != 3 {
		t.Errorf("%v, %v", got, err)
	}
}
