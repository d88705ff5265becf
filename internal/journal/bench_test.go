package journal

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// realistic is an entry of the size a memory has: 200 characters, 384 numbers.
func realistic() *Entry {
	v := make([]float32, 384)
	for i := range v {
		v[i] = float32(i) / 1000
	}
	return &Entry{Actor: "tool", Agent: "main", Operation: "store", Changes: []Change{{ID: "0f3a9c5e-0000-4000-8000-000000000000",
		After: &Row{ID: "0f3a9c5e-0000-4000-8000-000000000000", Text: strings.Repeat("what was said ", 14), Category: "fact", Scope: "global", Importance: 0.7, Time: 1764504000000, Metadata: `{"l0_abstract":"x"}`, Vector: v}}}}
}

// BenchmarkAppend is what a caller waits for: written and synced, and noted as done.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprintf("%d entries", n), func(b *testing.B) {
			j := open(failing{b}, filepath.Join(b.TempDir(), "journal"), quiet())
			group := make([]*Entry, n)
			for b.Loop() {
				for i := range group {
					group[i] = realistic()
				}
				if _, err := j.Catch(); err != nil {
					b.Fatal(err)
				}
				if err := j.Append(group...); err != nil {
					b.Fatal(err)
				}
				if err := j.Done(group[n-1].Seq, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen is Open and the first Catch of a journal that is nearly full.
func BenchmarkOpen(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "journal")
	j := open(failing{b}, dir, quiet())
	for range 90 { // the newest segment is then about full
		group := make([]*Entry, 20)
		for i := range group {
			group[i] = realistic()
		}
		if err := j.Append(group...); err != nil {
			b.Fatal(err)
		}
		if err := j.Done(group[19].Seq, 1); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		j := open(failing{b}, dir, quiet())
		if _, err := j.Catch(); err != nil {
			b.Fatal(err)
		}
		_ = j.Close()
	}
}

// BenchmarkHistory reads all of a journal, per entry.
func BenchmarkHistory(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "journal")
	j := open(failing{b}, dir, quiet())
	group := make([]*Entry, 5000)
	for i := range group {
		group[i] = realistic()
	}
	if err := j.Append(group...); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for _, err := range j.Newest() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(group)), "ns/entry")
}
