// Command gen writes the tables of internal/hanzi from the dictionaries of OpenCC, as
// the Go module opencc carries them.
//
// The module is read, not linked: its library for tries is under the GPL, and it reads
// all dictionaries at each start. Run it as
//
//	go run ./internal/hanzi/gen
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/checkout"
)

const (
	module = "github.com/longbridgeapp/opencc@v0.3.13"
	sum    = "h1:H8r4oXL4s+oR3gbBb4tW4D26jT+Mc5+znzwAnXsx4ao="
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	root, err := checkout.Root(".")
	if err != nil {
		return err
	}
	dir, err := fetch()
	if err != nil {
		return err
	}
	read := map[string][]entry{}
	for _, name := range dictionaries {
		data, err := os.ReadFile(filepath.Join(dir, "dictionary", name+".txt"))
		if err != nil {
			return fmt.Errorf("reading a dictionary of %s: %w", module, err)
		}
		read[name] = parse(data)
	}
	for name, data := range tables(read) {
		if err := os.WriteFile(filepath.Join(root, "internal/hanzi/data", name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fetch is the module's directory, downloaded unless it is there, with the sum pinned.
func fetch() (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir() // outside of our module, which does not require it
	out, err := cmd.Output()
	var got struct{ Dir, Sum, Error string }
	if jerr := json.NewDecoder(bytes.NewReader(out)).Decode(&got); err == nil {
		err = jerr
	}
	switch {
	case got.Error != "":
		return "", fmt.Errorf("downloading %s: %s", module, got.Error)
	case err != nil:
		return "", fmt.Errorf("downloading %s: %w", module, err)
	case got.Sum != sum:
		return "", fmt.Errorf("%s has the sum %s, want %s: look at what changed and pin it anew", module, got.Sum, sum)
	}
	return got.Dir, nil
}
