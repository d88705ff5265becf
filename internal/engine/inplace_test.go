package engine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// opened is a database of the TypeScript plugin while we use it.
type opened struct {
	node     nodePackage
	width    int
	early    bool // without scopes, times and metadata
	provider *fakeProvider
	stored   string // id of a row of ours
}

// meaningful is a question without a word in common with the row it is about.
const meaningful = "where can one reach the daemon"

// meaning makes the provider understand it.
func (o *opened) meaning(*Options) {
	o.provider.set(func(p *fakeProvider) { p.vectors[meaningful] = hashed("The gateway listens on port 18789 " + rowPlain) })
}

// usable reports whether the vectors fit the configured model.
func (o *opened) usable() bool { return o.width == width }

// use reads, extends, updates and maintains it.
func (o *opened) use(t *testing.T, f *fixture) {
	ctx, all := t.Context(), scope.Operator().Filter()
	if got := f.recalled("which port does the gateway have"); len(got) == 0 || got[0] != "The gateway listens on port 18789" {
		t.Errorf("by keywords: %q", got)
	}
	answer := f.recall(meaningful, 3)
	if got := texts(answer); o.usable() != (len(got) > 0 && got[0] == "The gateway listens on port 18789") {
		t.Errorf("by meaning: %q", got)
	}
	if o.usable() != (len(answer.Degraded) == 0) {
		t.Errorf("degraded: %+v", answer.Degraded)
	}
	if got := f.recalled("蓝绿发布"); len(got) != 1 {
		t.Errorf("in Chinese: %q", got)
	}
	db, _ := f.opening.now()
	if v := db.Vectors(); v.Match() != o.usable() || v.Adopted != o.usable() || v.TableWidth != o.width {
		t.Errorf("the vectors: %+v", v)
	}
	if !o.early {
		o.standing(t, f, db)
	}

	added := f.remember("The zither of agent main is in the attic")
	o.stored = added.Memory.ID
	if o.usable() != (added.Pending == "") {
		t.Errorf("pending because %q", added.Pending)
	}
	for _, id := range []string{rowPlain, rowCorrupt, rowNoMeta} {
		importance := 0.9
		if a, err := f.Update(ctx, UpdateRequest{Who: main, ID: id, Importance: &importance}); err != nil || a.Action != Updated {
			t.Errorf("updating %s: %s, %v", id, a.Action, err)
		}
	}
	if a, err := f.Update(ctx, UpdateRequest{Who: main, ID: rowNoMeta, Text: "Deploys happen on Wednesdays"}); err != nil || a.Action != Updated {
		t.Errorf("a new text: %s, %v", a.Action, err)
	}
	if _, err := f.Delete(ctx, DeleteRequest{Who: Operator(), ID: rowElsewhere}); err != nil {
		t.Errorf("deleting: %v", err)
	}
	if r, err := db.Maintain(ctx); err != nil || r.Skipped || r.FilesMerged == 0 {
		t.Errorf("maintenance: %+v, %v", r, err)
	}
	plain, err := db.Get(ctx, all, rowPlain)
	if err != nil || len(plain.Vector) != o.width || plain.Importance != 0.9 {
		t.Fatalf("the updated row: %+v, %v", plain, err)
	}
	if !o.early && (string(plain.Metadata.Extra["custom_key"]) != `{"a":[1,2]}` || plain.Metadata.AccessCount != 7) {
		t.Errorf("its metadata: %s", plain.Metadata)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// standing checks the rows that must not, or no longer, be found as they are.
func (o *opened) standing(t *testing.T, f *fixture, db *store.Store) {
	ctx := t.Context()
	for _, hidden := range []string{"Brontes", "parking permit", "scope lost"} {
		if got := f.recalled(hidden); slices.ContainsFunc(got, func(s string) bool {
			return strings.Contains(s, "Brontes") || strings.Contains(s, "permit") || strings.Contains(s, "scope")
		}) {
			t.Errorf("%q finds %q", hidden, got)
		}
	}
	if got := f.recalled("kazoo"); len(got) != 1 || got[0] != "Keep answers about the kazoo short" {
		t.Errorf("of three rows about a kazoo agent main sees %q", got)
	}
	s, err := f.Stats(ctx, StatsRequest{Who: Operator()})
	if err != nil || s.Unscoped != 1 || s.Total != 12 || s.ByCategory["reflection"] != 1 {
		t.Errorf("stats: %+v, %v", s.Stats, err)
	}
	list, err := f.List(ctx, ListRequest{Who: Operator(), Limit: 50})
	if err != nil || len(list.Memories) != 12 {
		t.Fatalf("listed %d rows, %v", len(list.Memories), err)
	}
	// Newest first, also those that stated seconds; then the one without a scope is among them.
	want := []string{rowReflected, rowElsewhere, rowChinese, rowNoMeta, rowEmpty, rowCorrupt, rowExpired, rowNew, rowOld, rowNoScope, rowSeconds, rowPlain}
	if got := idsOf(list.Memories); !slices.Equal(got, want) {
		t.Errorf("listed %q", got)
	}
	mine, err := f.List(ctx, ListRequest{Who: main, Limit: 50})
	if err != nil || slices.Contains(idsOf(mine.Memories), rowNoScope) || len(mine.Memories) != 10 {
		t.Errorf("agent main lists %q, %v", idsOf(mine.Memories), err)
	}
	for category, want := range map[string][]string{
		"preferences": {rowSeconds}, "preference": {rowSeconds}, "entities": {rowNew, rowOld},
		"patterns": {rowReflected, rowEmpty, rowCorrupt}, "reflection": {rowReflected}, "events": {rowNoMeta, rowExpired},
	} {
		list, err := f.List(ctx, ListRequest{Who: Operator(), Category: category})
		if got := idsOf(list.Memories); err != nil || !slices.Equal(got, want) {
			t.Errorf("of category %s: %q, %v", category, got, err)
		}
	}
	m, err := db.Get(ctx, scope.Operator().Filter(), rowSeconds)
	if err != nil || !m.Time.Equal(now.Add(-11*24*time.Hour).Truncate(time.Second)) || m.Kind() != memory.Preferences || !m.Metadata.LastAccessedAt.Equal(now) {
		t.Errorf("the row in seconds: %+v, %v", m, err)
	}
}

func idsOf(list []memory.Memory) []string {
	var ids []string
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

const theirs = "22222222-2222-4222-8222-222222222222"

// handBack lets the old package work with what we left.
func (o *opened) handBack(t *testing.T, db string) {
	here, empty := "global", "{}"
	row := tsRow{ID: theirs, Text: "The old package adds a marimba", Category: "fact", Scope: &here, Importance: 0.5, Timestamp: now.UnixMilli(), Metadata: &empty, Vector: make([]float32, o.width)}
	copy(row.Vector, hashed(row.Text))
	vector := make([]float32, o.width)
	copy(vector, hashed("The gateway listens on port 18789 "+rowPlain))
	var c checked
	o.node.run(t, "check", db, map[string]any{
		"vector": vector, "text": "Steropes", "filter": "scope = 'global' AND category = 'decision'", "row": row, "touch": rowChinese,
	}, &c)
	if c.Rows != 12 || c.After != 13 || c.Filtered != 2 || !slices.Equal(c.Tables, []string{"memories"}) {
		t.Errorf("the old package counts %+v", c)
	}
	if len(c.Nearest) != 3 || c.Nearest[0] != rowPlain {
		t.Errorf("nearest in the old package: %q", c.Nearest)
	}
	if !slices.Equal(c.Words, []string{rowNew}) {
		t.Errorf("by word in the old package: %q %s", c.Words, c.WordsError)
	}
	for _, r := range c.Listed {
		if r.ID == rowNoMeta && (r.Text != "Deploys happen on Wednesdays" || r.Importance != 0.9) {
			t.Errorf("the old package reads %+v", r)
		}
	}
}

// readAgain reads what the old package added.
func (o *opened) readAgain(t *testing.T, f *fixture) {
	if got := f.recalled("marimba"); !slices.Equal(got, []string{"The old package adds a marimba"}) {
		t.Errorf("their row: %q", got)
	}
	if got := f.recalled("zither"); len(got) == 0 || got[0] != "The zither of agent main is in the attic" {
		t.Errorf("our row: %q", got)
	}
	if got := f.recalled("蓝绿发布"); len(got) != 1 {
		t.Errorf("the row they updated: %q", got)
	}
	db, _ := f.opening.now()
	if v := db.Vectors(); v.Match() != o.usable() || (v.Recorded != "") != o.usable() {
		t.Errorf("the vectors: %+v", v)
	}
	m, err := db.Get(t.Context(), scope.Operator().Filter(), o.stored)
	if err != nil || (m.Vector != nil) != o.usable() {
		t.Errorf("our row: %+v, %v", m, err)
	}
	if n := f.count(); n != 13 {
		t.Errorf("%d rows, want 13", n)
	}
}
