package archive

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// What is to go is gone, what is to change is changed, the rest is as it was,
// byte for byte, and the file is whole in its own format.
func TestEdit(t *testing.T) {
	edit := Editor{Row: func(m *memory.Memory) (keep, changed bool) {
		if strings.HasPrefix(m.Text, "two") {
			m.Importance, changed = 0.25, true
		}
		return m.Text != "plain", changed
	}}
	for _, format := range []Format{NDJSON, JSON, Backup} {
		for _, vectors := range []bool{false, true} {
			t.Run(fmt.Sprint(format, vectors), func(t *testing.T) {
				want := awkward()
				content, _ := written(t, format, vectors, want...)
				path := filepath.Join(t.TempDir(), "file")
				past := at.Add(-24 * time.Hour)
				if err := os.WriteFile(path, content, 0o640); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(path, past, past); err != nil {
					t.Fatal(err)
				}
				done, err := Edit(path, edit)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(Edited{Rows: len(want), Dropped: 1, Changed: 1}, done); diff != "" {
					t.Errorf("done (-want +got)\n%s", diff)
				}
				report, err := Verify(path)
				if err != nil || report.Rows != len(want)-1 || report.Format != format {
					t.Errorf("%+v, %v", report, err)
				}
				want = want[1:]
				want[1].Importance = 0.25
				again, _ := written(t, format, vectors, want...)
				got, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(again), string(got)); diff != "" {
					t.Errorf("the file (-want +got)\n%s", diff)
				}
				info, err := os.Stat(path)
				if err != nil || !info.ModTime().Equal(past) || info.Mode().Perm() != 0o640 {
					t.Errorf("time %s, mode %v, %v", info.ModTime(), info.Mode(), err)
				}
			})
		}
	}
}

// A file in which there is nothing to do is not written.
func TestEditOfNothing(t *testing.T) {
	content, _ := written(t, Backup, false, awkward()...)
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	done, err := Edit(path, Editor{Row: func(*memory.Memory) (bool, bool) { return true, false }})
	after, staterr := os.Stat(path)
	if err != nil || staterr != nil || done.Rows != len(awkward()) || !os.SameFile(before, after) {
		t.Errorf("%+v, %v, %v", done, err, staterr)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

// What cannot be read as a row can be dropped; otherwise it stays what it is, and
// the file one that is refused.
func TestEditOfDamage(t *testing.T) {
	content, _ := written(t, Backup, false, awkward()...)
	lines := bytes.SplitAfter(content, []byte("\n"))
	torn := append([]byte{}, lines[1][:len(lines[1])/2]...)
	lines[1] = append(torn, '\n')
	damaged := bytes.Join(lines, nil)
	drop := func(m *memory.Memory) (bool, bool) { return m.Text != "plain", false }
	for name, c := range map[string]struct {
		broken  func([]byte) bool
		dropped int
		left    bool
	}{
		"kept":    {nil, 1, true},
		"dropped": {func(raw []byte) bool { return !bytes.Contains(raw, []byte("quotes")) }, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			done, err := Edit(path, Editor{Row: drop, Broken: c.broken})
			if err != nil || done.Dropped != c.dropped {
				t.Errorf("%+v, %v", done, err)
			}
			if _, err := Verify(path); err == nil {
				t.Error("a damaged file counts as whole now")
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(got, bytes.TrimSpace(torn)) != c.left || bytes.Contains(got, []byte(`"plain"`)) {
				t.Errorf("the file is\n%s", got)
			}
		})
	}
	if _, err := Edit(filepath.Join(t.TempDir(), "none"), Editor{Row: drop}); err == nil {
		t.Error("a file that is not there was edited")
	}
}
