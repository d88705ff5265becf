package store

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that is mostly a hole takes no room, and is not told to.
func TestSizeOfSparseFiles(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "vectors"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(40 << 20); err != nil {
		t.Fatal(err)
	}
	if files, bytes := size(t.Context(), dir); files != 1 || bytes > 1<<20 {
		t.Errorf("%d files, %d bytes", files, bytes)
	}
}
