package manifest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A version of one table becomes the newest of another, whatever way that names its
// manifests: rows and indexes are the other's, every file is there, and older versions
// stay what they were.
func TestSucceed(t *testing.T) {
	for _, scheme := range []Scheme{Plain, Inverted} {
		from, to := newest(t, table(t, Inverted)), newest(t, table(t, scheme))
		// Another table, with files of its own.
		if err := os.RemoveAll(filepath.Join(to.Table(), indicesDir)); err != nil {
			t.Fatal(err)
		}
		for _, f := range from.Fragments[0].Files {
			if err := os.Remove(filepath.Join(to.Table(), f.Path)); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // again after a death
			if err := from.Link(to.Table()); err != nil {
				t.Fatal(err)
			}
		}
		mark := NewMark()
		v, err := from.Succeed(to, mark, time.Unix(1750000000, 5))
		if err != nil {
			t.Fatal(err)
		}
		if v.Number != to.Number+1 || v.Scheme != scheme {
			t.Errorf("%+v", v)
		}
		now := newest(t, to.Table())
		if now.Version != v {
			t.Errorf("the newest is %+v", now.Version)
		}
		if faults, err := now.Check(); err != nil || len(faults) > 0 {
			t.Errorf("%v, %v", faults, err)
		}
		if diff := cmp.Diff(from.Fragments, now.Fragments, cmp.AllowUnexported(File{})); diff != "" {
			t.Errorf("fragments (-want +got)\n%s", diff)
		}
		if len(now.Indexes) != len(from.Indexes) || now.Writer != from.Writer {
			t.Errorf("%d indexes, written by %s", len(now.Indexes), now.Writer)
		}
		if !now.Named(mark) || now.Named(NewMark()) || to.Named(mark) {
			t.Error("it is not known by its mark")
		}
		if _, err := Read(to.Table(), to.Version); err != nil {
			t.Errorf("the version before: %v", err)
		}
		if _, err := from.Succeed(to, mark, time.Unix(1750000000, 5)); !errors.Is(err, fs.ErrExist) {
			t.Errorf("twice: %v", err)
		}
	}
}

func TestLinkOrCopy(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := linkOrCopy(from, to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	if err := os.WriteFile(from, []byte("rows"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := linkOrCopy(from, to); err != nil {
			t.Fatal(err)
		}
	}
	// On another file system, if there is one here.
	other, err := os.MkdirTemp("/dev/shm", "link")
	if err != nil {
		t.Skip("there is no other file system")
	}
	defer os.RemoveAll(other) //nolint:errcheck // temporary
	if err := linkOrCopy(from, filepath.Join(other, "c")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(other, "c")); err != nil || string(got) != "rows" {
		t.Errorf("%q, %v", got, err)
	}
}
