package prebuilt

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func root(t *testing.T) string {
	t.Helper()
	root, err := Root(".")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestManifestDescribesTheTree(t *testing.T) {
	root := root(t)
	m, err := ReadManifest(filepath.Join(root, Dir))
	if err != nil {
		t.Fatal(err)
	}
	sources, err := SourceHash(root)
	if err != nil {
		t.Fatal(err)
	}
	if m.Sources != sources {
		t.Errorf("the library was built from sources %s, the tree has %s; run make native", m.Sources, sources)
	}
	info, err := os.Stat(filepath.Join(root, Dir, Compressed))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() != m.CompressedSize || info.Size() > 45<<20 {
		t.Errorf("the packed library has %d bytes, the manifest says %d, the bound is 45 MiB", info.Size(), m.CompressedSize)
	}
}

func TestLibraryExportsWhatTheHeadersDeclare(t *testing.T) {
	root := root(t)
	library := filepath.Join(root, Dir, Library)
	if _, err := Unpack(filepath.Join(root, Dir)); err != nil {
		t.Fatal(err)
	}
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/lancedb/lancedb-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	declared, err := Declared(filepath.Join(root, "include", "mlp.h"),
		filepath.Join(strings.TrimSpace(string(module)), "include", "lancedb.h"))
	if err != nil {
		t.Fatal(err)
	}
	exported, err := Exported(library)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(declared, exported); diff != "" {
		t.Errorf("symbols (-declared +exported):\n%s", diff)
	}
	m, err := ReadManifest(filepath.Join(root, Dir))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.Symbols, exported); diff != "" {
		t.Errorf("symbols (-manifest +exported):\n%s", diff)
	}
}

// Nothing in the library may tell where it was built.
var buildPlace = regexp.MustCompile(`/(root|home|work|tmp|Users|builds?)/[A-Za-z0-9._-]+/[\x20-\x7e]{0,60}|index\.crates\.io-[0-9a-f]+|\.cargo/registry[\x20-\x7e]{0,40}|\.rustup/toolchains[\x20-\x7e]{0,40}`)

func TestLibraryTellsNoBuildPath(t *testing.T) {
	root := root(t)
	if _, err := Unpack(filepath.Join(root, Dir)); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(root, Dir, Library))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range buildPlace.FindAll(content, -1) {
		if s := string(m); !seen[s] && len(seen) < 20 {
			seen[s] = true
			t.Errorf("the library contains %q", s)
		}
	}
	if home, err := os.UserHomeDir(); err == nil && len(home) > 1 && bytes.Contains(content, []byte(home+"/")) {
		t.Errorf("the library contains the path %s", home)
	}
}

func TestUnpack(t *testing.T) {
	dir := t.TempDir()
	content := bytes.Repeat([]byte("library "), 1000)
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Unpack(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a manifest: %v", err)
	}
	write(Compressed, enc.EncodeAll(content, nil))
	write("copy", content)
	hash, err := FileHash(filepath.Join(dir, "copy"))
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteManifest(dir, Manifest{Library: hash}); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		name  string
		prep  func()
		wrote bool
	}{
		{"missing", func() {}, true},
		{"there", func() {}, false},
		{"of another build", func() { write(Library, []byte("old")) }, true},
	}
	for _, s := range steps {
		s.prep()
		wrote, err := Unpack(dir)
		if err != nil || wrote != s.wrote {
			t.Errorf("%s: wrote %v, %v; want %v", s.name, wrote, err, s.wrote)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, Library)); !bytes.Equal(got, content) {
			t.Errorf("%s: the library is wrong", s.name)
		}
	}
	write(Library, []byte("old"))
	if err := WriteManifest(dir, Manifest{Library: "of something else"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Unpack(dir); err == nil {
		t.Error("a library of the wrong hash was unpacked")
	}
	if got, _ := os.ReadFile(filepath.Join(dir, Library)); string(got) != "old" {
		t.Error("a failed unpack touched the library")
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}
