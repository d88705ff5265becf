package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/archive"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// planted is a word that nobody else says.
const planted = "quixotaph"

// filesWith lists the files beside and in the database that hold a word, in any
// letter case.
func (f *fixture) filesWith(word string) (list []string) {
	f.t.Helper()
	root := filepath.Dir(f.path)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToLower(content), []byte(word)) {
			rel, _ := filepath.Rel(root, path)
			list = append(list, rel)
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return list
}

// backup writes all rows to a file of the backup directory.
func (f *fixture) backup(name string, extra ...memory.Memory) string {
	f.t.Helper()
	page, err := f.List(f.t.Context(), ListRequest{Who: Operator(), Limit: 1000})
	if err != nil {
		f.t.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(f.path), "backups", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		f.t.Fatal(err)
	}
	out, err := archive.Create(path)
	if err != nil {
		f.t.Fatal(err)
	}
	w, err := archive.NewWriter(out, archive.Backup, archive.Header{At: now})
	if err == nil {
		err = w.Write(append(page.Memories, extra...)...)
	}
	if err == nil {
		_, err = w.Finish()
	}
	if err = errors.Join(err, out.Commit()); err != nil {
		f.t.Fatal(err)
	}
	return path
}

func (f *fixture) erase(id string, change ...func(*EraseRequest)) EraseAnswer {
	f.t.Helper()
	r := EraseRequest{Who: Operator(), ID: id}
	for _, c := range change {
		c(&r)
	}
	a, err := f.Erase(f.t.Context(), r)
	if err != nil {
		f.t.Fatalf("erasing %s: %v", id, err)
	}
	return a
}

func whole(r *EraseRequest) { r.Chain = true }

// A sentence is told, changed in place, replaced by a newer version, backed up,
// exported and recalled; then it is erased. No file under the directories has any
// of it, the receipt says so, and everything else still works.
func TestErase(t *testing.T) {
	server := newProvider(t)
	f := start(t, server.embedding())
	ctx := t.Context()
	secret := "Mara keeps the \"" + planted + "\" — a silver one — in the attic"
	a, err := f.Store(ctx, StoreRequest{Who: main, Text: secret, Category: "preferences"})
	if err != nil {
		t.Fatal(err)
	}
	boiler := f.remember("The boiler is serviced in October")
	if _, err := f.Update(ctx, UpdateRequest{Who: main, ID: a.Memory.ID, Importance: new(0.9)}); err != nil {
		t.Fatal(err)
	}
	first := f.backup("memory-backup-2026-03-01.jsonl")
	b, err := f.Update(ctx, UpdateRequest{Who: main, ID: a.Memory.ID, Text: "Mara keeps her things in the cellar"})
	if err != nil || b.Action != Superseded {
		t.Fatal(b.Action, err)
	}
	if !strings.Contains(b.Memory.Metadata.FactKey, planted) {
		t.Fatalf("the key of the newer version is %q", b.Memory.Metadata.FactKey)
	}
	second := f.backup("memory-backup-2026-03-02.jsonl")
	third := filepath.Join(t.TempDir(), "mine.jsonl")
	if content, err := os.ReadFile(second); err != nil || os.WriteFile(third, content, 0o600) != nil {
		t.Fatal(err)
	}
	f.asks("where is the " + planted)
	if got := f.filesWith(planted); len(got) < 4 {
		t.Fatalf("the word is only in %v", got)
	}

	dry := f.erase(a.Memory.ID[:8], func(r *EraseRequest) { r.DryRun = true })
	if dry.Text != secret || !slices.Equal(dry.IDs, []string{a.Memory.ID}) || len(f.table()) != 3 {
		t.Errorf("the dry run: %+v, %d rows", dry, len(f.table()))
	}
	got := f.erase(a.Memory.ID[:8], func(r *EraseRequest) { r.Also = []string{third} })
	if !got.Clean() {
		t.Errorf("found %+v, left %q", got.Found, got.Left)
	}
	receipt := fmt.Sprintf("%+v", got)
	if strings.Contains(receipt, planted) {
		t.Errorf("the receipt repeats it: %s", receipt)
	}
	for _, want := range []string{"1 row, 1 row cleaned", "files written anew", "4 changes"} {
		if !strings.Contains(receipt, want) {
			t.Errorf("the receipt does not say %q: %s", want, receipt)
		}
	}
	for range 2 {
		if left := f.filesWith(planted); len(left) > 0 {
			t.Errorf("the word is still in %v", left)
		}
		rows := f.table()
		if len(rows) != 2 || rows[boiler.Memory.ID].Text == "" || rows[b.Memory.ID].Text != "Mara keeps her things in the cellar" {
			t.Errorf("the rows are %v", rows)
		}
		if got := f.recalled("boiler October"); len(got) != 1 {
			t.Errorf("recalled %q", got)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		f = reopen(t, f.path, server.embedding())
	}
	for path, rows := range map[string]int{first: 1, second: 2, third: 2} {
		report, err := archive.Verify(path)
		if err != nil || report.Rows != rows {
			t.Errorf("%s: %+v, %v", path, report, err)
		}
	}

	// That there was something is still on record; it cannot be put back.
	records := f.history(Operator(), a.Memory.ID).Records
	if said := told(records); len(said) < 3 || !strings.Contains(said[0], "erased") {
		t.Errorf("the record is %v", said)
	}
	if _, err := f.Undo(ctx, UndoRequest{Who: Operator(), Seq: 1, Force: true}); FaultOf(err) != FaultConflict {
		t.Errorf("undoing it: %v", err)
	}
	// What concerns others is as it was, and can be undone.
	if got := f.undo(2); got.Action != Undone {
		t.Errorf("undoing another change: %s", got.Action)
	}
}

// A memory that was deleted long ago is erased from the record, or, when even that
// has nothing, from the backups; a second time there is nothing to do.
func TestEraseOfWhatIsGone(t *testing.T) {
	f := start(t, nil)
	a := f.remember("The " + planted + " is kept in the attic").Memory
	f.remember("The boiler is serviced in October")
	old := memory.Memory{ID: memory.NewID(), Text: "Only a backup knows the " + planted, Scope: "global", Time: now}
	backup := f.backup("memory-backup-2026-03-01.jsonl", old)
	if _, err := f.Delete(t.Context(), DeleteRequest{Who: Operator(), ID: a.ID}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{a.ID, old.ID} {
		if got := f.erase(id); !got.Clean() {
			t.Errorf("found %+v, left %q", got.Found, got.Left)
		}
	}
	if left := f.filesWith(planted); len(left) > 0 {
		t.Errorf("the word is still in %v", left)
	}
	if report, err := archive.Verify(backup); err != nil || report.Rows != 1 {
		t.Errorf("the backup: %+v, %v", report, err)
	}
	// A second time there is nothing to do, and nobody knows what to look for.
	if got := f.erase(a.ID); got.Clean() || len(got.Found) > 0 || len(got.Left) != 1 || !strings.Contains(got.Left[0], "nobody knows") {
		t.Errorf("a second time: found %+v, left %q", got.Found, got.Left)
	}
	if _, err := f.Erase(t.Context(), EraseRequest{Who: Operator(), ID: old.ID}); FaultOf(err) != FaultNotFound {
		t.Errorf("what nobody knows any more: %v", err)
	}
}

// Files of a table that were set aside cannot be searched: while they are there no
// receipt is clean, the first time, later, and when they are named by the caller.
func TestEraseBesideWhatWasSetAside(t *testing.T) {
	f := start(t, nil)
	a := f.remember("The " + planted + " is kept in the attic").Memory
	f.remember("The boiler is serviced in October")
	aside := filepath.Join(f.path, setAside)
	put := func(dir, name string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("\x00packed"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	put(aside, "20260301T000000Z-data/note.json")
	put(aside, "20260301T000000Z-data/data/a.lance")
	elsewhere := filepath.Join(t.TempDir(), setAside)
	put(elsewhere, "20260301T000000Z-table/_versions/a.manifest")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}
	names := func(got EraseAnswer, dir string) bool {
		return slices.ContainsFunc(got.Left, func(s string) bool {
			return strings.Contains(s, "cannot be looked into") && strings.Contains(s, dir) && strings.Contains(s, "doctor --repair")
		})
	}
	for _, c := range []struct {
		name string
		also []string
		dirs []string
	}{
		{"the first time", nil, []string{aside}},
		{"the second time", nil, []string{aside}},
		{"named as well", []string{aside, filepath.Join(aside, "20260301T000000Z-data")}, []string{aside}},
		{"another one by a link", []string{link}, []string{aside, elsewhere}},
	} {
		got := f.erase(a.ID, func(r *EraseRequest) { r.Also = c.also })
		if got.Clean() || slices.ContainsFunc(c.dirs, func(dir string) bool { return !names(got, dir) }) {
			t.Errorf("%s: %q", c.name, got.Left)
		}
	}
	if _, err := f.Erase(t.Context(), EraseRequest{Who: Operator(), ID: a.ID, Also: []string{filepath.Join(aside, "nothing")}}); FaultOf(err) != FaultBadParams {
		t.Errorf("what is not there: %v", err)
	}
	// A note alone holds no rows.
	if err := os.Remove(filepath.Join(aside, "20260301T000000Z-data/data/a.lance")); err != nil {
		t.Fatal(err)
	}
	b := f.remember("The " + planted + " is kept in the cellar").Memory
	if got := f.erase(b.ID); !got.Clean() {
		t.Errorf("found %+v, left %q", got.Found, got.Left)
	}
}

// Another version with the same words is not passed over in silence, another
// memory with them neither; with the whole chain all versions go.
func TestEraseOfAChain(t *testing.T) {
	f := start(t, nil)
	ctx := t.Context()
	say := func(text string) UpdateRequest { return UpdateRequest{Who: main, Text: text} }
	first, err := f.Store(ctx, StoreRequest{Who: main, Text: "Instrument: the " + planted, Category: "preferences"})
	if err != nil {
		t.Fatal(err)
	}
	id := first.Memory.ID
	for _, text := range []string{"Instrument: the lute", "Instrument: the " + planted} {
		r := say(text)
		r.ID = id
		a, err := f.Update(ctx, r)
		if err != nil || a.Action != Superseded {
			t.Fatal(a.Action, err)
		}
		id = a.Memory.ID
	}
	twin, err := f.Store(ctx, StoreRequest{Who: Agent("bob", ""), Text: "Instrument: the " + planted, Category: "preferences"})
	if err != nil || twin.Action != Created {
		t.Fatal(twin.Action, err)
	}
	past, err := f.Store(ctx, StoreRequest{Who: Agent("carol", ""), Text: "I play the " + planted + ", Instrument: the " + planted})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Delete(ctx, DeleteRequest{Who: Operator(), ID: past.Memory.ID}); err != nil {
		t.Fatal(err)
	}
	before := f.table()
	_, err = f.Erase(ctx, EraseRequest{Who: Operator(), ID: id})
	var carried *CarriedError
	if !errors.As(err, &carried) || !slices.Equal(carried.Versions, []string{first.Memory.ID}) || FaultOf(err) != FaultConflict {
		t.Fatalf("one of two: %v", err)
	}
	if diff := cmp.Diff(before, f.table()); diff != "" {
		t.Errorf("a refused erasure changed something\n%s", diff)
	}
	got := f.erase(id, whole)
	if len(got.IDs) != 3 || got.IDs[0] != id {
		t.Errorf("erased %v", got.IDs)
	}
	if got.Clean() || !slices.ContainsFunc(got.Found, func(g EraseFinding) bool { return g.Memory == twin.Memory.ID && !g.Deleted }) {
		t.Errorf("the twin is not named: %+v", got.Found)
	}
	if !slices.ContainsFunc(got.Found, func(g EraseFinding) bool { return g.Memory == past.Memory.ID && g.Deleted }) {
		t.Errorf("the record of another memory is not named: %+v", got.Found)
	}
	if !slices.ContainsFunc(got.Found, func(g EraseFinding) bool { return g.Path != "" && g.Offset > 0 }) {
		t.Errorf("no file is named: %+v", got.Found)
	}
	if rows := f.table(); len(rows) != 1 || rows[twin.Memory.ID].Text != "Instrument: the "+planted {
		t.Errorf("left are %v", rows)
	}
	// They go, and then everything is clean.
	f.erase(past.Memory.ID)
	if got := f.erase(twin.Memory.ID); !got.Clean() || len(f.filesWith(planted)) > 0 {
		t.Errorf("found %+v, left %q, in %v", got.Found, got.Left, f.filesWith(planted))
	}
}

// An agent erases what it can read, and learns nothing of what others keep.
func TestEraseKeepsToScopes(t *testing.T) {
	f := start(t, nil)
	ctx := t.Context()
	alice, bob := Agent("alice", ""), Agent("bob", "")
	a, err := f.Store(ctx, StoreRequest{Who: alice, Text: "The " + planted + " is in the attic"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Store(ctx, StoreRequest{Who: bob, Text: "The " + planted + " is in the attic"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Erase(ctx, EraseRequest{Who: bob, ID: a.Memory.ID}); FaultOf(err) != FaultNotFound {
		t.Errorf("bob erases what is alice's: %v", err)
	}
	got, err := f.Erase(ctx, EraseRequest{Who: alice, ID: a.Memory.ID})
	if err != nil || len(got.Found) > 0 {
		t.Errorf("alice is told %+v, %v", got.Found, err)
	}
	if rows := f.table(); len(rows) != 1 || rows[b.Memory.ID].Text == "" {
		t.Errorf("left are %v", rows)
	}
	if got := told(f.history(bob, b.Memory.ID).Records); len(got) != 1 || strings.Contains(got[0], "erased") {
		t.Errorf("bob's record: %v", got)
	}
}

// Whatever form a text has in a file, it is found, also across the borders of
// what is read at once; a text that only looks like it is not.
func TestSpellings(t *testing.T) {
	text := "Größe: \"48½\" <für> Müller & Söhne\n第二行 🎻"
	once, _ := json.Marshal(text)
	twice, _ := json.Marshal(string(once))
	forms := spellingsOf([]string{text})
	for name, content := range map[string][]byte{
		"as it is":      []byte(text),
		"lower case":    []byte(strings.ToLower(text)),
		"JSON":          once,
		"JSON in JSON":  twice,
		"ASCII JSON":    []byte(asciiOnly(escaped(text, false))),
		"UTF-16":        wideLE(text),
		"UTF-16 turned": swapped(wideLE(text)),
	} {
		for _, before := range []int{0, 1, scanWindow - 7, scanWindow + 3, 3 * scanWindow} {
			file := slices.Concat(bytes.Repeat([]byte{'.'}, before), content, []byte("…"))
			at, form, _, err := find(t.Context(), bytes.NewReader(file), forms)
			if err != nil || form == "" || at < int64(before) || at > int64(before)+3 {
				t.Errorf("%s after %d bytes: found %q at %d, %v", name, before, form, at, err)
			}
		}
	}
	other := strings.Replace(text, "48½", "49½", 1)
	if _, form, _, _ := find(t.Context(), strings.NewReader(other), forms); form != "" {
		t.Errorf("another text was found %s", form)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := find(ctx, strings.NewReader(text), forms); !errors.Is(err, context.Canceled) {
		t.Errorf("after the caller left: %v", err)
	}
}

func wideLE(s string) []byte {
	var b []byte
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			hi, lo := 0xd800+r>>10, 0xdc00+r&0x3ff
			b = append(b, byte(hi), byte(hi>>8), byte(lo), byte(lo>>8))
		} else {
			b = append(b, byte(r), byte(r>>8))
		}
	}
	return b
}

func swapped(b []byte) []byte {
	b = slices.Clone(b)
	for i := 0; i+1 < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	return b
}

// What this process remembers of it is dropped with it, and the vectors it keeps
// between runs.
func TestEraseFromCaches(t *testing.T) {
	server := newProvider(t)
	cache := t.TempDir()
	f := start(t, server.embedding(), func(o *Options) { o.Config.VectorCache = cache })
	text := "The " + planted + " is kept in the attic"
	a, err := f.Store(t.Context(), StoreRequest{Who: Agent("main", "agent:main:chat"), Text: text})
	if err != nil {
		t.Fatal(err)
	}
	f.NoteReceived("agent:main:chat", text)
	f.NoteReceived("agent:main:chat", "something else")
	if got := f.erase(a.Memory.ID); !got.Clean() || !strings.Contains(fmt.Sprintf("%+v", got.Places), "2 vectors") || !strings.Contains(fmt.Sprintf("%+v", got.Places), "2 entries") {
		t.Errorf("%+v", got)
	}
	server.set(func(p *fakeProvider) { p.asked = nil })
	if _, err := f.Store(t.Context(), StoreRequest{Who: main, Text: text}); err != nil {
		t.Fatal(err)
	}
	server.set(func(p *fakeProvider) {
		if !slices.Contains(p.asked, text) {
			t.Errorf("its vector was kept: asked for %q", p.asked)
		}
	})
	if list, _ := f.captures.received.Peek("agent:main:chat"); len(list) != 1 {
		t.Errorf("received is %q", list)
	}
}

// While one process erases another has the database open: it goes on reading and
// writing afterwards, brings nothing back, and sees what was erased as erased.
func TestEraseUnderAnOpenEngine(t *testing.T) {
	f := start(t, nil)
	text := "The " + planted + " is kept in the attic"
	a := f.remember(text).Memory
	f.remember("The boiler is serviced in October")
	if _, err := f.Update(t.Context(), UpdateRequest{Who: main, ID: a.ID, Importance: new(0.9)}); err != nil {
		t.Fatal(err)
	}
	f.asks(planted) // counted, not written yet

	other := reopen(t, f.path, nil)
	if got := other.erase(a.ID); !got.Clean() {
		t.Fatalf("found %+v, left %q", got.Found, got.Left)
	}
	// A question of afterwards is recorded with its words; this one leaves no trace.
	if got, err := f.Explain(t.Context(), RecallRequest{Who: main, Query: planted, Limit: 20}); len(got.Hits) != 0 || err != nil {
		t.Errorf("recalled %q, %v", texts(got), err)
	}
	if got := f.recalled("boiler October"); len(got) != 1 {
		t.Errorf("recalled %q", got)
	}
	f.remember("The invoices are due on Friday")
	if got := told(f.history(main, a.ID).Records); len(got) != 3 || strings.Count(strings.Join(got, ""), "erased") != 3 {
		t.Errorf("its record is %q", got)
	}
	if err := errors.Join(other.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	f = reopen(t, f.path, nil)
	if rows := f.table(); len(rows) != 2 {
		t.Errorf("the rows are %v", rows)
	}
	if left := f.filesWith(planted); len(left) > 0 {
		t.Errorf("the word is in %v", left)
	}
}
