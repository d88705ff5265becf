package disk

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// actEnv makes the test binary do the file operations of act below a directory.
const actEnv = "MEMORY_DISK_TEST"

func TestMain(m *testing.M) {
	if root := os.Getenv(actEnv); root != "" {
		if err := act(root); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// act is a small run with everything the model knows.
func act(root string) error {
	marks := os.NewFile(MarkFD, "marks")
	steps := []func() error{
		func() error { return os.Mkdir(root+"/d", 0o700) },
		func() error { return syncPath(root) },
		func() error { return os.WriteFile(root+"/d/one.tmp", []byte("first content"), 0o600) },
		func() error { return syncPath(root + "/d/one.tmp") },
		func() error { return os.Rename(root+"/d/one.tmp", root+"/d/one") },
		func() error { return syncPath(root + "/d") },
		func() error { _, err := marks.WriteString("one is safe"); return err },
		func() error { return os.WriteFile(root+"/d/two", []byte("second"), 0o600) },
		func() error { return appendTo(root+"/d/one", " and more") },
		func() error { return os.Link(root+"/d/two", root+"/d/three") },
		func() error { return os.Remove(root + "/d/two") },
		func() error { return os.Truncate(root+"/d/three", 3) },
		func() error { _, err := marks.WriteString("end"); return err },
	}
	for i, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}

// recorded is the trace of act, and the directory it left.
func recorded(t *testing.T) (*Trace, string) {
	t.Helper()
	if err := Available(); err != nil {
		if os.Getenv("MEMORY_PRO_SERVERS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	root := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), actEnv+"="+root)
	cmd.Stderr = os.Stderr
	trace, ended, err := Record(t.Context(), cmd, root)
	if err != nil || ended != nil {
		t.Fatalf("%v, %v", err, ended)
	}
	return trace, root
}

// files is what a directory holds: directories end in a slash.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name := strings.TrimPrefix(path, root+"/")
		if d.IsDir() {
			all[name+"/"] = ""
			return nil
		}
		b, err := os.ReadFile(path)
		all[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func built(t *testing.T, im Image) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "image")
	if err := im.Write(dir); err != nil {
		t.Fatal(err)
	}
	return files(t, dir)
}

func all(int) Fate { return Kept }

func TestRecordedRunRebuildsToWhatIsThere(t *testing.T) {
	trace, root := recorded(t)
	if diff := cmp.Diff(files(t, root), built(t, trace.Image(len(trace.Ops), all))); diff != "" {
		t.Errorf("the image differs from the directory (-directory +image):\n%s", diff)
	}
}

func TestOnlySyncedOperationsLast(t *testing.T) {
	trace, _ := recorded(t)
	var marks []int
	for i, o := range trace.Ops {
		if o.Kind == Mark {
			marks = append(marks, i)
		}
	}
	if len(marks) != 2 {
		t.Fatalf("%d marks, want 2, in %v", len(marks), trace.Ops)
	}
	if left := trace.Unsynced(marks[0]); len(left) != 0 {
		t.Errorf("at the first mark %v is not durable: %v", left, trace.Ops)
	}
	end := len(trace.Ops)
	var lost []string
	unsynced := map[int]bool{}
	for _, i := range trace.Unsynced(end) {
		lost = append(lost, strings.Fields(trace.Ops[i].String())[0])
		unsynced[i] = true
	}
	if diff := cmp.Diff([]string{"name", "write", "write", "name", "name", "truncate"}, lost); diff != "" {
		t.Fatalf("not durable at the end (-want +got):\n%s", diff)
	}
	tests := map[string]struct {
		fate func(o Op) Fate
		want map[string]string
	}{
		"all lost": {func(Op) Fate { return Fate{Lost: true} }, map[string]string{"d/": "", "d/one": "first content"}},
		"bytes lost": {func(o Op) Fate { return Fate{Lost: o.Kind != Names} },
			map[string]string{"d/": "", "d/one": "first content", "d/three": ""}},
		"names lost": {func(o Op) Fate { return Fate{Lost: o.Kind == Names} },
			map[string]string{"d/": "", "d/one": "first content and more"}},
		"torn": {func(o Op) Fate { return Fate{Torn: o.Kind == Write, Keep: 4} },
			map[string]string{"d/": "", "d/one": "first content and", "d/three": "sec"}},
		"zeroed": {func(o Op) Fate { return Fate{Zeroed: o.Kind == Write} },
			map[string]string{"d/": "", "d/one": "first content" + strings.Repeat("\x00", 9), "d/three": "\x00\x00\x00"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			im := trace.Image(end, func(i int) Fate {
				if !unsynced[i] {
					return Kept
				}
				return test.fate(trace.Ops[i])
			})
			if diff := cmp.Diff(test.want, built(t, im)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRenameTornHasBothNames(t *testing.T) {
	trace, _ := recorded(t)
	im := trace.Image(len(trace.Ops), func(i int) Fate { return Fate{Torn: len(trace.Ops[i].Bindings) == 2} })
	got := built(t, im)
	if got["d/one"] != got["d/one.tmp"] || got["d/one"] == "" {
		t.Errorf("%q", got)
	}
}
