package journal

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestAnEntryComesBackAsItWas(t *testing.T) {
	nan := float32(math.Float32frombits(0x7fc00001))
	for name, want := range map[string]Entry{
		"empty":       {},
		"who":         {Actor: "tool", Agent: "main", Session: "s-1", Operation: "store"},
		"create":      {Changes: []Change{{ID: "a", After: &Row{ID: "a", Text: "x", Category: "fact", Scope: "global", Importance: 0.7, Time: 1764504000000, Metadata: `{"k":"v"}`, Vector: []float32{0, -1, math.MaxFloat32, math.SmallestNonzeroFloat32}}}}},
		"delete":      {Changes: []Change{{ID: "a", Before: &Row{ID: "a", Text: "x", Vector: []float32{float32(math.Inf(1)), nan}}}}},
		"no vector":   {Changes: []Change{{ID: "a", Before: &Row{ID: "a"}, After: &Row{ID: "a", Text: "y"}}}},
		"many":        {Changes: []Change{{ID: "a"}, {ID: "b"}, {ID: "c"}}},
		"odd text":    {Changes: []Change{{ID: "a", After: &Row{Text: "<b>\x00\n\"{\"seq\":1\u2028 日本 🦊 & \\"}}}},
		"no number":   {Changes: []Change{{ID: "a", After: &Row{Importance: math.NaN()}}}},
		"beyond":      {Changes: []Change{{ID: "a", After: &Row{Importance: math.Inf(-1), Time: math.MinInt64}}}},
		"exact":       {Changes: []Change{{ID: "a", After: &Row{Importance: 0.1 + 0.2, Time: math.MaxInt64}}}},
		"long":        {Changes: []Change{{ID: "a", After: &Row{Text: strings.Repeat("lang ", 40_000)}}}},
		"html inside": {Operation: "<&>"},
	} {
		t.Run(name, func(t *testing.T) {
			j := open(t, t.TempDir(), quiet())
			given := want
			if err := j.Append(&given); err != nil {
				t.Fatal(err)
			}
			want.Seq, want.At, want.Boot = 1, epoch, "boot-1"
			for got, err := range j.Since(0) {
				if err != nil {
					t.Fatal(err)
				}
				opts := cmp.Options{cmpopts.EquateEmpty(), cmp.Comparer(sameBits), cmp.Comparer(sameNumber)}
				if diff := cmp.Diff(want, got.Entry, opts); diff != "" {
					t.Errorf("read back (-want +got):\n%s", diff)
				}
			}
			if given.Seq != 1 || !given.At.Equal(epoch) || given.Boot != "boot-1" {
				t.Errorf("Append left %d %v %q in the entry", given.Seq, given.At, given.Boot)
			}
		})
	}
}

func sameNumber(a, b float64) bool { return a == b || (math.IsNaN(a) && math.IsNaN(b)) }

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

func TestOpeningMakesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	j := open(t, dir, quiet())
	if got := catch(t, j); len(got) > 0 {
		t.Errorf("Catch on nothing: %v", got)
	}
	if got := since(t, j, 0); len(got) > 0 {
		t.Errorf("Since on nothing: %v", got)
	}
	if got := newest(t, j); len(got) > 0 {
		t.Errorf("Newest on nothing: %v", got)
	}
	st, err := j.Stats()
	if err != nil || st != (Stats{Dir: dir}) {
		t.Errorf("Stats on nothing: %+v, %v", st, err)
	}
	if m, err := j.Checkpointed(); err != nil || m != (Mark{}) {
		t.Errorf("Checkpointed on nothing: %+v, %v", m, err)
	}
	if n, err := j.Rewrite(func(*Entry) bool { return true }); n != 0 || err != nil {
		t.Errorf("Rewrite on nothing: %d, %v", n, err)
	}
	if err := errors.Join(j.Trim(), j.Cancel(1), j.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a directory was made before the first entry: %v", err)
	}
	add(t, j, "a")
	for _, path := range []string{dir, segmentFiles(t, dir)[0]} {
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v", path, fi.Mode())
		}
	}
}

func TestAFileInTheWayIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	write(t, path, nil)
	if _, err := Open(path, quiet()); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Open on a file: %v", err)
	}
}

func TestWhatIsUndoneIsHandedToTheNextHolder(t *testing.T) {
	for _, bytes := range []int64{1, 600, 4 << 20} { // a segment each, a few, one
		dir := t.TempDir()
		o := quiet()
		o.SegmentBytes = bytes
		a, b := open(t, dir, o), open(t, dir, o)
		add(t, a, "one", "two")
		add(t, a, "three")
		if diff := cmp.Diff([]string{"1 one", "2 two", "3 three"}, catch(t, b)); diff != "" {
			t.Errorf("%d: first holder after (-want +got):\n%s", bytes, diff)
		}
		if err := b.Done(2, 7); err != nil {
			t.Fatal(err)
		}
		add(t, b, "four")
		want := []string{"3 three", "4 four"}
		for name, j := range map[string]*Journal{"same": b, "other": a, "fresh": open(t, dir, o)} {
			if diff := cmp.Diff(want, catch(t, j)); diff != "" {
				t.Errorf("%d: %s process (-want +got):\n%s", bytes, name, diff)
			}
		}
		if err := a.Done(4, 8); err != nil {
			t.Fatal(err)
		}
		for name, j := range map[string]*Journal{"same": a, "other": b, "fresh": open(t, dir, o)} {
			if got := catch(t, j); len(got) > 0 {
				t.Errorf("%d: %s process is handed %v again", bytes, name, got)
			}
		}
		if diff := cmp.Diff([]string{"1 one v7", "2 two v7", "3 three v8", "4 four v8"}, since(t, a, 0)); diff != "" {
			t.Errorf("%d: Since (-want +got):\n%s", bytes, diff)
		}
		if diff := cmp.Diff([]string{"4 four v8", "3 three v8", "2 two v7", "1 one v7"}, newest(t, a)); diff != "" {
			t.Errorf("%d: Newest (-want +got):\n%s", bytes, diff)
		}
		if diff := cmp.Diff([]string{"3 three v8", "4 four v8"}, since(t, b, 2)); diff != "" {
			t.Errorf("%d: Since 2 (-want +got):\n%s", bytes, diff)
		}
	}
}

func TestCancelTakesBack(t *testing.T) {
	for _, bytes := range []int64{1, 600, 4 << 20} {
		dir := t.TempDir()
		o := quiet()
		o.SegmentBytes = bytes
		a, b := open(t, dir, o), open(t, dir, o)
		add(t, a, "kept")
		if err := a.Done(1, 3); err != nil {
			t.Fatal(err)
		}
		catch(t, a)
		before := contents(t, dir)
		for range 3 {
			add(t, a, "x", "y")
			add(t, a, "z")
			if err := a.Cancel(2); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Errorf("%d: the files are not as before:\n%s", bytes, diff)
			}
		}
		if got := a.Last(); got != 1 {
			t.Errorf("%d: the last is %d", bytes, got)
		}
		add(t, a, "u")
		add(t, a, "v")
		if got := a.Last(); got != 3 {
			t.Errorf("%d: the last is %d", bytes, got)
		}
		if err := a.Cancel(3); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"2 u"}, catch(t, b)); diff != "" {
			t.Errorf("%d: other process (-want +got):\n%s", bytes, diff)
		}
		if got := add(t, b, "w"); got != 3 {
			t.Errorf("%d: the number of what was taken back is used for the next, got %d", bytes, got)
		}
		if diff := cmp.Diff([]string{"1 kept v3", "2 u v0", "3 w v0"}, since(t, a, 0)); diff != "" {
			t.Errorf("%d: Since (-want +got):\n%s", bytes, diff)
		}
	}
}

// contents is every segment that has frames, with its bytes.
func contents(t testing.TB, dir string) map[string]string {
	all := map[string]string{}
	for _, path := range segmentFiles(t, dir) {
		if b := string(read(t, path)); b != magic {
			all[filepath.Base(path)] = b
		}
	}
	return all
}

func TestCancelKeepsWhatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, quiet()), open(t, dir, quiet())
	add(t, a, "of a", "done")
	catch(t, b)
	if err := b.Cancel(1); err == nil {
		t.Error("an entry of another holder was taken back")
	}
	if err := b.Done(2, 1); err != nil {
		t.Fatal(err)
	}
	add(t, b, "of b")
	if err := b.Done(3, 2); err != nil {
		t.Fatal(err)
	}
	if err := b.Cancel(3); err == nil {
		t.Error("a done entry was taken back")
	}
	if err := b.Cancel(4); err != nil {
		t.Errorf("taking back nothing: %v", err)
	}
	if err := b.Done(9, 3); err == nil {
		t.Error("an entry that does not exist is done")
	}
	if diff := cmp.Diff([]string{"1 of a v1", "2 done v1", "3 of b v2"}, since(t, a, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWritingWithoutTheLockIsRefused(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, quiet()), open(t, dir, quiet())
	add(t, a, "one")
	catch(t, b)
	add(t, b, "two")
	if err := a.Append(entry("three")); !errors.Is(err, ErrNotHeld) {
		t.Errorf("Append beside another writer: %v", err)
	}
	catch(t, a)
	add(t, a, "three")
	if diff := cmp.Diff([]string{"1 one v0", "2 two v0", "3 three v0"}, since(t, a, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStats(t *testing.T) {
	dir := t.TempDir()
	o := quiet()
	o.SegmentBytes = 500
	j := open(t, dir, o)
	for range 10 {
		add(t, j, "x")
	}
	if err := j.Checkpoint(Mark{Seq: 4, Version: 2}); err != nil {
		t.Fatal(err)
	}
	var size int64
	for _, c := range contents(t, dir) {
		size += int64(len(c))
	}
	got, err := open(t, dir, o).Stats()
	want := Stats{Dir: dir, Segments: len(segmentFiles(t, dir)), Bytes: size, First: 1, Last: 10, Checkpoint: Mark{Seq: 4, Version: 2, Boot: "boot-1", At: epoch}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Stats %v (-want +got):\n%s", err, diff)
	}
	if got.Segments < 3 {
		t.Errorf("%d segments of 500 bytes for 10 entries", got.Segments)
	}
}
