package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if code, ok := childMain(); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// Peer-defect A1, and the promise of the store: a process that is killed loses
// nothing that it acknowledged and leaves nothing half done. Two databases live
// through 25 kills each.
func TestKilledProcessesLoseNothing(t *testing.T) {
	const seed = 1
	for first := 0; first < 2*episodeKills; first += episodeKills {
		t.Run(fmt.Sprintf("from %d", first), func(t *testing.T) {
			t.Parallel()
			k := &killer{seed: seed, log: io.Discard, looks: 6}
			if err := k.episode(context.WithoutCancel(t.Context()), filepath.Join(t.TempDir(), "db"), first, first+episodeKills); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The model itself must see what it is there to see.
func TestModelSeesFaults(t *testing.T) {
	row := func(id, text string) Row { return Row{ID: id, Text: text, Points: text} }
	a, b, c := row("a", "first"), row("b", "second"), row("c", "third")
	ended := a
	ended.Newer = "c"
	base := func() *Model {
		m := newModel()
		m.rows["a"], m.rows["b"] = a, b
		m.open[step{1, 1}] = Line{Operation: "supersede", Effects: []Effect{{"a", &ended}, {"c", &c}}}
		return m
	}
	tests := map[string]struct {
		actual []Row
		want   string // of the error; empty means none
	}{
		"nothing done":                 {[]Row{a, b}, ""},
		"all done":                     {[]Row{ended, b, c}, ""},
		"old half alone":               {[]Row{ended, b}, "torn"},
		"new half alone":               {[]Row{a, b, c}, "torn"},
		"an acknowledged row is lost":  {[]Row{a}, "lost"},
		"an acknowledged row is older": {[]Row{a, row("b", "zeroth")}, "not as it was"},
		"a row too many":               {[]Row{a, b, row("d", "fourth")}, "never stored"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			actual := map[string]Row{}
			for _, r := range test.actual {
				actual[r.ID] = r
			}
			_, err := base().settle(actual)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
