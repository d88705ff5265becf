package main

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/checkout"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
)

// centreOf is the mean of the raw vectors of all sentences, as what they are.
func centreOf(ctx context.Context, model string) ([]float32, error) {
	pairs, err := pairsOf(raw)
	if err != nil {
		return nil, err
	}
	e, err := embed.NewLocal(embed.LocalOptions{Path: model, Raw: true})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	sums := make([]float64, embed.LocalWidth)
	for _, p := range pairs {
		first := e.EmbedPassage
		if p.Kind == "question" {
			first = e.EmbedQuery
		}
		for i, side := range []func(context.Context, string) ([]float32, error){first, e.EmbedPassage} {
			v, err := side(ctx, []string{p.A, p.B}[i])
			if err != nil {
				return nil, err
			}
			for j, x := range v {
				sums[j] += float64(x)
			}
		}
	}
	mean := make([]float32, len(sums))
	for j, sum := range sums {
		mean[j] = float32(sum / float64(2*len(pairs)))
	}
	return mean, nil
}

func writeCentre(ctx context.Context, model string) error {
	mean, err := centreOf(ctx, model)
	if err != nil {
		return err
	}
	root, err := checkout.Root(".")
	if err != nil {
		return err
	}
	out := make([]byte, 0, 4*len(mean))
	for _, x := range mean {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return os.WriteFile(filepath.Join(root, "internal", "embed", "centre.f32"), out, 0o644)
}
