package rank

import (
	"math"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Life is what ageing looks at in a memory.
type Life struct {
	// Created is when it was stated, Accessed when it was last recalled on purpose.
	Created, Accessed time.Time
	// Accesses counts recalls on purpose; injections weigh a quarter, see LifeOf.
	Accesses               float64
	Importance, Confidence float64
	Tier                   memory.Tier
	// Dynamic statements ("today …") age three times as fast.
	Dynamic bool
}

// Decay is the ageing of memories by tier: how much of a score is left when a
// memory has not been used for long. Its parameters are those of the
// configuration; the formulas are the TypeScript plugin's decay engine.
type Decay struct {
	// RecencyHalfLifeDays is the half-life of recency; 0 is no ageing at all.
	RecencyHalfLifeDays float64
	// The weights of the composite.
	RecencyWeight, FrequencyWeight, IntrinsicWeight float64
	// StaleThreshold is the composite below which a memory is stale.
	StaleThreshold float64
	// SearchBoostMin is the least that a score is multiplied by.
	SearchBoostMin float64
	// ImportanceModulation stretches the half-life by e^(modulation·importance).
	ImportanceModulation float64
	// The exponents bend the curve: over 1 it falls slowly at first and fast later.
	BetaCore, BetaWorking, BetaPeripheral float64
	// The floors are how much of itself a memory of a tier keeps at any age.
	CoreFloor, WorkingFloor, PeripheralFloor float64
}

// DefaultDecay holds the values of a configuration that says nothing.
var DefaultDecay = Decay{
	RecencyHalfLifeDays: 30, RecencyWeight: 0.4, FrequencyWeight: 0.3, IntrinsicWeight: 0.3,
	StaleThreshold: 0.3, SearchBoostMin: 0.3, ImportanceModulation: 1.5,
	BetaCore: 0.8, BetaWorking: 1, BetaPeripheral: 1.3,
	CoreFloor: 0.9, WorkingFloor: 0.7, PeripheralFloor: 0.5,
}

// Dynamic statements have a third of the half-life.
const dynamicShare = 3

// Recency is a stretched exponential (Weibull) of the days since a memory was
// last used, or made: e^(−(ln 2 / H)·days^β), H being the half-life stretched by
// importance and β the tier's. It lies in [0,1]; the future counts as now.
func (d Decay) Recency(l Life, now time.Time) float64 {
	half := positive(d.RecencyHalfLifeDays)
	if half == 0 {
		return 1
	}
	if l.Dynamic {
		half /= dynamicShare
	}
	half *= math.Exp(positive(d.ImportanceModulation) * Clamp(l.Importance))
	return Clamp(math.Exp(-math.Ln2 / half * math.Pow(l.idle(now), d.beta(l.Tier))))
}

// Frequency is 1 − e^(−n/5) of n accesses; from the second on, accesses far
// apart count less: times 0.5 + 0.5·e^(−gap/30), gap being their mean distance in
// days, and at least as much as one access alone.
func (d Decay) Frequency(l Life) float64 {
	n := positive(l.Accesses)
	f := 1 - math.Exp(-n/5)
	if n > 1 {
		gap := max(1, days(l.Created, l.Accessed)) / (n - 1)
		f = max(f*(0.5+0.5*math.Exp(-gap/30)), 1-math.Exp(-1.0/5))
	}
	return Clamp(f)
}

// Intrinsic is importance × confidence.
func (d Decay) Intrinsic(l Life) float64 { return Clamp(l.Importance) * Clamp(l.Confidence) }

// Composite says how alive a memory is, in [0,1]: the weighted sum of recency,
// frequency and intrinsic worth. Tiers move by it.
func (d Decay) Composite(l Life, now time.Time) float64 {
	return Clamp(usable(d.RecencyWeight)*d.Recency(l, now) + usable(d.FrequencyWeight)*d.Frequency(l) + usable(d.IntrinsicWeight)*d.Intrinsic(l))
}

// Stale reports whether a memory has faded.
func (d Decay) Stale(l Life, now time.Time) bool { return d.Composite(l, now) < d.StaleThreshold }

// Factor is what a score is multiplied by, in [SearchBoostMin, 1]:
// m + (1−m)·max(tier floor, composite, recency).
func (d Decay) Factor(l Life, now time.Time) float64 {
	least := Clamp(d.SearchBoostMin)
	alive := max(d.floor(l.Tier), d.Composite(l, now), d.Recency(l, now))
	return least + (1-least)*alive
}

func (d Decay) beta(t memory.Tier) float64 {
	switch t {
	case memory.TierCore:
		return positive(d.BetaCore)
	case memory.TierPeripheral:
		return positive(d.BetaPeripheral)
	}
	return positive(d.BetaWorking)
}

func (d Decay) floor(t memory.Tier) float64 {
	switch t {
	case memory.TierCore:
		return Clamp(d.CoreFloor)
	case memory.TierPeripheral:
		return Clamp(d.PeripheralFloor)
	}
	return Clamp(d.WorkingFloor)
}

// idle is the days since the memory was used, or made when it never was.
func (l Life) idle(now time.Time) float64 {
	if l.Accesses > 0 && !l.Accessed.IsZero() {
		return days(l.Accessed, now)
	}
	return days(l.Created, now)
}

func days(from, to time.Time) float64 { return max(0, to.Sub(from).Hours()/24) }

// positive is v, or 0 for what is negative or no finite number.
func positive(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 1) {
		return 0
	}
	return v
}
