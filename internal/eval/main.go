// Command eval measures how well memories are found, through the engine as an
// agent uses it, at the default configuration and with the embedded model: `make
// eval`, and `make eval DATA=file` for long conversations as well. See
// testdata/eval.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/checkout"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed/weights"
)

func main() {
	data := flag.String("data", "", "a set of conversations in the LoCoMo shape")
	only := flag.Int("conversations", 0, "how many conversations of the set; 0 is all")
	dir := flag.String("out", filepath.Join("build", "eval"), "folder for what came of each question")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *data, *dir, *only); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, data, dir string, only int) error {
	root, err := checkout.Root(".")
	if err != nil {
		return err
	}
	model, closeModel, err := openModel()
	if err != nil {
		return err
	}
	defer closeModel()
	set, err := loadMultilingual(filepath.Join(root, "testdata", "eval", "multilingual.json"))
	if err != nil {
		return err
	}
	foreign, err := loadStrangers(filepath.Join(root, "internal", "rank", "calibration", "pairs.jsonl"))
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "== multilingual set")
	result, err := multilingual(ctx, model, set, foreign)
	if err != nil {
		return err
	}
	result.print(out)
	if data == "" {
		fmt.Fprintln(out, "== conversations: no set given; name a file in the LoCoMo shape: make eval DATA=file")
		return nil
	}
	list, err := loadConversations(data)
	if err != nil {
		return err
	}
	if only > 0 {
		list = list[:min(only, len(list))]
	}
	return conversations(ctx, out, model, list, dir)
}

func openModel() (*embed.Local, func(), error) {
	path, err := weights.InCheckout(".")
	if err != nil {
		return nil, nil, err
	}
	// Every question is asked several times: keep its vector.
	model, err := embed.NewLocal(embed.LocalOptions{Path: path, CacheSize: 20_000})
	if err != nil {
		return nil, nil, err
	}
	return model, func() { _ = model.Close() }, nil
}
