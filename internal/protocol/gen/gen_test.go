package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/checkout"
)

// The shim is compiled against the file in the tree, so it has to be what the
// Go side says today.
func TestGeneratedFileIsCurrent(t *testing.T) {
	root, err := checkout.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, target))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(generate(), string(got)); diff != "" {
		t.Errorf("%s is stale; run: go run ./internal/protocol/gen\n(-want +got)\n%s", target, diff)
	}
}
