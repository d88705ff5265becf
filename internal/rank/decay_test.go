package rank

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func ago(days float64) time.Time { return noon.Add(-time.Duration(days * 24 * float64(time.Hour))) }

// The values are worked out by hand from the formulas in the comments.
func TestDecayByTier(t *testing.T) {
	for _, c := range []struct {
		name                         string
		life                         Life
		recency, frequency, composed float64
		factor                       float64
	}{
		{"new", Life{Created: ago(0), Importance: 0.7, Confidence: 0.7}, 1, 0, 0.4 + 0.3*0.49, 1},
		{"in the future", Life{Created: ago(-5), Importance: 0.7, Confidence: 0.7}, 1, 0, 0.4 + 0.3*0.49, 1},
		// Half-life 30·e^0 = 30 days.
		{"30 days, worthless", Life{Created: ago(30)}, 0.5, 0, 0.2, 0.3 + 0.7*0.7},
		{"30 days, peripheral", Life{Created: ago(30), Tier: memory.TierPeripheral}, math.Exp(-math.Ln2 / 30 * math.Pow(30, 1.3)), 0, 0.4 * math.Exp(-math.Ln2/30*math.Pow(30, 1.3)), 0.3 + 0.7*0.5},
		{"240 days, core", Life{Created: ago(240), Importance: 0.7, Confidence: 1, Tier: memory.TierCore},
			math.Exp(-math.Ln2 / (30 * math.Exp(1.05)) * math.Pow(240, 0.8)), 0,
			0.4*math.Exp(-math.Ln2/(30*math.Exp(1.05))*math.Pow(240, 0.8)) + 0.3*0.7, 0.3 + 0.7*0.9},
		{"10 days, dynamic", Life{Created: ago(10), Dynamic: true}, 0.5, 0, 0.2, 0.3 + 0.7*0.7},
		{"used an hour ago", Life{Created: ago(400), Accessed: ago(0), Accesses: 1}, 1, 1 - math.Exp(-0.2), 0.4 + 0.3*(1-math.Exp(-0.2)), 1},
		// Nine accesses in 80 days are 10 days apart.
		{"used nine times", Life{Created: ago(80), Accessed: ago(0), Accesses: 9}, 1, (1 - math.Exp(-1.8)) * (0.5 + 0.5*math.Exp(-1.0/3)), 0.4 + 0.3*(1-math.Exp(-1.8))*(0.5+0.5*math.Exp(-1.0/3)), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := DefaultDecay
			near(t, "recency", d.Recency(c.life, noon), c.recency)
			near(t, "frequency", d.Frequency(c.life), c.frequency)
			near(t, "composite", d.Composite(c.life, noon), c.composed)
			near(t, "factor", d.Factor(c.life, noon), c.factor)
		})
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// Every parameter does what it says, 0 included.
func TestDecayParameters(t *testing.T) {
	old := Life{Created: ago(365), Importance: 0, Confidence: 1}
	for name, c := range map[string]struct {
		change func(*Decay)
		want   float64
	}{
		"as configured":                 {func(*Decay) {}, 0.3 + 0.7*0.7},
		"no half-life is no ageing":     {func(d *Decay) { d.RecencyHalfLifeDays = 0 }, 1},
		"no floor":                      {func(d *Decay) { d.WorkingFloor, d.SearchBoostMin, d.RecencyWeight = 0, 0, 0 }, math.Exp(-math.Ln2 / 30 * 365)},
		"a floor of 1 never ages":       {func(d *Decay) { d.WorkingFloor = 1 }, 1},
		"a least boost of 1 never ages": {func(d *Decay) { d.SearchBoostMin = 1 }, 1},
		"an exponent of 0 ignores time": {func(d *Decay) { d.BetaWorking = 0 }, 0.3 + 0.7*math.Exp2(-1.0/30)},
		"of another tier does nothing":  {func(d *Decay) { d.CoreFloor, d.PeripheralFloor, d.BetaCore = 0, 0, 0 }, 0.3 + 0.7*0.7},
	} {
		d := DefaultDecay
		c.change(&d)
		near(t, name, d.Factor(old, noon), c.want)
	}
	important := Life{Created: ago(365), Importance: 1, Confidence: 1}
	d := DefaultDecay
	d.IntrinsicWeight, d.WorkingFloor = 1, 0
	near(t, "intrinsic weight 1", d.Factor(important, noon), 1)
	d.IntrinsicWeight, d.ImportanceModulation, d.SearchBoostMin = 0, 0, 0
	near(t, "no modulation", d.Factor(important, noon), math.Exp(-math.Ln2/30*365))
	d.StaleThreshold = 0
	if d.Stale(important, noon) {
		t.Error("stale under a threshold of 0")
	}
}

func anyLife() *rapid.Generator[Life] {
	return rapid.Custom(func(t *rapid.T) Life {
		return Life{
			Created: ago(rapid.Float64Range(-10, 4000).Draw(t, "created")), Accessed: ago(rapid.Float64Range(-10, 4000).Draw(t, "accessed")),
			Accesses: anyFloat().Draw(t, "accesses"), Importance: anyFloat().Draw(t, "importance"), Confidence: anyFloat().Draw(t, "confidence"),
			Tier:    rapid.SampledFrom([]memory.Tier{"", memory.TierCore, memory.TierWorking, memory.TierPeripheral, "odd"}).Draw(t, "tier"),
			Dynamic: rapid.Bool().Draw(t, "dynamic"),
		}
	})
}

func TestAgeingStaysInTheUnitIntervalWhateverGoesIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d Decay
		for _, p := range []*float64{&d.RecencyHalfLifeDays, &d.RecencyWeight, &d.FrequencyWeight, &d.IntrinsicWeight, &d.SearchBoostMin, &d.ImportanceModulation,
			&d.BetaCore, &d.BetaWorking, &d.BetaPeripheral, &d.CoreFloor, &d.WorkingFloor, &d.PeripheralFloor} {
			*p = anyFloat().Draw(t, "parameter")
		}
		var a Age
		for _, p := range []*float64{&a.RecencyHalfLifeDays, &a.RecencyWeight, &a.TimeDecayHalfLifeDays, &a.ReinforcementFactor, &a.MaxHalfLifeMultiplier} {
			*p = anyFloat().Draw(t, "parameter")
		}
		l := anyLife().Draw(t, "life")
		for name, v := range map[string]float64{
			"Recency": d.Recency(l, noon), "Frequency": d.Frequency(l), "Composite": d.Composite(l, noon), "Factor": d.Factor(l, noon),
			"Age.Recency": a.Recency(l, noon), "Age.TimeDecay": a.TimeDecay(l, noon), "Age.Factor": a.Factor(l, noon),
			"Importance": Importance(l.Importance), "Length": Length(int(min(max(l.Accesses, 0), 1e9)), 500),
		} {
			inUnit(t, name, v)
		}
	})
}

func TestOlderIsNeverWorthMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLife().Draw(t, "life")
		l.Accesses = rapid.Float64Range(0, 50).Draw(t, "recalls")
		l.Accessed = l.Created.Add(time.Duration(rapid.Float64Range(0, 1000).Draw(t, "later") * float64(time.Hour)))
		sooner := ago(rapid.Float64Range(0, 100).Draw(t, "sooner"))
		later := noon.Add(time.Duration(rapid.Float64Range(0, 10000).Draw(t, "later")) * time.Hour)
		for name, factor := range map[string]func(time.Time) float64{
			"Decay": func(at time.Time) float64 { return DefaultDecay.Factor(l, at) },
			"Age":   func(at time.Time) float64 { return DefaultAge.Factor(l, at) },
		} {
			if a, b := factor(sooner), factor(later); b > a+1e-12 {
				t.Fatalf("%s: %v at first, %v later", name, a, b)
			}
		}
		more := l
		more.Accesses += rapid.Float64Range(0, 20).Draw(t, "more")
		if DefaultDecay.Frequency(more) < DefaultDecay.Frequency(l)-1e-12 {
			t.Fatalf("frequency %v of %v accesses, %v of %v", DefaultDecay.Frequency(l), l.Accesses, DefaultDecay.Frequency(more), more.Accesses)
		}
	})
}

// B29: what was put before turns unasked moves nothing by itself.
func TestInjectionsCountOnlyBesideRecalls(t *testing.T) {
	row := func(recalls, injected int) memory.Memory {
		m := memory.Memory{Time: ago(90), Importance: 0.7, Metadata: memory.NewMetadata("x", memory.Cases, memory.SourceManual, ago(90))}
		m.Metadata.AccessCount = recalls
		if injected > 0 {
			m.Metadata.Extra = map[string]json.RawMessage{injectedKey: json.RawMessage(fmt.Sprint(injected))}
		}
		return m
	}
	for _, c := range []struct {
		recalls, injected int
		want              float64
	}{{0, 0, 0}, {0, 50, 0}, {4, 0, 4}, {4, 8, 6}, {4, 400, 8}} {
		if got := LifeOf(row(c.recalls, c.injected)).Accesses; got != c.want {
			t.Errorf("%d recalls and %d injections count %v, want %v", c.recalls, c.injected, got, c.want)
		}
	}
	odd := row(2, 0)
	odd.Metadata.Extra = map[string]json.RawMessage{injectedKey: json.RawMessage(`"many"`)}
	if got := LifeOf(odd).Accesses; got != 2 {
		t.Errorf("an odd count: %v", got)
	}
}
