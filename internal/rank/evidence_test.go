package rank

import (
	"testing"

	"pgregory.net/rapid"
)

func flat(n int, best, rest float64) []float64 {
	cosines := []float64{best}
	for range n - 1 {
		cosines = append(cosines, rest)
	}
	return cosines
}

func heldBy(q Query, texts ...string) (held []Held) {
	for _, text := range texts {
		_, h := q.Compare(text)
		held = append(held, h)
	}
	return held
}

func TestEvidence(t *testing.T) {
	for name, c := range map[string]struct {
		query   string
		cosines []float64
		texts   []string
		enough  bool
	}{
		"about what a chat says":              {"What did Caroline paint last year?", flat(20, 0.58, 0.45), []string{"Caroline: I painted a lake last year"}, true},
		"about somebody the chat knows not":   {"What did Caroline paint last year?", flat(20, 0.38, 0.30), []string{"Jonas: we painted the wall"}, false},
		"in other words, among few facts":     {"Where did they spend their honeymoon?", flat(20, 0.36, 0.12), []string{"Ines and Paul travelled through Iceland"}, true},
		"in German, where nouns are no names": {"Wann hat Oma Geburtstag?", flat(20, 0.40, 0.13), []string{"Großmutter wird am neunten Februar achtzig"}, true},
		"the only memory there is":            {"Where is the spare key?", flat(1, 0.45, 0), []string{"The key for the shed hangs by the door"}, true},
		"a topic nobody mentioned":            {"how do I re-string a harpsichord", flat(20, 0.15, 0.08), []string{"bread needs two hours"}, false},
		"all its words, far in meaning":       {"payment gateway", flat(20, 0.2, 0.19), []string{"the payment gateway is down"}, true},
		"its identifier":                      {"what is E1043?", flat(20, 0.1, 0.09), []string{"E1043 means no paper"}, true},
		"another identifier":                  {"what is E1043?", flat(20, 0.3, 0.2), []string{"E1044 means no paper"}, false},
		"keywords alone, most of them":        {"owner of the payment gateway", nil, []string{"the payment gateway", "tea"}, true},
		"keywords alone, one of many":         {"Which harpsichord strings did Ines order in March?", nil, []string{"strings", "tea"}, false},
	} {
		q := ParseQuery(c.query)
		e := q.Evidence(c.cosines, heldBy(q, c.texts...))
		if got := e.Sum(); (got >= 0) != c.enough {
			t.Errorf("%s: %+v sums up to %.2f", name, e, got)
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string][]string{
		"What did Caroline's sister say to Tim?": {"caroline", "tim"},
		"Where is Anna? Peter asked":             {"anna"}, // a word that begins a sentence may be any
		"WHERE IS THE KEY":                       nil,
		"Wo hat Oma den Schlüssel?":              nil,
		"où est Claire ?":                        {"claire"},
		"他现在靠什么谋生？":                              nil,
	} {
		got := ParseQuery(text).named()
		if len(got) != len(want) {
			t.Errorf("names of %q: %v, want %v", text, got, want)
		}
		for _, w := range want {
			if !got[w] {
				t.Errorf("names of %q: %v, want %v", text, got, want)
			}
		}
	}
}

func TestEvidenceIsFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Evidence{
			Rise: anyFloat().Draw(t, "rise"), Cosine: anyFloat().Draw(t, "cosine"), Coverage: anyFloat().Draw(t, "coverage"),
			Known: rapid.Bool().Draw(t, "known"), Held: rapid.Bool().Draw(t, "held"),
		}
		if sum := e.Sum(); sum != sum {
			t.Fatalf("%+v sums up to no number", e)
		}
	})
}
