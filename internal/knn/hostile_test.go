package knn

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// shapes are kinds of vectors whose rounding is not as good as random, or whose sums
// are large.
var shapes = map[string]func(r *rand.Rand, width int) []float32{
	"flat": func(r *rand.Rand, width int) []float32 { // nearly all of one sign: the largest sums
		v := make([]float32, width)
		for i := range v {
			if v[i] = 1; r.IntN(20) == 0 {
				v[i] = -1
			}
		}
		return v
	},
	"whole numbers": func(r *rand.Rand, width int) []float32 { // as a provider that gives bytes
		v := make([]float32, width)
		for i := range v {
			v[i] = float32(math.Round(float64(10+r.Float64())*math.Sin(float64(i*i)) + 3*r.NormFloat64()))
		}
		return v
	},
	"two sizes": func(r *rand.Rand, width int) []float32 { // all rounded the same way
		v, small := make([]float32, width), float32(0.3+0.4*r.Float64())
		for i := range v {
			if v[i] = small; i%2 == 0 {
				v[i] = -small
			}
			if r.IntN(40) == 0 {
				v[i] *= 1 + float32(r.Float64())
			}
		}
		v[r.IntN(width)] = 1
		return v
	},
	"peaked": func(r *rand.Rand, width int) []float32 {
		v := make([]float32, width)
		for i := range v {
			v[i] = float32(0.0039 * (1 + 0.01*r.NormFloat64()))
		}
		v[0], v[1] = 1, float32(0.01*r.NormFloat64())
		return v
	},
	"few": func(r *rand.Rand, width int) []float32 { // rows without loss, apart from each other by little
		v := make([]float32, width)
		v[r.IntN(min(width, 9))] = 1
		v[r.IntN(min(width, 9))]++
		v[r.IntN(width)] += float32(1e-4 * r.Float64())
		return v
	},
	"tiny": func(r *rand.Rand, width int) []float32 {
		v := random(r, width, nil, 1)
		for i := range v {
			v[i] *= 1e-38
		}
		return v
	},
	"huge": func(r *rand.Rand, width int) []float32 {
		v := random(r, width, nil, 1)
		for i := range v {
			v[i] *= 5e37
		}
		return v
	},
}

// TestHostileShapes: the best are the best for vectors of any shape, compared with rows
// of the same and of other shapes, and through either kernel.
func TestHostileShapes(t *testing.T) {
	was := wide
	defer func() { wide = was }()
	for shape, draw := range shapes {
		for _, width := range []int{2, 17, 384, 3072, 8192} {
			t.Run(fmt.Sprint(shape, " ", width), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(width), 3))
				n := min(600, 1_000_000/width)
				s, rows := New(width, 1<<30), [][]float32{}
				for i := range n {
					v := draw(r, width)
					if i%7 == 0 {
						v = random(r, width, nil, 1)
					}
					s.Add(v)
					rows = append(rows, v)
				}
				for i := range 12 {
					wide = was && i%2 == 0
					query, k := draw(r, width), 1+r.IntN(12)
					if i%3 == 0 {
						query = rows[r.IntN(n)]
					}
					order, scores := make([]int, n), make([]float64, n)
					for i, row := range rows {
						order[i], scores[i] = i, cosine(query, row)
					}
					slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
					got, last := s.Candidates(query, k, -2, func(int) bool { return true }), scores[order[k-1]]
					for _, i := range order[:k] {
						if c := scores[i]; !slices.Contains(got, i) && c-last > 1e-9 {
							t.Fatalf("a row with cosine %.7f is not among %d candidates for the best %d, the last of which has %.7f", c, len(got), k, last)
						}
					}
				}
			})
		}
	}
}
