package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

func TestStanding(t *testing.T) {
	hour := time.Hour
	for _, c := range []struct {
		d    memory.Metadata
		want string
	}{
		{memory.Metadata{}, "current"},
		{memory.Metadata{ValidFrom: now}, "current since 2026-03-02T09:00:00Z"},
		{memory.Metadata{ValidFrom: now, ValidUntil: now.Add(hour)}, "current since 2026-03-02T09:00:00Z, until 2026-03-02T10:00:00Z"},
		{memory.Metadata{ValidFrom: now.Add(hour)}, "holds only from 2026-03-02T10:00:00Z"},
		{memory.Metadata{ValidUntil: now}, "expired at 2026-03-02T09:00:00Z"},
		{memory.Metadata{InvalidatedAt: now}, "ended at 2026-03-02T09:00:00Z"},
		{memory.Metadata{InvalidatedAt: now, SupersededBy: "b"}, "replaced by b at 2026-03-02T09:00:00Z"},
		{memory.Metadata{InvalidatedAt: now.Add(hour), SupersededBy: "b"}, "current"},
	} {
		m := memory.Memory{Metadata: c.d}
		if got := Standing(m, now); got != c.want || strings.HasPrefix(got, "current") != m.Active(now) {
			t.Errorf("Standing(%+v) = %q, want %q; active: %v", c.d, got, c.want, m.Active(now))
		}
	}
}

// Links of foreign tables may lead in circles or nowhere.
func TestShowWithBrokenLinks(t *testing.T) {
	f := start(t, nil)
	a, b := row("aaaaaaaa-0000-4000-8000-000000000001", "One of two", "agent:main"), row("bbbbbbbb-0000-4000-8000-000000000001", "Two of two", "agent:main")
	a.Metadata.Supersedes, a.Metadata.SupersededBy = b.ID, b.ID
	b.Metadata.Supersedes, b.Metadata.SupersededBy = a.ID, "cccccccc-0000-4000-8000-000000000001"
	f.put(a, b)
	if got := f.show("bbbbbbbb").Versions; len(got) != 2 || got[0].ID != a.ID || got[1].ID != b.ID {
		t.Errorf("versions %+v", got)
	}
	if a := f.update(UpdateRequest{ID: a.ID, Importance: ptr(1)}); a.Memory.ID != b.ID {
		t.Errorf("the newest is %+v", a.Memory)
	}
	for _, id := range []string{"", "One of two", "aaaa"} {
		if _, err := f.Show(t.Context(), ShowRequest{Who: main, ID: id}); FaultOf(err) != FaultBadParams && FaultOf(err) != FaultNotFound {
			t.Errorf("showing %q: %v", id, err)
		}
	}
	if _, err := f.Show(t.Context(), ShowRequest{Who: Agent("other", ""), ID: a.ID}); FaultOf(err) != FaultNotFound {
		t.Errorf("somebody else: %v", err)
	}
}
