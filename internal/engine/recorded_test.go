package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/recalls"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// entries are the recorded recalls, newest first, once there are so many.
func (f *fixture) entries(n int) (list []recalls.Entry) {
	f.t.Helper()
	eventually(f.t, "recalls are written", func() bool {
		var err error
		if list, err = f.Recorded(f.t.Context(), RecordedRequest{Who: Operator(), Limit: 500}); err != nil {
			f.t.Fatal(err)
		}
		return len(list) >= n
	})
	if len(list) != n {
		f.t.Fatalf("%d recalls are recorded, want %d", len(list), n)
	}
	return list
}

func TestRecallsAreRecorded(t *testing.T) {
	clock, ticking := ticking()
	f := start(t, nil, ticking)
	id := f.remember("The train to Bergen leaves from gate nine").Memory.ID
	far := f.remember("The boiler in Bergen is serviced in October, says the calendar on the wall beside it").Memory.ID
	hidden := memory.Narrow{HideArchived: true}
	if _, err := f.Recall(t.Context(), RecallRequest{
		Who: main, Query: "gate of the train to Bergen", Limit: 5, Source: retrieve.SourceManual, Narrow: hidden, Without: map[string]string{"x": "shown"},
	}); err != nil {
		t.Fatal(err)
	}
	clock.at = clock.at.Add(time.Second)
	f.recall("zzz", 3)
	// None of these is a recall.
	f.recall("?!", 3)
	_, _ = f.Recall(t.Context(), RecallRequest{Who: main, Query: "tea", Category: "beverages"})
	_, _ = f.Recall(t.Context(), RecallRequest{Query: "tea"})
	_, _ = f.Explain(t.Context(), RecallRequest{Who: main, Query: "gate"})

	list := f.entries(2)
	empty, full := list[0], list[1]
	if len(empty.Hits) != 0 || empty.Query != "zzz" || !empty.At.Equal(now.Add(time.Second)) {
		t.Errorf("the empty one: %+v", empty)
	}
	if len(full.Hits) == 0 || full.Hits[0].ID != id || full.Source != "manual" || full.Agent != "main" || full.Version == 0 || len(full.Config) != 12 ||
		full.Narrow == nil || !full.Narrow.HideArchived || full.Without["x"] != "shown" || full.Took <= 0 || len(full.Stages) == 0 || full.Mode != "keyword" {
		t.Errorf("the full one: %+v", full)
	}
	if !slices.Contains(full.Dropped, far) {
		t.Errorf("the dropped one is not named: %+v", full)
	}
	text, err := os.ReadFile(filepath.Join(f.path, ".memory-pro.recalls.jsonl"))
	if err != nil || strings.Contains(string(text), "gate nine") {
		t.Errorf("the record holds a memory's text: %v", err)
	}
	// An agent sees its own.
	if _, err := f.Recall(t.Context(), RecallRequest{Who: Agent("bob", ""), Query: "gate"}); err != nil {
		t.Fatal(err)
	}
	f.entries(3)
	if own, err := f.Recorded(t.Context(), RecordedRequest{Who: Agent("bob", "")}); len(own) != 1 || err != nil {
		t.Errorf("bob sees %d, %v", len(own), err)
	}
}

// A process that ends at once records as well: Close waits for what is held.
func TestOneShotRecallsAreRecorded(t *testing.T) {
	f := start(t, nil)
	f.remember("The train to Bergen leaves from gate nine")
	for range 3 {
		once := reopen(t, f.path, nil, func(o *Options) { o.OneShot = true })
		once.recall("gate", 3)
		if err := once.Close(); err != nil {
			t.Fatal(err)
		}
	}
	f.entries(3)
}

// Recording is never in the way: what does not fit is dropped, and a record that
// cannot be written costs a recall nothing.
func TestRecordingUnderPressure(t *testing.T) {
	f := start(t, nil)
	f.remember("The train to Bergen leaves from gate nine")
	n := &f.recalls
	n.mu.Lock()
	n.running = true // nobody writes
	n.mu.Unlock()
	for range recallsHeld + 5 {
		f.recall("gate", 3)
	}
	n.mu.Lock()
	if len(n.held) != recallsHeld || n.lost != 5 {
		t.Errorf("%d held, %d lost", len(n.held), n.lost)
	}
	n.held, n.running = nil, false
	n.mu.Unlock()

	if err := os.Mkdir(filepath.Join(f.path, ".memory-pro.recalls.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := f.recalled("gate"); len(got) != 1 {
		t.Errorf("recalled %q", got)
	}
	eventually(t, "the loss is counted", func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.lost == 6
	})
}

// recallLog: false keeps nothing, and deletes what there was.
func TestNoRecordIsKept(t *testing.T) {
	f := start(t, nil)
	f.remember("The train to Bergen leaves from gate nine")
	f.recall("gate", 3)
	f.entries(1)
	off := reopen(t, f.path, nil, func(o *Options) { o.Config.RecallLog = false })
	off.recall("gate", 3)
	eventually(t, "the record is gone", func() bool {
		list, err := off.Recorded(t.Context(), RecordedRequest{Who: Operator()})
		return len(list) == 0 && err == nil
	})
	off.recall("gate", 3)
	s, err := off.Stats(t.Context(), StatsRequest{Who: Operator()})
	if err != nil || s.Recorded != nil || s.Recalls.Recalls != 2 {
		t.Errorf("stats %+v, %v", s.Recalls, err)
	}
}

// An erasure takes along every recall that had to do with the memory, also those
// that only asked for it, and those that wait to be written.
func TestEraseTakesRecallsAlong(t *testing.T) {
	f := start(t, nil)
	id := f.remember("The garage of Mara opens with the code 80-417").Memory.ID
	f.remember("The boiler is serviced in October")
	gone := []string{
		"what opens the garage",   // finds it
		"80-417",                  // finds it
		"is 417 the bus to Mara",  // a number of it
		"the garage code of Mara", // its words
	}
	for _, query := range append([]string{"when is the boiler serviced", "weather in Oslo"}, gone...) {
		f.recall(query, 3)
	}
	// It was looked at, and shown in the session, but not found: the question tells
	// nothing of it.
	if _, err := f.Recall(t.Context(), RecallRequest{
		Who: main, Query: "when does the boiler man open his shop, at eight or rather at nine", Limit: 3, Without: map[string]string{id: "repeated"},
	}); err != nil {
		t.Fatal(err)
	}
	if newest := f.entries(7)[0]; newest.Found(id) || !slices.Contains(newest.Dropped, id) {
		t.Fatalf("not only looked at: %+v", newest)
	}
	n := &f.recalls
	n.mu.Lock()
	n.running = true
	n.mu.Unlock()
	f.recall("garage code", 3) // held
	if got := f.erase(id); !got.Clean() {
		t.Fatalf("found %+v, left %q", got.Found, got.Left)
	}
	n.mu.Lock()
	if len(n.held) != 0 {
		t.Errorf("held: %+v", n.held)
	}
	n.running = false
	n.mu.Unlock()
	var left []string
	for _, e := range f.entries(3) {
		left = append(left, e.Query)
	}
	slices.Sort(left)
	if want := []string{"weather in Oslo", "when does the boiler man open his shop, at eight or rather at nine", "when is the boiler serviced"}; !slices.Equal(left, want) {
		t.Errorf("left are %q", left)
	}
	// Not even its id is left in the record of recalls.
	text, err := os.ReadFile(filepath.Join(f.path, ".memory-pro.recalls.jsonl"))
	if err != nil || strings.Contains(string(text), id) {
		t.Errorf("the id is still there, or %v", err)
	}
	// Numbers of three digits are also in names of files and versions by chance.
	for _, word := range []string{"code 80-417", `"80-417"`, "bus to Mara", "garage"} {
		if files := f.filesWith(word); len(files) > 0 {
			t.Errorf("%s is in %v", word, files)
		}
	}
}

// A recall that is just being written when an erasure begins is taken out, too, and
// the vector of its question is forgotten.
func TestEraseWaitsForWhatIsBeingWritten(t *testing.T) {
	server := newProvider(t)
	f := start(t, server.embedding(), func(o *Options) { o.Config.VectorCache = t.TempDir() })
	id := f.remember("The garage of Mara opens with the code 80-417").Memory.ID
	const question = "what opens the garage of Mara"
	n := &f.recalls
	n.writing.Lock() // the writer stands before the disk, an erasure behind it
	f.recall(question, 3)
	erased := make(chan EraseAnswer)
	go func() { erased <- f.erase(id) }()
	n.writing.Unlock()
	if got := <-erased; !got.Clean() {
		t.Fatalf("found %+v, left %q", got.Found, got.Left)
	}
	n.writing.Lock() // whoever wrote is done
	files := f.filesWith("garage")
	n.writing.Unlock()
	if len(files) > 0 {
		t.Errorf("the question is in %v", files)
	}
	server.set(func(p *fakeProvider) { p.asked = nil })
	f.recall(question, 3)
	server.set(func(p *fakeProvider) {
		if !slices.Contains(p.asked, question) {
			t.Errorf("the vector of the question was kept: asked for %q", p.asked)
		}
	})
}

func TestWhatAQuestionRepeats(t *testing.T) {
	x := &erasure{lower: []string{"the code of the safe is 7741", "車庫の暗証番号は月曜日に変わる"}}
	for question, want := range map[string]bool{
		"The code of the safe is 7741, is it not?": true,
		"safe is 7741":                         true,
		"who lives in 7741 elm street":         true,
		"code safe":                            true,
		"where is the safe kept":               true, // the, safe
		"暗証番号":                                 true,
		"月曜日に変わる":                              true,
		"weather in Oslo":                      false,
		"what does the invoice of October say": false,
		"天気はどうですか":                             false,
		"":                                     false,
		"where do we meet for lunch on that safe": false,
	} {
		if got := x.asked(question); got != want {
			t.Errorf("%q: %t", question, got)
		}
	}
}
