// Command calibration shows how the embedded model's cosines are spread over
// pairs of sentences whose relation is known, and what the profile makes of
// them. Unrelated pairs are each question with every other memory of its language.
// With -centre it first writes the mean that the embedder takes away.
//
//	go run ./internal/rank/calibration [-centre]
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed/weights"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

//go:embed pairs.jsonl
var raw string

type pair struct{ Kind, Lang, A, B string }

func main() {
	centre := flag.Bool("centre", false, "write internal/embed/centre.f32; what this prints is still by the old one")
	flag.Parse()
	path, err := weights.InCheckout(".")
	if err == nil && *centre {
		err = writeCentre(context.Background(), path)
	}
	if err == nil {
		err = run(context.Background(), path, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "calibration:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, model string, out io.Writer) error {
	pairs, err := pairsOf(raw)
	if err != nil {
		return err
	}
	e, err := embed.NewLocal(embed.LocalOptions{Path: model})
	if err != nil {
		return err
	}
	defer e.Close()
	cosines, err := measure(ctx, e, pairs)
	if err != nil {
		return err
	}
	profile := rank.ProfileOf(e.Model())
	fmt.Fprintf(out, "%-12s %5s   %s\n", "pairs", "count", "cosine (similarity) at the 5th, 25th, 50th, 75th and 95th percentile")
	for _, kind := range slices.Sorted(maps.Keys(cosines)) {
		list := slices.Sorted(slices.Values(cosines[kind]))
		fmt.Fprintf(out, "%-12s %5d  ", kind, len(list))
		for _, p := range []float64{0.05, 0.25, 0.5, 0.75, 0.95} {
			c := list[int(p*float64(len(list)-1)+0.5)]
			fmt.Fprintf(out, "  %.3f (%.2f)", c, rank.Calibrate(profile, c))
		}
		fmt.Fprintln(out)
	}
	return nil
}

func pairsOf(lines string) (pairs []pair, err error) {
	dec := json.NewDecoder(strings.NewReader(lines))
	for {
		var p pair
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pairs, nil
		} else if err != nil {
			return nil, fmt.Errorf("pairs.jsonl: %w", err)
		}
		pairs = append(pairs, p)
	}
}

// measure gives the cosines by kind.
func measure(ctx context.Context, e *embed.Local, pairs []pair) (map[string][]float64, error) {
	found := map[string][]float64{}
	type side struct {
		pair
		vector []float32
	}
	var questions, memories []side
	for _, p := range pairs {
		first := e.EmbedPassage
		if p.Kind == "question" {
			first = e.EmbedQuery
		}
		a, errA := first(ctx, p.A)
		b, errB := e.EmbedPassage(ctx, p.B)
		if err := errors.Join(errA, errB); err != nil {
			return nil, err
		}
		if p.Kind == "question" {
			questions, memories = append(questions, side{p, a}), append(memories, side{p, b})
			continue
		}
		cosine, _ := rank.Cosine(a, b)
		found[p.Kind] = append(found[p.Kind], cosine)
	}
	for _, q := range questions {
		for _, m := range memories {
			cosine, _ := rank.Cosine(q.vector, m.vector)
			switch {
			case q.pair == m.pair:
				found["question"] = append(found["question"], cosine)
			case q.Lang == m.Lang:
				found["unrelated"] = append(found["unrelated"], cosine)
			}
		}
	}
	return found, nil
}
