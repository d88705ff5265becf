package memory

import (
	"encoding/json"
	"testing"
	"time"
)

func TestNarrowKeeps(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	plain := func(change func(*Memory)) Memory {
		m := Memory{ID: "a", Text: "tea", Category: StoredFact, Scope: "global", Time: now, Metadata: NewMetadata("tea", Cases, SourceManual, now)}
		if change != nil {
			change(&m)
		}
		return m
	}
	extra := func(value string) func(*Memory) {
		return func(m *Memory) {
			m.Metadata.Extra = map[string]json.RawMessage{"suppressed_until_ms": json.RawMessage(value)}
		}
	}
	tests := []struct {
		name   string
		narrow Narrow
		m      Memory
		keeps  bool
	}{
		{"nothing asked", Narrow{}, plain(nil), true},
		{"one of the categories", Narrow{Categories: []string{"events", "cases"}}, plain(nil), true},
		{"by the column", Narrow{Categories: []string{"fact"}}, plain(nil), true},
		{"none of the categories", Narrow{Categories: []string{"events", "profile"}}, plain(nil), false},
		{"a blank category is none", Narrow{Categories: []string{" "}}, plain(nil), false},
		{"archived by state", Narrow{HideArchived: true}, plain(func(m *Memory) { m.Metadata.State = StateArchived }), false},
		{"archived by layer", Narrow{HideArchived: true}, plain(func(m *Memory) { m.Metadata.Layer = LayerArchive }), false},
		{"pending is not archived", Narrow{HideArchived: true}, plain(func(m *Memory) { m.Metadata.State = StatePending }), true},
		{"pending is not confirmed", Narrow{ConfirmedOnly: true}, plain(func(m *Memory) { m.Metadata.State = StatePending }), false},
		{"no state is confirmed", Narrow{ConfirmedOnly: true}, plain(func(m *Memory) { m.Metadata.State = "" }), true},
		{"its layer", Narrow{HideLayers: []string{LayerWorking}}, plain(nil), false},
		{"a layer that follows from its source", Narrow{HideLayers: []string{LayerReflection}},
			plain(func(m *Memory) { m.Metadata.Layer, m.Metadata.Source = "", SourceDreaming }), false},
		{"another layer", Narrow{HideLayers: []string{LayerArchive, LayerReflection}}, plain(nil), true},
		{"a reflection", Narrow{HideReflections: true}, plain(func(m *Memory) { m.Category = StoredReflection }), false},
		{"just new enough", Narrow{Since: now}, plain(nil), true},
		{"too old", Narrow{Since: now.Add(time.Millisecond)}, plain(nil), false},
		{"of no known age", Narrow{Since: now}, plain(func(m *Memory) { m.Time = time.Time{} }), false},
		{"held back", Narrow{UnsuppressedAt: now}, plain(extra("1772442000001")), false},
		{"no longer held back", Narrow{UnsuppressedAt: now}, plain(extra("1772442000000")), true},
		{"held back for ever", Narrow{UnsuppressedAt: now}, plain(extra("1e300")), false},
		{"held back until nonsense", Narrow{UnsuppressedAt: now}, plain(extra(`"soon"`)), true},
	}
	for _, tt := range tests {
		if got := tt.narrow.Keeps(tt.m); got != tt.keeps {
			t.Errorf("%s: kept is %v", tt.name, got)
		}
	}
}
