// Command eval measures how well memories are found, through the engine as an
// agent uses it and with the embedded model: `make eval`, and `make eval
// DATA=file` for long conversations as well. See testdata/eval.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/checkout"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed/weights"
)

func main() {
	data := flag.String("data", "", "a set of conversations in the LoCoMo shape")
	weightList := flag.String("weights", "", "weights of meaning to compare, like 0.5,0.7; empty is the product's own")
	only := flag.Int("conversations", 0, "how many conversations of the set; 0 is all")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *data, *weightList, *only); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, data, weightList string, only int) error {
	root, err := checkout.Root(".")
	if err != nil {
		return err
	}
	model, closeModel, err := openModel()
	if err != nil {
		return err
	}
	defer closeModel()
	tunings, err := parseWeights(weightList)
	if err != nil {
		return err
	}
	set, err := loadMultilingual(filepath.Join(root, "testdata", "eval", "multilingual.json"))
	if err != nil {
		return err
	}
	foreign, err := loadStrangers(filepath.Join(root, "internal", "rank", "calibration", "pairs.jsonl"))
	if err != nil {
		return err
	}
	for _, w := range tunings {
		fmt.Fprintf(out, "== multilingual set, %s\n", w)
		result, err := multilingual(ctx, model, set, foreign, w)
		if err != nil {
			return err
		}
		result.print(out)
	}
	if data == "" {
		fmt.Fprintln(out, "== conversations: no set given; name a file in the LoCoMo shape: make eval DATA=file")
		return nil
	}
	return conversations(ctx, out, model, data, tunings, only)
}

func openModel() (*embed.Local, func(), error) {
	path, err := weights.InCheckout(".")
	if err != nil {
		return nil, nil, err
	}
	// Every question is asked once per tuning: keep its vector.
	model, err := embed.NewLocal(embed.LocalOptions{Path: path, CacheSize: 20_000})
	if err != nil {
		return nil, nil, err
	}
	return model, func() { _ = model.Close() }, nil
}

// tuning is the weight of meaning against words; the zero value leaves both to
// the product.
type tuning struct {
	set     bool
	meaning float64
}

func (t tuning) String() string {
	if !t.set {
		return "the product's own weights"
	}
	return fmt.Sprintf("meaning %.2f, words %.2f", t.meaning, 1-t.meaning)
}

func parseWeights(list string) ([]tuning, error) {
	if list == "" {
		return []tuning{{}}, nil
	}
	var all []tuning
	for _, field := range strings.Split(list, ",") {
		w, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil || w < 0 || w > 1 {
			return nil, fmt.Errorf("-weights %q: want numbers from 0 to 1, separated by commas", list)
		}
		all = append(all, tuning{true, w})
	}
	return all, nil
}
