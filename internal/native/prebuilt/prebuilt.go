// Package prebuilt handles the compiled native library that lies in the tree:
// its compressed form, the manifest that ties it to its sources, and unpacking.
//
// It is plain Go, so that nothing has to link the library in order to get it.
package prebuilt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Names inside the folder of a platform.
const (
	Library    = "libmlp_native.so"
	Compressed = Library + ".zst"
	manifest   = "manifest.json"
)

// Dir is the folder of the platform that is built for, under internal/native.
const Dir = "lib/linux_amd64"

// Manifest says what a library was built from and what it is.
type Manifest struct {
	Sources        string   `json:"sources_sha256"` // of the files SourceHash names
	Toolchain      string   `json:"toolchain"`
	Library        string   `json:"library_sha256"`
	Size           int64    `json:"size"`
	CompressedSize int64    `json:"compressed_size"`
	Symbols        []string `json:"symbols"` // exported, sorted
}

// Root finds internal/native from a directory inside the module.
func Root(from string) (string, error) {
	dir, err := filepath.Abs(from)
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "internal", "native"), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("finding go.mod above %s: run this inside the source tree", from)
		}
		dir = parent
	}
}

// SourceHash hashes everything the library is built from: the crate with its
// lock file, the build script and the headers.
func SourceHash(root string) (string, error) {
	files := []string{"build.sh", "crate/build.rs", "crate/Cargo.toml", "crate/Cargo.lock"}
	for _, folder := range []string{"crate/src", "include"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				rel, _ := filepath.Rel(root, path)
				files = append(files, filepath.ToSlash(rel))
			}
			return err
		})
		if err != nil {
			return "", fmt.Errorf("listing native sources: %w", err)
		}
	}
	sort.Strings(files)
	h := sha256.New()
	for _, name := range files {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return "", fmt.Errorf("hashing native sources: %w", err)
		}
		fmt.Fprintf(h, "%s %d\n", name, len(content))
		h.Write(content)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// FileHash returns the SHA-256 of a file.
func FileHash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("hashing %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ReadManifest reads the manifest of a platform folder.
func ReadManifest(dir string) (Manifest, error) {
	var m Manifest
	content, err := os.ReadFile(filepath.Join(dir, manifest))
	if err != nil {
		return m, fmt.Errorf("reading the native library's manifest: %w", err)
	}
	if err := json.Unmarshal(content, &m); err != nil {
		return m, fmt.Errorf("parsing the native library's manifest: %w", err)
	}
	return m, nil
}

// WriteManifest writes the manifest of a platform folder.
func WriteManifest(dir string, m Manifest) error {
	content, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, manifest), append(content, '\n'), 0o644)
}

// Unpack makes sure the library in dir is the one its manifest describes, and
// reports whether it had to write it. It is safe to run at the same time twice.
func Unpack(dir string) (wrote bool, err error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return false, err
	}
	library := filepath.Join(dir, Library)
	have, err := FileHash(library)
	if err == nil && have == m.Library {
		return false, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	tmp, err := os.CreateTemp(dir, "."+Library+"-*")
	if err != nil {
		return false, fmt.Errorf("unpacking the native library: %w", err)
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	if err := Decompress(filepath.Join(dir, Compressed), tmp, m.Library); err != nil {
		return false, err
	}
	if err := tmp.Chmod(0o755); err != nil {
		return false, err
	}
	if err := tmp.Close(); err != nil {
		return false, fmt.Errorf("unpacking the native library: %w", err)
	}
	// Renamed into place: whoever links meanwhile sees the old file or the new one.
	if err := os.Rename(tmp.Name(), library); err != nil {
		return false, fmt.Errorf("unpacking the native library: %w", err)
	}
	return true, nil
}

// Decompress writes the decompressed file to w and checks what came out.
func Decompress(path string, w io.Writer, wantHash string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening the packed native library: %w", err)
	}
	defer f.Close()
	// Level 22 uses a window of 128 MiB, past the decoder's usual bound.
	d, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(1<<28))
	if err != nil {
		return fmt.Errorf("unpacking the native library: %w", err)
	}
	defer d.Close()
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, h), d); err != nil {
		return fmt.Errorf("unpacking the native library: %w", err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); !strings.EqualFold(got, wantHash) {
		return fmt.Errorf("unpacking the native library: its hash is %s, the manifest says %s; "+
			"check out the folder anew or rebuild with make native", got, wantHash)
	}
	return nil
}
