package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRewriteErases(t *testing.T) {
	dir := t.TempDir()
	o := quiet()
	o.SegmentBytes = 900
	a, b := open(t, dir, o), open(t, dir, o)
	for i := 1; i <= 12; i++ {
		text := fmt.Sprintf("e%d", i)
		if i%5 == 0 {
			text = "the secret"
		}
		add(t, a, text)
		if i < 12 {
			if err := a.Done(uint64(i), int64(100+i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	catch(t, b)
	before := contents(t, dir)
	var during []string
	erase := func(e *Entry) bool {
		if e.Operation != "the secret" {
			return false
		}
		e.Seq, e.Operation, e.Changes = 77, Erased, nil
		return true
	}
	for r, err := range b.Since(0) {
		if r.Seq == 4 {
			n, err := a.Rewrite(erase)
			if n != 2 || err != nil {
				t.Fatalf("Rewrite: %d, %v", n, err)
			}
		}
		during = append(during, say(t, r, err))
	}
	if len(during) != 12 || strings.Contains(strings.Join(during, ""), "hole") {
		t.Errorf("a reader meanwhile saw %v", during)
	}
	unchanged := 0
	for name, c := range contents(t, dir) {
		if strings.Contains(c, "secret") {
			t.Errorf("%s still holds it", name)
		}
		if c == before[name] {
			unchanged++
		}
	}
	if unchanged != len(before)-2 {
		t.Errorf("%d of %d segments were left alone, want all but 2", unchanged, len(before))
	}
	want := []string{"1 e1 v101", "2 e2 v102", "3 e3 v103", "4 e4 v104", "5 [erased] v105", "6 e6 v106", "7 e7 v107", "8 e8 v108", "9 e9 v109", "10 [erased] v110", "11 e11 v111", "12 e12 v0"}
	if diff := cmp.Diff(want, since(t, b, 0)); diff != "" {
		t.Errorf("Since (-want +got):\n%s", diff)
	}
	// Both go on, the one that did it and the one whose file was replaced.
	for i, j := range []*Journal{b, a, b} {
		if diff := cmp.Diff("12 e12", catch(t, j)[0]); diff != "" {
			t.Errorf("undone (-want +got):\n%s", diff)
		}
		if got := add(t, j, "more"); got != uint64(13+i) {
			t.Errorf("next number %d", got)
		}
	}
	if n, err := a.Rewrite(erase); n != 0 || err == nil {
		// a does not hold the lock: b appended since its last Catch.
		t.Errorf("Rewrite beside another holder: %d, %v", n, err)
	}
	catch(t, a)
	if n, err := a.Rewrite(erase); n != 0 || err != nil {
		t.Errorf("a second time: %d, %v", n, err)
	}
}

// What a failing disk kept of an entry although it was replaced, and what became
// unreadable, can hold what is to be erased.
func TestRewriteLeavesNoOtherBytes(t *testing.T) {
	m := newMemFS()
	o := quiet()
	o.files = m
	j := open(t, memDir, o)
	add(t, j, "one")
	m.fail = func(op, _ string) error {
		if op == "sync" || op == "truncate" {
			return pickErrno(3)
		}
		return nil
	}
	if err := j.Append(entry("the secret")); !errors.Is(err, ErrInDoubt) {
		t.Fatal(err)
	}
	m.fail = nil
	add(t, j, "instead")
	add(t, j, "damaged secret")
	add(t, j, "last")
	for _, f := range m.names {
		if i := strings.Index(string(f.data), "damaged secret"); i > 0 {
			f.data[i] ^= 1
		}
	}
	if got := since(t, j, 0); len(got) != 4 || got[2] != "hole" {
		t.Fatal(got)
	}
	if n, err := j.Rewrite(func(*Entry) bool { return false }); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	for path, f := range m.names {
		if strings.Contains(string(f.data), "secret") {
			t.Errorf("%s still holds it", path)
		}
	}
	if diff := cmp.Diff([]string{"1 one v0", "2 instead v0", "4 last v0"}, since(t, j, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := add(t, j, "next"); got != 5 {
		t.Errorf("next number %d", got)
	}
}

func TestRewriteOfTheNewestSegmentIsSeenByOthers(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, quiet()), open(t, dir, quiet())
	add(t, a, "secret", "two")
	catch(t, b)
	long := strings.Repeat("longer ", 50)
	if _, err := a.Rewrite(func(e *Entry) bool { e.Operation = long; return e.Seq == 1 }); err != nil {
		t.Fatal(err)
	}
	if got := add(t, a, "three"); got != 3 {
		t.Errorf("next number %d", got)
	}
	if diff := cmp.Diff([]string{"1 " + long, "2 two", "3 three"}, catch(t, b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatARewriteLeftHalfMadeIsRemoved(t *testing.T) {
	dir := t.TempDir()
	add(t, open(t, dir, quiet()), "one")
	temp := segmentFiles(t, dir)[0] + tempSuffix
	note := filepath.Join(dir, checkpointName+tempSuffix) // somebody may be writing it
	write(t, temp, []byte("half"))
	write(t, note, []byte("half"))
	if diff := cmp.Diff([]string{"1 one"}, catch(t, open(t, dir, quiet()))); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(temp); !os.IsNotExist(err) {
		t.Errorf("half a segment is still there: %v", err)
	}
	if _, err := os.Stat(note); err != nil {
		t.Error(err)
	}
}
