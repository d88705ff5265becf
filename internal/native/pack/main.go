// Command pack compresses a freshly built native library into the tree and
// writes its manifest. It is the last step of make native and needs the zstd
// program, whose highest level no Go encoder reaches.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	clean, err := cleaned(built)
	if err != nil {
		return err
	}
	defer os.Remove(clean)
	m, err := describe(root, clean)
	if err != nil {
		return err
	}
	packed := filepath.Join(dir, prebuilt.Compressed)
	cmd := exec.Command("zstd", "--ultra", "-22", "--long=27", "-T1", "-q", "-f", clean, "-o", packed)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("compressing with zstd (install it from your distribution): %w", err)
	}
	// zstd passes the mode of a program on.
	if err := os.Chmod(packed, 0o644); err != nil {
		return err
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

// The folder that Cargo unpacks a registry into, as it occurs in source paths.
var registryFolder = regexp.MustCompile(`registry/src/[A-Za-z0-9.-]+-[0-9a-f]{16}`)

// cleaned makes a copy of the library without symbols for linking statically,
// which rustc leaves in, and without the registry's name in the source paths of
// panic messages: of two prefixes to remap, rustc takes the last, so that one
// survives the flags of build.sh. Names are overwritten in place, byte for byte.
func cleaned(built string) (string, error) {
	tmp, err := os.CreateTemp("", prebuilt.Library+"-*")
	if err != nil {
		return "", err
	}
	tmp.Close()
	strip := exec.Command("strip", "--strip-unneeded", "-o", tmp.Name(), built)
	strip.Stderr = os.Stderr
	if err := strip.Run(); err != nil {
		return "", fmt.Errorf("stripping the library (strip comes with binutils): %w", err)
	}
	content, err := os.ReadFile(tmp.Name())
	if err != nil {
		return "", err
	}
	content = registryFolder.ReplaceAllFunc(content, func(name []byte) []byte {
		kept := []byte("registry/src/")
		return append(kept, bytes.Repeat([]byte{'-'}, len(name)-len(kept))...)
	})
	return tmp.Name(), os.WriteFile(tmp.Name(), content, 0o755)
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
