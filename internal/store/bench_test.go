package store

import (
	"fmt"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// filled is a store of n maintained rows.
func filled(b *testing.B, n int) *Store {
	b.Helper()
	s := open(b, b.TempDir())
	insert(b, s, numbered("memory number %d speaks of the weekly deployment of a service", n)...)
	if _, err := s.Maintain(b.Context()); err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkStore(b *testing.B) {
	s := filled(b, 1000)
	for i := 0; b.Loop(); i++ {
		insert(b, s, mem(fmt.Sprintf("another memory %d", i)))
	}
}

func BenchmarkUpdate(b *testing.B) {
	s := filled(b, 1000)
	page, err := s.List(b.Context(), ListQuery{Who: everyone(), Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	m := page.Memories[0]
	for i := 0; b.Loop(); i++ {
		m.Metadata.AccessCount = i
		if err := s.Write(b.Context(), "bench", func(tx *Tx) error { return tx.Update(m) }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		s := filled(b, n)
		who, narrow := everyone(), memory.Narrow{ActiveAt: start}
		page, err := s.List(b.Context(), ListQuery{Who: who, Limit: 1})
		if err != nil {
			b.Fatal(err)
		}
		id := page.Memories[0].ID
		reads := map[string]func() error{
			"Nearest":  func() error { _, err := s.Nearest(b.Context(), who, narrow, vec("x"), 40); return err },
			"Matching": func() error { _, err := s.Matching(b.Context(), who, narrow, "weekly number 7", 40); return err },
			"Get":      func() error { _, err := s.Get(b.Context(), who, id); return err },
			"List":     func() error { _, err := s.List(b.Context(), ListQuery{Who: who}); return err },
			"Stats":    func() error { _, err := s.Stats(b.Context(), who); return err },
		}
		for _, name := range []string{"Nearest", "Matching", "Get", "List", "Stats"} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if err := reads[name](); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
