// Command gen writes what the table of settings says into openclaw.plugin.json
// (schema, hints, groups, tools) and docs/configuration.md. Run it as
// "go run ./internal/config/gen" at the root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/checkout"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := checkout.Root(".")
	if err != nil {
		return err
	}
	files, err := generate(root)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

const (
	manifestFile = "openclaw.plugin.json"
	docsFile     = "docs/configuration.md"
)

// generate renders both files. What the table does not know of the manifest
// (name, version, …) stays as it is in the tree.
func generate(root string) (map[string]string, error) {
	current, err := os.ReadFile(filepath.Join(root, manifestFile))
	if err != nil {
		return nil, err
	}
	manifest, err := manifest(current)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", manifestFile, err)
	}
	return map[string]string{manifestFile: manifest, docsFile: docs()}, nil
}
