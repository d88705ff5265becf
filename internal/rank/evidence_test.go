package rank

import (
	"testing"

	"pgregory.net/rapid"
)

func flat(n int, best, rest float64) []Near {
	near := []Near{{Cosine: best}}
	for range n - 1 {
		near = append(near, Near{Cosine: rest})
	}
	return near
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
		cosines []Near
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
		"a small number":                      {"What is 12 times 14?", flat(20, 0.30, 0.12), []string{"Build takes 14 minutes, rack 12"}, false},
		"work to be done, on small numbers":   {"Fix this failing test: expected 14 but got 12", flat(20, 0.32, 0.12), []string{"Build takes 14 minutes; the slowest step are the tests"}, false},
		"work on what is remembered":          {"Refactor svc-billing-eu2", flat(20, 0.32, 0.12), []string{"Priya owns svc-billing-eu2"}, true},
		"keywords alone, a small number":      {"What is 12 times 14?", nil, []string{"Build takes 14 minutes, rack 12"}, false},
		"keywords alone, one of many":         {"Which harpsichord strings did Ines order in March?", nil, []string{"strings", "tea"}, false},
	} {
		q := ParseQuery(c.query)
		held := heldBy(q, c.texts...)
		var best Near
		if len(c.cosines) > 0 {
			best = c.cosines[0]
		}
		e := q.Ground(c.cosines, held).Of(best, len(c.cosines) > 0, held[0])
		if got := e.Sum(); (got >= 0) != c.enough {
			t.Errorf("%s: %+v sums up to %.2f", name, e, got)
		}
	}
}

// Each row is judged by itself: that another is about the question does not help.
func TestEachRowForItself(t *testing.T) {
	q := ParseQuery("What did I tell you about Nora?")
	held := heldBy(q, "My daughter Nora is allergic to cashews", "Please answer in bullet points")
	g := q.Ground(append([]Near{{Cosine: 0.5}, {Cosine: 0.28}}, flat(18, 0.12, 0.12)...), held)
	if e := g.Of(Near{Cosine: 0.5}, true, held[0]); e.Sum() < 0 {
		t.Errorf("the right one: %+v sums up to %.2f", e, e.Sum())
	}
	if e := g.Of(Near{Cosine: 0.28}, true, held[1]); e.Sum() >= 0 || len(e.Strangers) != 1 {
		t.Errorf("another: %+v sums up to %.2f", e, e.Sum())
	}
}

func TestAsksForWork(t *testing.T) {
	for text, want := range map[string]bool{
		"Please translate this into Greek":      true,
		"Can you write a poem?":                 true,
		"Run the tests and tell me what failed": true,
		"How does a diesel engine work?":        true,
		"What is the capital of Peru?":          true,
		"请把这段话翻译成英文":                            true,
		"この文章を英語に翻訳してください":                      true,
		"Schreibe ein Gedicht bitte":            true,
		"Écris un poème":                        true,
		"¿Cómo funciona un motor?":              true,
		"Where does Mara work?":                 false,
		"Who runs the ledger?":                  false,
		"Tell me which seat Mara likes":         false,
		"田中さんの担当を教えてください":                       false,
		"How do I get to work?":                 false,
		"翻译负责人是谁？":                              false,
	} {
		if got := asksForWork(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
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
