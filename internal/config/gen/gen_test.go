package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/checkout"
)

// The host reads the manifest, people read the documentation, and the program
// reads the table: they have to say the same.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	root, err := checkout.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is stale; run: go run ./internal/config/gen\n(-want +got)\n%s", name, diff)
		}
	}
}
