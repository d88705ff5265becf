package embed

import (
	"fmt"
	"math"

	openai "github.com/sashabaranov/go-openai"
)

// Check reports why a vector cannot be used: not of the wanted width, not finite,
// or without direction. A zero vector has no cosine to anything and would
// poison every comparison with it.
func Check(vector []float32, width int) error {
	if len(vector) == 0 {
		return fmt.Errorf("the vector is empty, %d values were expected: %w", width, ErrBadVector)
	}
	if len(vector) != width {
		return fmt.Errorf("the vector has %d values, %d were expected: %w", len(vector), width, ErrBadVector)
	}
	zero := true
	for i, v := range vector {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("value %d of the vector is not a finite number: %w", i+1, ErrBadVector)
		}
		zero = zero && v == 0
	}
	if zero {
		return fmt.Errorf("all %d values of the vector are zero: %w", len(vector), ErrBadVector)
	}
	return nil
}

// inOrder sorts an answer by its indexes. Servers that number nothing leave every
// index 0; their order is taken as it is.
func inOrder(data []openai.Embedding, want int) ([][]float32, error) {
	if len(data) != want {
		return nil, fmt.Errorf("%d vectors came back for %d texts: %w", len(data), want, ErrBadVector)
	}
	numbered := false
	for _, d := range data {
		numbered = numbered || d.Index != 0
	}
	vectors := make([][]float32, want)
	for i, d := range data {
		at := d.Index
		if !numbered {
			at = i
		}
		if at < 0 || at >= want || vectors[at] != nil {
			return nil, fmt.Errorf("the answer numbers its vectors wrongly (index %d of %d, or twice the same): %w", at, want, ErrBadVector)
		}
		vectors[at] = d.Embedding
		if vectors[at] == nil {
			vectors[at] = []float32{} // present, though empty: Check names it
		}
	}
	return vectors, nil
}
