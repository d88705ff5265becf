// Command gen writes plugin/protocol.gen.ts from package protocol. Run it as
// "go run ./internal/protocol/gen" at the root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/checkout"
)

func main() {
	root, err := checkout.Root(".")
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
