package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// TestPowerCutHoles: what was not durable when the machine went down is not used
// at all, however whole it looks, and the journal brings it back.
func TestPowerCutHoles(t *testing.T) {
	noHandlesLeft(t)
	boot := func(name string) func(*Options) { return func(o *Options) { o.Boot = name } }
	dir := t.TempDir()
	s := open(t, dir, boot("one"))
	insert(t, s, numbered("durable %d", 3)...)
	if err := s.checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.durable.after = func(time.Duration, func()) func() bool { return func() bool { return true } }
	insert(t, s, numbered("acknowledged %d", 3)...)
	cut := damaged{dir: t.TempDir()}
	if err := os.CopyFS(cut.dir, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	// The newest file keeps its length and its end, and loses its beginning.
	head := headOf(t, cut.dir)
	file := head.Fragments[len(head.Fragments)-1].Files[0].Path
	f, err := os.OpenFile(filepath.Join(cut.table(), file), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, 500), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	after := open(t, cut.dir, boot("two"))
	if n := total(t, after); n != 6 {
		t.Errorf("%d memories, want 6", n)
	}
	err = after.Each(t.Context(), everyone(), memory.Narrow{}, true, func(ms []memory.Memory) error {
		for _, m := range ms {
			if len(m.Vector) != width || m.Vector[0] != vec(m.Text)[0] {
				t.Errorf("%q has the vector %v", m.Text, m.Vector)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	a := cut.aside(t)
	if a.What != "uncertain" || a.Version != head.Number || a.Unsure || a.Rows != 0 {
		t.Errorf("%+v", a)
	}
	// Others that open it later find it looked after, whatever is not durable yet.
	insert(t, after, mem("stored after the power cut"))
	if n := total(t, open(t, cut.dir, boot("two"))); n != 7 {
		t.Errorf("%d memories for another process, want 7", n)
	}
	cut.aside(t) // and still only one
}

// TestSameBootTrustsTheTable: a process that was killed leaves what the kernel
// still writes to the disk.
func TestSameBootTrustsTheTable(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	insert(t, s, numbered("row %d", 3)...)
	killed := t.TempDir()
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if n := total(t, open(t, killed)); n != 3 {
		t.Errorf("%d memories", n)
	}
	if list, err := asides(killed); err != nil || len(list) > 0 {
		t.Errorf("set aside: %+v, %v", list, err)
	}
}

// TestCleanRestartTakesNoLock: after a shutdown in order the first opening finds
// nothing to do, although somebody holds the write lock; and what is stored then is
// trusted by others before it is durable.
func TestCleanRestartTakesNoLock(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	boot := func(name string) func(*Options) { return func(o *Options) { o.Boot = name } }
	s := open(t, dir, boot("one"))
	insert(t, s, mem("one"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	held := newFileLock(dir, time.Now)
	if ok, err := held.acquire(func() (string, bool) { return "test", true }); !ok || err != nil {
		t.Fatal(ok, err)
	}
	s = open(t, dir, boot("two"), func(o *Options) { o.LockTimeout = time.Minute })
	if err := held.release(); err != nil {
		t.Fatal(err)
	}
	s.durable.after = func(time.Duration, func()) func() bool { return func() bool { return true } }
	insert(t, s, mem("two"))
	if n := total(t, open(t, dir, boot("two"))); n != 2 {
		t.Errorf("%d memories", n)
	}
	if list, err := asides(dir); err != nil || len(list) > 0 {
		t.Errorf("set aside: %+v, %v", list, err)
	}
}
