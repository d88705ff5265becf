package engine

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

// TestHandOverReembedded embeds a database of the Node packages anew, with another
// width, and hands it back while it is open here: their rows are all there with the
// new vectors, and they search, write and delete in it as in their own.
func TestHandOverReembedded(t *testing.T) {
	packages := nodePackages(t)
	for _, version := range slices.Sorted(maps.Keys(packages)) {
		for _, ints := range []bool{false, true} {
			t.Run(version, func(t *testing.T) {
				handlesComeBack(t)
				p := packages[version]
				db := filepath.Join(t.TempDir(), "db")
				rows := tsRows(96)
				p.run(t, "write", db, map[string]any{"rows": rows, "integerTimes": ints}, &struct{}{})
				fresh := &ofWidth{name: "new", width: width}
				f := reopen(t, db, nil, fresh.oneShot)
				done, err := f.Reembed(t.Context(), ReembedRequest{Who: Operator()})
				if err != nil || !done.Complete || done.Rows != len(rows) || done.Pending != 1 { // one has no text
					t.Fatalf("%+v, %v", done, err)
				}
				global := "global"
				row := tsRow{ID: theirs, Text: "The old package adds a marimba", Vector: fresh.vector("The old package adds a marimba"), Category: "fact", Scope: &global, Timestamp: now.UnixMilli()}
				var c checked
				p.run(t, "check", db, map[string]any{
					"vector": fresh.vector(rows[0].Text), "text": "kazoo", "filter": "scope = 'agent:other'", "row": row, "touch": rowPlain,
				}, &c)
				if c.Rows != len(rows) || c.Filtered != 1 || c.After != len(rows)+1 || len(c.Nearest) == 0 || c.Nearest[0] != rowPlain || !slices.Contains(c.Words, rowElsewhere) {
					t.Errorf("the Node package reports %+v", c)
				}
				if got := f.recalled("The old package adds a marimba"); len(got) == 0 || got[0] != row.Text {
					t.Errorf("found %q", got)
				}
				if err := f.database().CheckVectors(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
