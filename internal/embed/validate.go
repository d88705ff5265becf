package embed

import (
	"fmt"
	"math"
)

// Check reports why a vector cannot be used: not of the wanted width, not finite,
// or without direction. A zero vector has no cosine to anything and would
// poison every comparison with it.
func Check(vector []float32, width int) error {
	if len(vector) == 0 {
		return fmt.Errorf("the vector is empty, %d values were expected: %w", width, ErrBadVector)
	}
	if len(vector) != width {
		return fmt.Errorf("the vector has %d values, %d were expected: %w", len(vector), width, errWidth)
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
