package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// pages walks a list to its end.
func pages(t *testing.T, s *Store, q ListQuery, between func(page int)) []string {
	t.Helper()
	var got []string
	for n := 0; ; n++ {
		page, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Memories {
			got = append(got, m.Text)
			if m.Vector != nil {
				t.Errorf("%s was listed with its vector", m.Text)
			}
		}
		if page.Next == "" {
			return got
		}
		if n > 100 {
			t.Fatal("the list does not end")
		}
		q.Cursor = page.Next
		if between != nil {
			between(n)
		}
	}
}

func TestListNewestFirst(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	var want []string
	for i := range 25 {
		// Three rows share each minute; among them the id decides.
		m := mem(fmt.Sprintf("row %02d", i), withID(fmt.Sprintf("id-%02d", i)), at(start.Add(-time.Duration(i/3)*time.Minute)))
		insert(t, s, m)
		want = append(want, m.Text)
	}
	for _, size := range []int{1, 4, 7, 25, 0, 2000} {
		if diff := cmp.Diff(want, pages(t, s, ListQuery{Who: everyone(), Limit: size}, nil)); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", size, diff)
		}
	}
	// New rows and deletions between two pages neither shift nor repeat the rest.
	got := pages(t, s, ListQuery{Who: everyone(), Limit: 10}, func(n int) {
		insert(t, s, mem(fmt.Sprintf("newer %d", n), at(start.Add(time.Hour))))
		if n == 0 {
			remove(t, s, "id-03", "id-12")
		}
	})
	want = append(want[:12:12], want[13:]...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("while others write (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"x", "bm9uc2Vuc2U", "e30"} {
		if _, err := s.List(t.Context(), ListQuery{Who: everyone(), Cursor: bad}); !errors.Is(err, ErrCursor) {
			t.Errorf("cursor %q: %v, want ErrCursor", bad, err)
		}
	}
}

func TestListNarrowed(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	var want []string
	for i := range 30 {
		m := mem(fmt.Sprintf("row %02d", i), at(start.Add(-time.Duration(i)*time.Minute)), func(m *memory.Memory) {
			m.Metadata.Category = []memory.Category{memory.Profile, memory.Cases, memory.Cases}[i%3]
		})
		insert(t, s, m)
		if i%3 == 0 {
			want = append(want, m.Text)
		}
	}
	got := pages(t, s, ListQuery{Who: everyone(), Limit: 3, Narrow: memory.Narrow{Category: "profile"}}, nil)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStats(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	insert(t, s, mem("a"), mem("b", inScope("agent:alice"), withVector(nil)), mem("c", func(m *memory.Memory) { m.Category = "preference" }))
	got, err := s.Stats(t.Context(), everyone())
	if err != nil {
		t.Fatal(err)
	}
	want := Stats{
		Total: 3, ByScope: map[string]int64{"global": 2, "agent:alice": 1},
		ByCategory: map[string]int64{"fact": 2, "preference": 1}, Pending: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
