// Command bench measures the product on this machine: `make bench`.
//
// It prints a table of absolute figures with their spread, and ratios against
// recorded figures of another implementation when PEER_FIGURES names a file of
// them. Machines are shared and noisy: a figure is for reading, nothing passes
// or fails by it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// all parts, in this order: memory that stores have used and freed would hide what
// the model takes.
const all = "embedding,store,resident,dead,growth,sidecar"

func main() {
	only := flag.String("only", all, "the parts to measure")
	sizes := flag.String("sizes", "1000,10000,50000", "numbers of memories to measure with")
	out := flag.String("json", "build/bench.json", "where the figures go as JSON; empty for nowhere")
	binary := flag.String("binary", "build/package/bin/linux-x64/memory-pro", "the program whose start and round trip are measured")
	writer := flag.String("write-to", "", "only write to the database there until standard input ends; used by the measurement of recalls beside a writer")
	reader := flag.String("recall-in", "", "only recall in the database there and print the memory it takes; used by the measurement of memory")
	width := flag.Int("width", dimensions, "numbers a vector, with -recall-in")
	flag.Parse()
	if *writer != "" || *reader != "" {
		err := error(nil)
		if *writer != "" {
			err = keepWriting(context.Background(), *writer)
		} else {
			err = keepRecalling(context.Background(), *reader, *width)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(context.Background(), *only, *sizes, *binary, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only, sizes, binary, out string) error {
	peer, err := loadPeer(os.Getenv("PEER_FIGURES"))
	if err != nil {
		return err
	}
	// It takes minutes; each figure is told when it is known.
	r := &report{peer: peer, progress: os.Stderr}
	// What was measured is printed even if a later step fails.
	defer r.print(os.Stdout)
	parts := map[string]func() error{
		"embedding": func() error { return measureEmbedding(ctx, r) },
		"store":     func() error { return measureSizes(ctx, r, sizes) },
		"resident":  func() error { return measureResident(ctx, r) },
		"dead":      func() error { return measureDead(ctx, r) },
		"growth":    func() error { return measureGrowth(ctx, r) },
		"sidecar": func() error {
			if err := measureSidecar(ctx, r, binary); err != nil {
				return fmt.Errorf("%s: %w; run `make package` first", binary, err)
			}
			return nil
		},
	}
	for _, name := range strings.Split(only, ",") {
		part, ok := parts[name]
		if !ok {
			return fmt.Errorf("-only %q: want some of %s, separated by commas", only, all)
		}
		if err := part(); err != nil {
			return fmt.Errorf("measuring the %s: %w", name, err)
		}
	}
	if out == "" {
		return nil
	}
	b, err := json.MarshalIndent(r.figures, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(b, '\n'), 0o644)
}

func measureSizes(ctx context.Context, r *report, sizes string) error {
	for _, field := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 100 {
			return fmt.Errorf("-sizes %q: want numbers from 100 up, separated by commas", sizes)
		}
		if err := measureStore(ctx, r, n); err != nil {
			return fmt.Errorf("with %d memories: %w", n, err)
		}
	}
	growth(r)
	return nil
}
