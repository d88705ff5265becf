// Command gen writes plugin/protocol.gen.ts from package protocol. Run it as
// "go run ./internal/protocol/gen" at the root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root, err := moduleRoot()
	if err == nil {
		err = os.WriteFile(filepath.Join(root, target), []byte(generate()), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// target is the generated file, relative to the root.
const target = "plugin/protocol.gen.ts"

// moduleRoot walks up to go.mod, so that go generate works in any directory.
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
