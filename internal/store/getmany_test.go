package store

import (
	"fmt"
	"slices"
	"testing"
)

// Rows by id come with their vectors only where that is asked for, and never from
// outside the caller's scopes.
func TestRowsByID(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	a := mem("The train leaves from gate nine", inScope("agent:main"))
	b := mem("The boiler is serviced in October", inScope("agent:other"))
	insert(t, s, a, b)
	ids := []string{a.ID, b.ID, "no such id", a.ID}
	whole, err := s.GetWhole(t.Context(), everyone(), ids...)
	if err != nil || len(whole) != 2 || !slices.Equal(whole[a.ID].Vector, a.Vector) || len(a.Vector) == 0 {
		t.Errorf("whole: %v, %v", whole, err)
	}
	many, err := s.GetMany(t.Context(), everyone(), ids...)
	if err != nil || len(many) != 2 || many[a.ID].Vector != nil || many[b.ID].Text != b.Text {
		t.Errorf("many: %v, %v", many, err)
	}
	own, err := s.GetWhole(t.Context(), agent(t, "main"), ids...)
	if err != nil || len(own) != 1 || own[a.ID].Text != a.Text {
		t.Errorf("main's own: %v, %v", own, err)
	}
	// More ids than one condition takes.
	for i := range maxIDs + 1 {
		ids = append(ids, fmt.Sprint("missing", i))
	}
	if whole, err := s.GetWhole(t.Context(), everyone(), append(ids, b.ID)...); err != nil || len(whole) != 2 {
		t.Errorf("of many ids: %d, %v", len(whole), err)
	}
}

// Two reads of the same version saw the same rows.
func TestVersionGoesUpWithAChange(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	version := func() int64 {
		t.Helper()
		v, err := s.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := version()
	if version() != before {
		t.Error("it changed without a write")
	}
	insert(t, s, mem("The train leaves from gate nine"))
	if version() <= before {
		t.Error("it did not change with a write")
	}
}
