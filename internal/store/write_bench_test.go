package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// writers is a maintained store of 10,000 rows with vectors of 384 numbers.
func writers(b *testing.B) (*Store, []memory.Memory) {
	b.Helper()
	const rows, dims = 10_000, 384
	s := open(b, b.TempDir(), func(o *Options) { o.Dimensions = dims })
	list := make([]memory.Memory, rows)
	for i := range list {
		list[i] = wide(fmt.Sprintf("memory number %d speaks of the weekly deployment of a service", i))
	}
	for some := range slices.Chunk(list, 1000) {
		insert(b, s, some...)
	}
	if _, err := s.Maintain(b.Context()); err != nil {
		b.Fatal(err)
	}
	return s, list
}

func wide(text string) memory.Memory {
	v := make([]float32, 384)
	for i := range v {
		v[i] = float32(rand.NormFloat64() / math.Sqrt(384))
	}
	return mem(text, withVector(v))
}

// storing is what the engine's verb does.
func storing(b *testing.B, s *Store, m memory.Memory) {
	near := s.NearestAhead(b.Context(), everyone(), memory.Narrow{ActiveAt: start}, m.Vector, 3, 0.9)
	err := s.Write(b.Context(), "storing a memory", func(tx *Tx) error {
		if _, err := tx.NearestAfter(b.Context(), near); err != nil {
			return err
		}
		return tx.Create(m)
	})
	if err != nil {
		b.Error(err)
	}
}

// BenchmarkWrite10k tells the median and the 95th percentile of single writes,
// and what eight writers at once make of it.
func BenchmarkWrite10k(b *testing.B) {
	s, list := writers(b)
	next := 0
	verbs := []struct {
		name string
		do   func(i int)
	}{
		{"insert", func(i int) { insert(b, s, wide(fmt.Sprint("plain ", i))) }},
		{"store", func(i int) { storing(b, s, wide(fmt.Sprint("stored ", i))) }},
		{"update", func(i int) {
			m := list[i%1000]
			m.Importance = rand.Float64()
			if err := s.Write(b.Context(), "updating", func(tx *Tx) error { return tx.Update(m) }); err != nil {
				b.Error(err)
			}
		}},
		{"forget", func(int) { next++; remove(b, s, list[len(list)-next].ID) }},
	}
	for _, v := range verbs {
		b.Run(v.name, func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				begun := time.Now()
				v.do(i)
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms-p95")
		})
	}
	b.Run("eight stores", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			together(8, func(n int) { storing(b, s, wide(fmt.Sprint("parallel ", i, n))) })
		}
	})
	b.Run("eight forgets", func(b *testing.B) {
		for b.Loop() {
			at := len(list) - next - 8
			together(8, func(n int) { remove(b, s, list[at+n].ID) })
			next += 8
		}
	})
}

// together runs do n times at once.
func together(n int, do func(int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}
