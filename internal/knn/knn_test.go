package knn

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func cosine(a, b []float32) float64 {
	var dot, x, y float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		x += float64(a[i]) * float64(a[i])
		y += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(x*y)
}

func random(r *rand.Rand, width int, around []float32, noise float64) []float32 {
	v := make([]float32, width)
	for i := range v {
		v[i] = float32(r.NormFloat64() * noise)
		if around != nil {
			v[i] += around[i]
		}
	}
	return v
}

// TestCandidatesHoldTheBest compares with comparing all rows, for widths that do and
// do not fill their lanes, for rows that lie close together, and through changes.
func TestCandidatesHoldTheBest(t *testing.T) {
	for _, width := range []int{1, 8, 16, 31, 33, 384, 1024} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(width), 1))
			centre := random(r, width, nil, 1)
			s, rows := New(width, 300_000), [][]float32{}
			for range 1500 {
				v := random(r, width, centre, 0.3*r.Float64())
				if r.IntN(50) == 0 {
					v = [][]float32{make([]float32, width), nil, random(r, width+1, nil, 1), {float32(math.NaN())}}[r.IntN(4)]
				}
				s.Add(v)
				rows = append(rows, v)
				if r.IntN(3) == 0 {
					at := r.IntN(len(rows))
					s.RemoveSwap(at)
					rows[at] = rows[len(rows)-1]
					rows = rows[:len(rows)-1]
				}
			}
			if s.Len() != len(rows) {
				t.Fatalf("%d places for %d rows", s.Len(), len(rows))
			}
			for range 20 {
				query, k, odd := random(r, width, centre, 0.3), 1+r.IntN(60), r.IntN(2)
				admit := func(i int) bool { return odd == 0 || i%3 == 0 }
				var want []int
				for i, v := range rows {
					if len(v) == width && cosine(v, v) > 0 && admit(i) {
						want = append(want, i)
					}
				}
				slices.SortFunc(want, func(a, b int) int { return cmp.Compare(cosine(query, rows[b]), cosine(query, rows[a])) })
				want = want[:min(k, len(want))]
				got := s.Candidates(query, k, -2, admit)
				for i, v := range rows {
					if kept := s.Vector(i); kept != nil && !slices.Equal(kept, v) {
						t.Fatalf("row %d is kept as another", i)
					}
				}
				last := cosine(query, rows[want[len(want)-1]])
				for _, i := range want {
					if c := cosine(query, rows[i]); !slices.Contains(got, i) && c-last > 1e-7 {
						t.Fatalf("row %d with cosine %.6f is not among %d candidates for the best %d", i, c, len(got), k)
					}
				}
				for _, i := range got {
					if len(rows[i]) != width || !admit(i) {
						t.Fatalf("row %d, which may not be found, is a candidate", i)
					}
				}
			}
		})
	}
}

func TestFloor(t *testing.T) {
	s := New(2, 1<<20)
	for _, v := range [][]float32{{1, 0}, {1, 1}, {0, 1}, {-1, 0}} {
		s.Add(v)
	}
	if got := s.Candidates([]float32{2, 0}, 4, 0.5, func(int) bool { return true }); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("with a cosine of 0.5 and more: %v", got)
	}
	if got := s.Candidates([]float32{0, 0}, 4, -2, func(int) bool { return true }); got != nil {
		t.Errorf("a question without a direction finds %v", got)
	}
}

// TestKernel: both ways of computing give the same sums, at the largest codes too.
func TestKernel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, stride := range []int{16, 32, 48, 384, 8192} {
		query, rows := make([]int16, stride), make([]int8, 5*stride)
		for _, extreme := range []bool{false, true} {
			for i := range query {
				if query[i] = int16(r.IntN(2*queryMax+1) - queryMax); extreme {
					query[i] = -queryMax
				}
			}
			for i := range rows {
				if rows[i] = int8(r.IntN(2*codeMax+1) - codeMax); extreme {
					rows[i] = -codeMax
				}
			}
			want, got := make([]int32, 5), make([]int32, 5)
			dotsPlain(query, rows, stride, want)
			dots(query, rows, stride, got)
			if !slices.Equal(want, got) {
				t.Errorf("stride %d: %v, want %v", stride, got, want)
			}
		}
	}
}

func BenchmarkCandidates(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, size := range [][2]int{{10_000, 384}, {50_000, 384}, {50_000, 1024}} {
		s := New(size[1], 1<<30)
		for range size[0] {
			s.Add(random(r, size[1], nil, 1))
		}
		query := random(r, size[1], nil, 1)
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = len(s.Candidates(query, 48, -2, func(int) bool { return true }))
			}
			b.ReportMetric(float64(n), "candidates")
		})
	}
}
