package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

func asError[T error](err error, target *T) bool { return errors.As(err, target) }

func TestForgetById(t *testing.T) {
	f := start(t, nil)
	m := f.keep("The ladder leans on the north wall", "fact")
	other, err := f.Store(t.Context(), StoreRequest{Who: Agent("other", ""), Text: "A secret of somebody else"})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]ForgetRequest{
		"somebody else's":    {Who: main, ID: other.Memory.ID},
		"in the wrong scope": {Who: main, ID: m.ID, Scope: "global"},
		"unknown":            {Who: main, ID: "00000000-0000-4000-8000-000000000001"},
	} {
		if _, err := f.Forget(t.Context(), r); FaultOf(err) != FaultNotFound {
			t.Errorf("%s: %v (%s)", name, err, FaultOf(err))
		}
	}
	if _, err := f.Forget(t.Context(), ForgetRequest{Who: main, ID: m.ID, Scope: "agent:other"}); FaultOf(err) != FaultDenied {
		t.Errorf("a denied scope: %v", err)
	}
	if _, err := f.Forget(t.Context(), ForgetRequest{Who: main, ID: " "}); FaultOf(err) != FaultBadParams {
		t.Errorf("nothing named: %v", err)
	}
	if _, err := f.Forget(t.Context(), ForgetRequest{Who: Agent("", "main"), ID: m.ID}); FaultOf(err) != FaultNoAgent {
		t.Errorf("nobody: %v", err)
	}
	// A description in place of an id never deletes, however well it fits.
	a, err := f.Forget(t.Context(), ForgetRequest{Who: main, ID: m.Text})
	if err != nil || a.Action != Candidates || len(a.Candidates) != 1 || f.count() != 2 {
		t.Errorf("a text as id: %+v, %v", a, err)
	}
	a, err = f.Forget(t.Context(), ForgetRequest{Who: main, ID: m.ID[:12] + "..."})
	if err != nil || a.Action != Deleted || a.Memory.ID != m.ID || f.count() != 1 {
		t.Errorf("by prefix: %+v, %v", a, err)
	}
	if _, err := f.Forget(t.Context(), ForgetRequest{Who: main, ID: m.ID}); FaultOf(err) != FaultNotFound {
		t.Errorf("again: %v", err)
	}
}

// A description deletes only what it certainly means.
func TestForgetByDescription(t *testing.T) {
	texts := []string{
		"Mara prefers tea over coffee", "The staging host is svc-billing-eu2", "The office closes at seven",
		"The alarm code of the office is 2214", "Locker 7 belongs to Jonas", "Locker 8 belongs to Jonas", "乌龙茶是我最喜欢的饮料",
	}
	for name, embedding := range map[string]*config.Embedding{"vectors": newProvider(t).embedding(), "keywords": nil} {
		t.Run(name, func(t *testing.T) {
			f := start(t, embedding)
			for _, text := range texts {
				f.keep(text, "fact")
			}
			for _, c := range []struct {
				query, gone string // gone "": nothing
			}{
				{"the office closes at  SEVEN.", "The office closes at seven"},
				{"office closes", ""},
				{"office", ""},
				{"Mara prefers coffee over tea", ""},
				{"the staging host is svc-billing-eu1", ""},
				{"the office closes at eight", ""},
				{"the office does not close at seven", ""},
				{"locker belongs to jonas", ""},
				{"locker 9 belongs to jonas", ""},
				{"Locker 8 belongs to Jonas", "Locker 8 belongs to Jonas"},
				{"the alarm code of the office is 2215", ""},
				{"饮料", ""},
				{"乌龙茶是我最喜欢的饮料", "乌龙茶是我最喜欢的饮料"},
				{"harpsichord lessons", ""},
				{"%", ""}, {"' OR 1=1 --", ""}, {"*", ""},
			} {
				before := f.count()
				a, err := f.Forget(t.Context(), ForgetRequest{Who: main, Query: c.query})
				switch {
				case err != nil:
					t.Errorf("%q: %v", c.query, err)
				case c.gone == "" && (a.Action != Candidates || f.count() != before):
					t.Errorf("%q deleted %q", c.query, a.Memory.Text)
				case c.gone != "" && (a.Action != Deleted || a.Memory.Text != c.gone || f.count() != before-1):
					t.Errorf("%q: %s %q, want %q deleted", c.query, a.Action, a.Memory.Text, c.gone)
				}
			}
			a, err := f.Forget(t.Context(), ForgetRequest{Who: main, Query: "which locker belongs to Jonas"})
			if err != nil || len(a.Candidates) == 0 || a.Candidates[0].Score <= 0 || a.Candidates[0].Reason == "" {
				t.Errorf("candidates: %+v, %v", a.Candidates, err)
			}
			// Two that say the same are no certain one.
			f.keep("Locker 7 belongs to Jonas", "fact")
			if a, err := f.Forget(t.Context(), ForgetRequest{Who: main, Query: "Locker 7 belongs to Jonas"}); err != nil || a.Action != Candidates || len(a.Candidates) < 2 {
				t.Errorf("two of a kind: %+v, %v", a, err)
			}
		})
	}
}

// A provider that answers the same vector for everything makes nothing certain.
func TestForgetWithMeaninglessVectors(t *testing.T) {
	p := newProvider(t)
	constant := "[" + strings.TrimSuffix(strings.Repeat("1,", width), ",") + "]"
	p.set(func(p *fakeProvider) { p.answer = func(string) string { return constant } })
	f := start(t, p.embedding())
	f.keep("The ladder leans on the north wall", "fact")
	for _, query := range []string{"ladder", "the ladder", "something else entirely", "north wall"} {
		if a, err := f.Forget(t.Context(), ForgetRequest{Who: main, Query: query}); err != nil || a.Action != Candidates {
			t.Errorf("%q: %+v, %v", query, a, err)
		}
	}
	if n := f.count(); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}

// Somebody else's memory is neither deleted nor among the candidates.
func TestForgetByDescriptionStaysInReach(t *testing.T) {
	const text = "Alice hides the spare key in the shed"
	f := start(t, nil)
	if _, err := f.Store(t.Context(), StoreRequest{Who: Agent("alice", ""), Text: text}); err != nil {
		t.Fatal(err)
	}
	for _, who := range []Who{main, Agent("system", ""), Agent("undefined", "")} {
		a, err := f.Forget(t.Context(), ForgetRequest{Who: who, Query: text})
		if err != nil || a.Action != Candidates || len(a.Candidates) != 0 || f.count() != 1 {
			t.Errorf("%s: %+v, %v", who, a, err)
		}
	}
	if a, err := f.Forget(t.Context(), ForgetRequest{Who: Agent("alice", ""), Query: text}); err != nil || a.Action != Deleted {
		t.Errorf("alice: %+v, %v", a, err)
	}
}

// E6: a prefix is looked for in the whole table.
func TestPrefixBeyondTheFirstThousand(t *testing.T) {
	f := start(t, nil)
	var rows []memory.Memory
	for i := range 1500 {
		rows = append(rows, row(fmt.Sprintf("%08x-0000-4000-8000-000000000001", i), fmt.Sprintf("Row number %d of many", i), "agent:main"))
	}
	f.put(rows...)
	for _, i := range []int{0, 1200, 1499} {
		gone, err := f.Delete(t.Context(), DeleteRequest{Who: main, ID: fmt.Sprintf("%08x", i)})
		if err != nil || gone.Text != rows[i].Text {
			t.Errorf("row %d: %q, %v", i, gone.Text, err)
		}
	}
	if a := f.update(UpdateRequest{ID: fmt.Sprintf("%08x", 1300), Importance: ptr(1)}); a.Action != Updated {
		t.Errorf("updating: %+v", a)
	}
}

// An old id that is the beginning of another is meant when written in full.
func TestWholeOldIdIsNotAmbiguous(t *testing.T) {
	f := start(t, nil)
	f.put(row("deadbeef01", "The shorter one", "agent:main"), row("deadbeef0102", "The longer one", "agent:main"))
	if m, err := f.Delete(t.Context(), DeleteRequest{Who: main, ID: "deadbeef01"}); err != nil || m.Text != "The shorter one" {
		t.Errorf("deleted %q, %v", m.Text, err)
	}
}
