package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// all collects what Each hands over, and checks its promises about batches.
func all(t *testing.T, s *Store, who scope.Filter, n memory.Narrow, vectors bool, between func(batch int)) []string {
	t.Helper()
	var list []string
	batch := 0
	err := s.Each(t.Context(), who, n, vectors, func(ms []memory.Memory) error {
		if len(ms) == 0 || len(ms) > eachRows {
			t.Errorf("a batch of %d", len(ms))
		}
		for _, m := range ms {
			if (m.Vector != nil) != vectors {
				t.Errorf("%s has a vector: %v, want %v", m.ID, m.Vector != nil, vectors)
			}
			list = append(list, m.ID)
		}
		if between != nil {
			between(batch)
		}
		batch++
		return nil
	})
	if err != nil {
		t.Fatalf("Each: %v", err)
	}
	if !slices.IsSorted(list) {
		t.Error("not in order of id")
	}
	return list
}

// numberedIDs are rows whose ids sort as their numbers do.
func numberedIDs(n int) []memory.Memory {
	rows := numbered("row %d", n)
	for i := range rows {
		rows[i].ID = fmt.Sprintf("%08d-0000-4000-8000-000000000000", i)
	}
	return rows
}

func TestEach(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	rows := numberedIDs(2*eachRows + 7)
	ended := start.Add(time.Hour)
	var want, alice, active []string
	for i := range rows {
		if i%3 == 0 {
			rows[i].Scope = "agent:alice"
		}
		if i%2 == 0 {
			rows[i].Metadata.InvalidatedAt = ended
		}
		want = append(want, rows[i].ID)
		if i%3 != 0 {
			alice = append(alice, rows[i].ID)
		}
		if i%2 != 0 {
			active = append(active, rows[i].ID)
		}
	}
	insert(t, s, rows...)
	for _, tt := range []struct {
		name    string
		who     scope.Filter
		narrow  memory.Narrow
		vectors bool
		want    []string
	}{
		{"everything", everyone(), memory.Narrow{}, false, want},
		{"with vectors", everyone(), memory.Narrow{}, true, want},
		{"not another's", agent(t, "bob"), memory.Narrow{}, false, alice},
		{"what is valid", everyone(), memory.Narrow{ActiveAt: start.Add(2 * time.Hour)}, false, active},
		{"nobody", scope.Filter{}, memory.Narrow{}, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, all(t, s, tt.who, tt.narrow, tt.vectors, nil)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestEachBesideWriters changes the table between two batches: a row that moves
// within the table comes once, a deleted one not, one that leaves the scope not.
func TestEachBesideWriters(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	rows := numberedIDs(2 * eachRows)
	insert(t, s, rows...)
	first, deleted, hidden, last := rows[0], rows[eachRows+1], rows[eachRows+2], rows[len(rows)-1]
	got := all(t, s, agent(t, "bob"), memory.Narrow{}, false, func(batch int) {
		if batch > 0 {
			return
		}
		first.Importance, last.Importance, hidden.Scope = 0.1, 0.1, "agent:alice"
		if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(first, last, hidden) }); err != nil {
			t.Fatal(err)
		}
		remove(t, s, deleted.ID)
		insert(t, s, mem("late", withID("99999999-0000-4000-8000-000000000000")))
	})
	var want []string
	for _, m := range rows {
		if m.ID != deleted.ID && m.ID != hidden.ID {
			want = append(want, m.ID)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEachEndsWithAnError(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	insert(t, s, numberedIDs(eachRows+1)...)
	full, calls := errors.New("disk full"), 0
	err := s.Each(t.Context(), everyone(), memory.Narrow{}, false, func([]memory.Memory) error { calls++; return full })
	if err != full || calls != 1 { //nolint:errorlint // as it is, is the promise
		t.Errorf("%v after %d calls", err, calls)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Each(t.Context(), everyone(), memory.Narrow{}, false, func([]memory.Memory) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("of a closed store: %v", err)
	}
}
