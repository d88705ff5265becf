package memory

import (
	"strings"
	"testing"
	"time"
)

func TestFactKey(t *testing.T) {
	long := strings.Repeat("very ", 30)
	for _, c := range []struct {
		kind       Category
		text, want string
	}{
		{Preferences, "Favourite  Tea: jasmine", "preferences:favourite tea"},
		{Preferences, "称呼偏好：老师", "preferences:称呼偏好"},
		{Entities, "Staging host -> 10.0.0.7", "entities:staging host"},
		{Entities, "Deploy => on Friday -> maybe", "entities:deploy"},
		{Preferences, "Mara prefers window seats.", "preferences:mara prefers window seats"},
		{Preferences, "我喜欢乌龙茶。", "preferences:我喜欢乌龙茶"},
		{Preferences, long + "long heading: tea", "preferences:" + long + "long heading: tea"},
		{Preferences, ": tea", "preferences:: tea"},
		{Preferences, "...", ""},
		{Profile, "Name: Mara", ""},
		{Events, "Moved to Oslo", ""},
	} {
		if got := FactKey(c.kind, c.text); got != c.want {
			t.Errorf("FactKey(%s, %q) = %q, want %q", c.kind, c.text, got, c.want)
		}
	}
}

func TestRestate(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	m := Memory{Text: "The gate opens tomorrow", Category: StoredOther, Metadata: NewMetadata("The gate opens tomorrow", Patterns, SourceManual, at)}
	m.Metadata.ValidUntil, m.Metadata.TemporalType = at.Add(24*time.Hour), "dynamic"
	before := m.Metadata

	m.Restate(m.Text, StoredOther, Patterns)
	if m.Metadata.String() != before.String() {
		t.Errorf("restating the same changed %s to %s", before, m.Metadata)
	}
	m.Restate("Gate: opens at nine", StoredEntity, Entities)
	d := m.Metadata
	if m.Text != "Gate: opens at nine" || d.L0 != m.Text || d.L2 != m.Text || d.L1 != "- "+m.Text ||
		!d.ValidUntil.IsZero() || d.TemporalType != "" || d.FactKey != "entities:gate" || m.Kind() != Entities || m.Category != StoredEntity {
		t.Errorf("restated: %+v", m)
	}
	if !d.ValidFrom.Equal(at) || d.Source != SourceManual {
		t.Errorf("what does not come from the text changed: %+v", d)
	}
	m.Restate(m.Text, StoredPreference, Preferences)
	if m.Metadata.Layer != LayerDurable || m.Metadata.FactKey != "preferences:gate" {
		t.Errorf("another category: %+v", m.Metadata)
	}
	m.Metadata.Layer = LayerArchive // set by hand
	m.Restate(m.Text, StoredOther, Patterns)
	if m.Metadata.Layer != LayerArchive || m.Metadata.FactKey != "" {
		t.Errorf("a layer set by hand: %+v", m.Metadata)
	}
}
