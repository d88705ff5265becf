// Command unpack decompresses the native library beside its packed form, unless
// the right one is there already. Builds and tests need it once per checkout.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/native/prebuilt"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "unpack:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := prebuilt.Root(".")
	if err != nil {
		return err
	}
	dir := filepath.Join(root, prebuilt.Dir)
	wrote, err := prebuilt.Unpack(dir)
	if err != nil {
		return err
	}
	state := "is up to date"
	if wrote {
		state = "unpacked"
	}
	fmt.Printf("native library %s (%s)\n", state, filepath.Join("internal/native", prebuilt.Dir, prebuilt.Library))
	return nil
}
