// Command gen writes what the table of settings says into openclaw.plugin.json
// (schema, hints, groups, tools) and docs/configuration.md. Run it as
// "go run ./internal/config/gen" at the root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := moduleRoot()
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

// moduleRoot walks up to go.mod, so that it works in any directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("finding go.mod above the working directory: none; run inside the repository")
		}
		dir = up
	}
}
