package engine

import (
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// differentForms have the same words and say something else.
var differentForms = [][2]string{
	{"Temperature must stay below -5 degrees", "Temperature must stay below 5 degrees"},
	{"Temperature must stay below −5 degrees", "Temperature must stay below 5 degrees"},
	{"Temperature must stay below - 5 degrees", "Temperature must stay below + 5 degrees"},
	{"Keep the freezer at -18", "Keep the freezer at 18 degrees"},
	{"Keep the freezer at -18 degrees", "Keep the freezer at 18 degrees"},
	{"The offset is +2 hours", "The offset is 2 hours"},
	{"x > 5 triggers the alarm", "x < 5 triggers the alarm"},
	{"x>5 triggers the alarm", "x<5 triggers the alarm"},
	{"Alert when load >= 5", "Alert when load <= 5"},
	{"Alert when load ≥ 5", "Alert when load ≤ 5"},
	{"Alert when load >= 5", "Alert when load > 5"},
	{"Alert when state = down", "Alert when state != down"},
	{"Alert when state = down", "Alert when state ≠ down"},
	{"tea > coffee, cake", "tea, coffee > cake"},
	{"a<b", "a>b"},
	{"a - b", "a b"},
	{"The service is svc_a", "The service is svc-a"},
	{"The service is svc-a", "The service is svc a"},
	{"My password is Hunter2", "My password is hunter2"},
	{"The token aB3dE opens it", "The token Ab3De opens it"},
	{"token aB3dE", "Ab3De token"},
	{"Data is kept in /srv/Data", "Data is kept in /srv/data"},
	{"Work goes to feature/X", "Work goes to feature/x"},
	{"Set FOO=1 first", "Set foo=1 first"},
	{"Set BARS=1 first", "Set bars=1 first"},
	{"The unit makes 5 mW", "The unit makes 5 MW"},
	{"The test is A/B", "The test is A B"},
	{"The rent is 1,000 EUR", "The rent is 1.000 EUR"},
	{"The train leaves at 9:40", "The train leaves at 9.40"},
	{"The area is 10² metres", "The area is 102 metres"},
	{"The limit is -.5", "The limit is .5"},
	{"The balance is - $5", "The balance is $5"},
	{"The size is 5 * 3", "The size is 5 ^ 3"},
	{"The fee is $5", "The fee is €5"},
	{"Give it the option --force", "Give it the option force"},
	{"温度低于-5度", "温度低于5度"},
}

// sameForms say the same.
var sameForms = [][2]string{
	{"Tea is at four", "tea is at four."},
	{"MARA likes tea", "Mara likes tea"},
	{"The office closes at seven", "the office  closes at SEVEN!"},
	{"Keep the freezer at -18 degrees", "keep the freezer at −18 degrees."},
	{"Alert when load >= 5", "alert when load ≥ 5"},
	{"x > 5 triggers the alarm", "x>5 triggers the alarm."},
	{"The town is \"well-known\" for it", "The town is well known for it"},
	{"Well-known towns are full", "well-known towns are full"},
	{"The train leaves at 9:40", "the train leaves at 9:40."},
	{"The service is svc_a", "the service is svc_a."},
	{"My password is Hunter2", "my password is 'Hunter2'."},
	{"Data is kept in /srv/Data", "data is kept in “/srv/Data”."},
	{"Mara, the neighbour, likes tea", "Mara - the neighbour - likes tea"},
	{"The rent is 1,000 EUR", "the rent is  1,000 EUR"},
	{"Ｔｅａ is at ４", "Tea is at 4"},
	{"Café Zürich is closed", "cafe zurich is closed"},
	{"Mara doesn't like O'Brien", "mara doesn’t like o'brien"},
	{"The **size** is 5", "The size is *5*"},
	{"茶は4時。", "茶は4時"},
}

func TestWrittenForm(t *testing.T) {
	check := func(a, b string, want bool) {
		t.Helper()
		text := sameText(a, b)
		hit := retrieve.Hit{Memory: memory.Memory{Text: a}, Vector: &retrieve.Source{Score: 1, Raw: 0.9999}}
		near := neighbour{memory: hit.Memory, cosine: 0.9999, similarity: 0.9999, sameText: text, evidence: compareTexts(a, b)}
		for _, source := range []string{memory.SourceManual, memory.SourceAutoCapture} {
			fresh := memory.Memory{Text: b, Metadata: memory.Metadata{Source: source}}
			if _, got := (neighbours{fresh: fresh, list: []neighbour{near}}).duplicate(); got != want {
				t.Errorf("%s: %q, %q: duplicate is %v; forms %q, %q", source, a, b, got, form(a), form(b))
			}
		}
		if got := certainty(b, hit) >= CertainFrom; got != want {
			t.Errorf("%q, %q: certain is %v; forms %q, %q", a, b, got, form(a), form(b))
		}
		if text && !want {
			t.Errorf("%q, %q: the same text", a, b)
		}
	}
	for _, c := range differentForms {
		check(c[0], c[1], false)
		check(c[1], c[0], false)
	}
	for _, c := range sameForms {
		check(c[0], c[1], true)
		check(c[1], c[0], true)
	}
}

// A statement that differs only in its form is stored beside the other, whatever
// the kind, and its description does not delete the other.
func TestStoredBesideAnotherForm(t *testing.T) {
	for name, embedding := range map[string]*config.Embedding{"vectors": newProvider(t).embedding(), "keywords": nil} {
		for _, c := range differentForms[:10] {
			t.Run(name+" "+c[0], func(t *testing.T) {
				f := start(t, embedding)
				f.keep(c[0], "preferences")
				if a, err := f.Forget(t.Context(), ForgetRequest{Who: main, Query: c[1]}); err != nil || a.Action != Candidates {
					t.Errorf("%q deleted %q, %v", c[1], a.Memory.Text, err)
				}
				a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: c[1], Category: "preferences"})
				if err != nil || a.Action != Created || f.count() != 2 {
					t.Errorf("%q: %s, %v; %d rows", c[1], a.Action, err, f.count())
				}
				if a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: c[0] + "."}); err != nil || a.Action != Duplicate {
					t.Errorf("%q again: %s, %v", c[0], a.Action, err)
				}
			})
		}
	}
}

// The longest text takes no longer for what it is made of.
func TestFormOfLongTexts(t *testing.T) {
	for _, unit := range []string{"~", "-", "/", "- ", "a/", "'", "a'", "=-", ".~", "><", "*", "—"} {
		for _, end := range []string{"", "5"} {
			text := strings.Repeat(unit, 20_000/len(unit)) + end
			if !sameForm(text, text+" ") {
				t.Errorf("%q repeated: differs from itself", unit)
			}
		}
	}
}
