package lifecycle

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"pgregory.net/rapid"
)

var now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// aged is a memory made and last recalled so many days ago.
func aged(tier memory.Tier, days, idle float64, recalls int, importance float64) memory.Memory {
	at := now.Add(-time.Duration(days * 24 * float64(time.Hour)))
	m := memory.Memory{Time: at, Importance: importance, Metadata: memory.NewMetadata("x", memory.Cases, memory.SourceManual, at)}
	m.Metadata.Tier, m.Metadata.AccessCount, m.Metadata.Confidence = tier, recalls, 1
	m.Metadata.LastAccessedAt = now.Add(-time.Duration(idle * 24 * float64(time.Hour)))
	return m
}

func TestTiers(t *testing.T) {
	const core, working, peripheral = memory.TierCore, memory.TierWorking, memory.TierPeripheral
	summary := aged(working, 400, 400, 0, 0)
	summary.Metadata.Source = memory.SourceSessionSummary
	for _, c := range []struct {
		name string
		m    memory.Memory
		want memory.Tier
	}{
		{"new", aged(working, 0, 0, 0, 0.7), working},
		{"no tier is working", aged("", 0, 0, 0, 0.7), working},
		{"recalled ten times, important", aged(working, 20, 0, 10, 0.8), core},
		{"recalled nine times", aged(working, 20, 0, 9, 0.8), working},
		{"recalled ten times, not important", aged(working, 20, 0, 10, 0.79), working},
		{"recalled ten times, long ago", aged(working, 400, 300, 10, 0.8), working},
		{"never recalled, 61 days", aged(working, 61, 61, 0, 0.9), peripheral},
		{"never recalled, 59 days", aged(working, 59, 59, 0, 0.9), working},
		{"recalled three times, 61 days", aged(working, 61, 1, 3, 0.5), working},
		{"recalled often, faded", aged(working, 4000, 3900, 4, 0), peripheral},
		{"comes back", aged(peripheral, 100, 0, 3, 0.5), working},
		{"comes back one step at a time", aged(peripheral, 20, 0, 50, 1), working},
		{"two recalls are too few", aged(peripheral, 100, 0, 2, 0.5), peripheral},
		{"recalled, but faded", aged(peripheral, 1000, 900, 3, 0), peripheral},
		{"core stays, however old", aged(core, 1000, 1000, 0, 0.9), core},
		{"core fades", aged(core, 4000, 4000, 0, 0), working},
		{"core that was used often stays", aged(core, 4000, 3990, 3, 0), core},
		{"the summary of a session never moves", summary, working},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Tier(c.m, now, rank.DefaultDecay, DefaultRules); got != c.want {
				t.Errorf("%s, want %s (composite %.3f)", got, c.want, rank.DefaultDecay.Composite(rank.LifeOf(c.m), now))
			}
		})
	}
}

func TestRulesDoWhatTheySay(t *testing.T) {
	m := aged(memory.TierWorking, 100, 100, 0, 0.5)
	for name, c := range map[string]struct {
		change func(*Rules)
		want   memory.Tier
	}{
		"as configured":        {func(*Rules) {}, memory.TierPeripheral},
		"no age":               {func(r *Rules) { r.PeripheralAgeDays = 0 }, memory.TierWorking},
		"nothing is rare":      {func(r *Rules) { r.WorkingAccess = 0 }, memory.TierWorking},
		"everything is core":   {func(r *Rules) { r.CoreAccess, r.CoreComposite, r.CoreImportance = 0, 0, 0 }, memory.TierCore},
		"a composite of 1 out": {func(r *Rules) { r.PeripheralAgeDays, r.PeripheralComposite = 0, 1 }, memory.TierPeripheral},
	} {
		rules := DefaultRules
		c.change(&rules)
		if got := Tier(m, now, rank.DefaultDecay, rules); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// B29, and that a memory never jumps over a tier.
func TestInjectionAloneMovesNothing(t *testing.T) {
	step := map[memory.Tier]int{memory.TierPeripheral: 0, memory.TierWorking: 1, memory.TierCore: 2}
	rapid.Check(t, func(t *rapid.T) {
		tier := rapid.SampledFrom([]memory.Tier{memory.TierCore, memory.TierWorking, memory.TierPeripheral}).Draw(t, "tier")
		m := aged(tier, rapid.Float64Range(0, 1000).Draw(t, "days"), rapid.Float64Range(0, 1000).Draw(t, "idle"), 0, rapid.Float64Range(0, 1).Draw(t, "importance"))
		twin := m
		twin.Metadata.Extra = map[string]json.RawMessage{"injected_count": json.RawMessage("50")}
		if a, b := Tier(m, now, rank.DefaultDecay, DefaultRules), Tier(twin, now, rank.DefaultDecay, DefaultRules); a != b {
			t.Fatalf("%s without, %s with injections", a, b)
		}
		m.Metadata.AccessCount = rapid.IntRange(0, 40).Draw(t, "recalls")
		if got := Tier(m, now, rank.DefaultDecay, DefaultRules); step[got]-step[tier] > 1 || step[tier]-step[got] > 1 {
			t.Fatalf("from %s to %s at once", tier, got)
		}
	})
}
