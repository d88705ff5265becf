// Command pack compresses a freshly built native library into the tree and
// writes its manifest. It is the last step of make native and needs the zstd
// program, whose highest level no Go encoder reaches.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/native/prebuilt"
)

// Every clone carries the packed library, so its size is bounded.
const maxCompressed = 45 << 20

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/native/pack PATH/TO/"+prebuilt.Library)
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(built string) error {
	root, err := prebuilt.Root(".")
	if err != nil {
		return err
	}
	dir := filepath.Join(root, prebuilt.Dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	m, err := describe(root, built)
	if err != nil {
		return err
	}
	packed := filepath.Join(dir, prebuilt.Compressed)
	cmd := exec.Command("zstd", "--ultra", "-22", "--long=27", "-T1", "-q", "-f", built, "-o", packed)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("compressing with zstd (install it from your distribution): %w", err)
	}
	info, err := os.Stat(packed)
	if err != nil {
		return err
	}
	m.CompressedSize = info.Size()
	if m.CompressedSize > maxCompressed {
		return fmt.Errorf("the packed library has %d bytes, over the bound of %d", m.CompressedSize, maxCompressed)
	}
	// What other programs compress, ours must be able to read.
	if err := prebuilt.Decompress(packed, io.Discard, m.Library); err != nil {
		return err
	}
	if err := prebuilt.WriteManifest(dir, m); err != nil {
		return err
	}
	if _, err := prebuilt.Unpack(dir); err != nil {
		return err
	}
	fmt.Printf("packed %.1f MB into %.1f MB\n", float64(m.Size)/1e6, float64(m.CompressedSize)/1e6)
	return nil
}

// describe fills in what can be said of the library before it is compressed.
func describe(root, built string) (m prebuilt.Manifest, err error) {
	info, err := os.Stat(built)
	if err != nil {
		return m, err
	}
	m.Size = info.Size()
	if m.Sources, err = prebuilt.SourceHash(root); err != nil {
		return m, err
	}
	if m.Library, err = prebuilt.FileHash(built); err != nil {
		return m, err
	}
	if m.Symbols, err = prebuilt.Exported(built); err != nil {
		return m, err
	}
	version, err := exec.Command("rustc", "--version").Output()
	if err != nil {
		return m, fmt.Errorf("asking rustc for its version: %w", err)
	}
	m.Toolchain = strings.TrimSpace(string(version))
	return m, nil
}
