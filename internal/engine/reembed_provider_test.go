package engine

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// manyRows are rows with vectors of another model.
func manyRows(n int) []memory.Memory {
	old := &ofWidth{name: "old", width: 96}
	ms := make([]memory.Memory, n)
	for i := range ms {
		text := fmt.Sprintf("The zylophrast%d hangs in room%d", i, i)
		ms[i] = memory.Memory{
			ID: memory.DerivedID("provider", fmt.Sprint(i)), Text: text, Vector: old.vector(text), Category: "fact", Scope: "global",
			Importance: 0.5, Time: now, Metadata: memory.NewMetadata(text, memory.Cases, memory.SourceManual, now),
		}
	}
	return ms
}

// A provider that refuses or answers nonsense, from the first request or from the
// middle on, takes no vector away: the run ends before the table is exchanged, with
// the cause told once.
func TestReembedKeepsTheOldVectorsUnlessThereAreNewOnes(t *testing.T) {
	list := func(one string, n int) string { return "[" + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + "]" }
	for name, broken := range map[string]func(*fakeProvider){
		"wrong width":   func(p *fakeProvider) { p.answer = func(string) string { return list("0.5", width+8) } },
		"zeros":         func(p *fakeProvider) { p.answer = func(string) string { return list("0", width) } },
		"not a number":  func(p *fakeProvider) { p.answer = func(string) string { return list("NaN", width) } },
		"nothing in it": func(p *fakeProvider) { p.answer = func(string) string { return "[]" } },
		"no JSON":       func(p *fakeProvider) { p.answer = func(string) string { return "<<" } },
		"key refused":   func(p *fakeProvider) { p.status = http.StatusUnauthorized },
		"bad request":   func(p *fakeProvider) { p.status = http.StatusBadRequest },
		"limited":       func(p *fakeProvider) { p.status = http.StatusTooManyRequests },
		"down":          func(p *fakeProvider) { p.status = http.StatusInternalServerError },
	} {
		for _, good := range []int{0, 40} {
			t.Run(fmt.Sprintf("%s after %d", name, good), func(t *testing.T) {
				f := start(t, nil, (&ofWidth{name: "old", width: 96}).oneShot)
				f.put(manyRows(90)...)
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
				p := newProvider(t)
				f = reopen(t, f.path, p.embedding(), func(o *Options) { o.OneShot = true })
				if good == 0 {
					broken(p)
				}
				_, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator(), Batch: 10, Progress: func(done, _ int) {
					if done == good {
						p.set(broken)
					}
				}})
				var stopped *ReembedStoppedError
				if !errors.As(err, &stopped) || stopped.Done != good {
					t.Fatalf("%v", err)
				}
				if fault := FaultOf(err); fault != FaultProvider && fault != FaultBadVector {
					t.Errorf("%s: %v", fault, err)
				}
				if n := len(p.asked); n > good+40 {
					t.Errorf("%d texts were asked for", n)
				}
				for _, m := range f.all() {
					if len(m.Vector) != 96 {
						t.Fatalf("%q has %d numbers", m.Text, len(m.Vector))
					}
				}
				p.set(func(p *fakeProvider) { p.status, p.answer = 0, nil })
				f.askedAgain()
				done, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator()})
				if err != nil || !done.Complete || done.Pending != 0 || done.Kept != good || done.Embedded != 90-good {
					t.Errorf("afterwards: %+v, %v", done, err)
				}
			})
		}
	}
}

// A provider that works and would not embed many texts is not one text's matter.
func TestReembedOfTooManyRefused(t *testing.T) {
	f := start(t, nil, (&ofWidth{name: "old", width: 96}).oneShot)
	f.put(manyRows(90)...)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	p := newProvider(t)
	refuse := func(part string) {
		p.set(func(p *fakeProvider) {
			p.answer = func(text string) string {
				if strings.Contains(text, part) {
					return "[]"
				}
				return ""
			}
		})
	}
	refuse("zylophrast")
	f = reopen(t, f.path, p.embedding(), func(o *Options) { o.OneShot = true })
	if _, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator()}); FaultOf(err) != FaultBadVector {
		t.Errorf("all: %v", err)
	}
	refuse("5") // 18 of 90 have a 5 in it
	done, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator()})
	if err != nil || done.Pending != 18 || !done.Refused || done.PendingBecause != "" || len(done.Waiting) != 18 || done.Waiting[0].Reason == "" {
		t.Errorf("a few: %+v, %v", done, err)
	}
	// Those wait, and hold up nobody; the next run says the same.
	if done, err = f.Reembed(t.Context(), ReembedRequest{Who: Operator()}); err != nil || done.Pending != 18 || !done.Refused {
		t.Errorf("again: %+v, %v", done, err)
	}
	noted := func() (n int) {
		for _, m := range f.rows() {
			if strings.Contains(m.Metadata.EmbeddingProblem, "the vector is empty") {
				n++
			}
		}
		return n
	}
	if n := noted(); n != 18 {
		t.Errorf("%d rows say why they have no vector", n)
	}
	if x, err := f.Examine(t.Context()); err != nil || x.Pending != 18 || len(x.Refused) == 0 || !strings.Contains(x.Refused[0].Why, "the vector is empty") {
		t.Errorf("examined: %+v, %v", x, err)
	}
	p.set(func(p *fakeProvider) { p.answer, p.status = nil, http.StatusUnauthorized })
	if done, err = f.Reembed(t.Context(), ReembedRequest{Who: Operator()}); err != nil || !strings.Contains(done.PendingBecause, "refused the key") {
		t.Errorf("a refused key: %+v, %v", done, err)
	}
	p.set(func(p *fakeProvider) { p.status = 0 })
	if done, err = f.Reembed(t.Context(), ReembedRequest{Who: Operator()}); err != nil || done.Pending != 0 || noted() != 0 {
		t.Errorf("in the end: %+v, %v; %d rows", done, err, noted())
	}
}

// Of a source again, what was changed here since stays, unless it is to be replaced.
func TestReembedFromSourceAgain(t *testing.T) {
	f := start(t, nil, (&ofWidth{name: "old", width: 96}).oneShot)
	was := manyRows(3)
	f.put(was...)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	to := reopen(t, t.TempDir()+"/to", nil, (&ofWidth{name: "new", width: 64}).oneShot)
	r := ReembedRequest{Who: Operator(), Source: f.path}
	if done, err := to.Reembed(t.Context(), r); err != nil || !done.Complete {
		t.Fatalf("%+v, %v", done, err)
	}
	const edited = "The zylophrast1 was moved to the attic"
	if _, err := to.Update(t.Context(), UpdateRequest{Who: Operator(), ID: was[1].ID, Text: edited}); err != nil {
		t.Fatal(err)
	}
	done, err := to.Reembed(t.Context(), r)
	if err != nil || !done.Complete || done.Import.Replaced != 0 || done.Import.Differing != 1 || to.all()[edited].ID != was[1].ID {
		t.Errorf("again: %+v, %v", done.Import, err)
	}
	r.Replace = true
	if done, err = to.Reembed(t.Context(), r); err != nil || done.Import.Replaced != 1 || to.all()[edited].ID != "" {
		t.Errorf("replacing: %+v, %v", done.Import, err)
	}
	r.Source = ""
	if _, err := to.Reembed(t.Context(), r); FaultOf(err) != FaultBadParams {
		t.Errorf("without a source: %v", err)
	}
}

// A dry run counts what an interrupted one has done, and of two at once the second is
// told that the database is busy.
func TestReembedLeft(t *testing.T) {
	f := start(t, nil, (&ofWidth{name: "old", width: 96}).oneShot)
	f.put(manyRows(30)...)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f = reopen(t, f.path, nil, (&ofWidth{name: "new", width: 64}).oneShot)
	if _, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator(), Limit: 12}); err != nil {
		t.Fatal(err)
	}
	if done, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator(), DryRun: true}); err != nil || done.Kept != 12 || done.Left != 18 {
		t.Errorf("%+v, %v", done, err)
	}
	// What is done is found by its vector, and the search does not say otherwise.
	if a := f.recall("The zylophrast1 hangs in room1", 20); len(a.Degraded) != 1 || !a.Degraded[0].Partly ||
		strings.Contains(a.Degraded[0].Reason, "only; run") || !slices.ContainsFunc(a.Hits, func(h retrieve.Hit) bool { return h.Vector != nil }) {
		t.Errorf("meanwhile: %+v", a.Degraded)
	}
	other, err := f.database().Reembed()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator()}); !errors.Is(err, store.ErrReembedding) || FaultOf(err) != FaultStoreBusy {
		t.Errorf("two at once: %v (%s)", err, FaultOf(err))
	}
}
