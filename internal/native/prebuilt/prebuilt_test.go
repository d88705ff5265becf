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
	headers, err := filepath.Glob(filepath.Join(root, "include", "*.h"))
	if err != nil {
		t.Fatal(err)
	}
	headers = append(headers, filepath.Join(strings.TrimSpace(string(module)), "include", "lancedb.h"))
	declared, err := Declared(headers...)
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

// Nothing in the library may tell where it was built: no folder of a builder's
// machine with something below it, no registry, no toolchain.
var (
	buildRoots  = strings.Fields("root home work tmp Users") // top-level folders
	buildTraces = []string{"index.crates.io", "/.cargo/", "/.rustup/"}
	below       = regexp.MustCompile(`^[A-Za-z0-9._-]+/`)
)

func TestLibraryTellsNoBuildPath(t *testing.T) {
	root := root(t)
	if _, err := Unpack(filepath.Join(root, Dir)); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(root, Dir, Library))
	if err != nil {
		t.Fatal(err)
	}
	for _, trace := range buildTraces {
		if at := bytes.Index(content, []byte(trace)); at >= 0 {
			t.Errorf("the library contains %q", content[at:at+60])
		}
	}
	var roots []string
	for _, name := range buildRoots {
		roots = append(roots, "/"+name+"/")
	}
	if home, err := os.UserHomeDir(); err == nil && len(home) > 1 {
		roots = append(roots, home+"/")
	}
	for _, dir := range roots {
		for rest := content; ; {
			at := bytes.Index(rest, []byte(dir))
			if at < 0 {
				break
			}
			rest = rest[at+len(dir):]
			if name := below.Find(rest[:min(60, len(rest))]); name != nil {
				t.Errorf("the library contains %s%s", dir, name)
				break
			}
		}
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
