package rank

import (
	"math"
	"time"
)

// Age is the ageing without tiers, for those who have switched Decay off.
type Age struct {
	// RecencyHalfLifeDays and RecencyWeight favour what is new; either 0 is off.
	RecencyHalfLifeDays, RecencyWeight float64
	// TimeDecayHalfLifeDays is the half-life of a score; 0 is off.
	TimeDecayHalfLifeDays float64
	// ReinforcementFactor says how much recalls on purpose stretch that
	// half-life, to MaxHalfLifeMultiplier times at most.
	ReinforcementFactor, MaxHalfLifeMultiplier float64
}

// DefaultAge holds the values of a configuration that says nothing.
var DefaultAge = Age{
	RecencyHalfLifeDays: 14, RecencyWeight: 0.1,
	TimeDecayHalfLifeDays: 60, ReinforcementFactor: 0.5, MaxHalfLifeMultiplier: 3,
}

// accessHalfLifeDays is how fast the memory of a recall fades itself.
const accessHalfLifeDays = 30

// Recency is (1 + w·e^(−age/H)) / (1 + w). The TypeScript plugin adds w·e^(−age/H)
// to the score; as a factor it favours what is new by the same share at the top,
// and cannot lift what hardly fits over what fits well.
func (a Age) Recency(l Life, now time.Time) float64 {
	w, half := positive(a.RecencyWeight), positive(a.RecencyHalfLifeDays)
	if w == 0 || half == 0 {
		return 1
	}
	return Clamp((1 + w*math.Exp(-days(l.Created, now)/half)) / (1 + w))
}

// TimeDecay is 0.5 + 0.5·e^(−age/H), so half a score is left for ever.
func (a Age) TimeDecay(l Life, now time.Time) float64 {
	half := a.HalfLife(l, now)
	if half == 0 {
		return 1
	}
	return Clamp(0.5 + 0.5*math.Exp(-days(l.Created, now)/half))
}

// HalfLife is H of TimeDecay in days: a third for a dynamic statement, stretched
// by H·r·ln(1 + accesses·e^(−ln 2/30·days since the last)).
func (a Age) HalfLife(l Life, now time.Time) float64 {
	half := positive(a.TimeDecayHalfLifeDays)
	if l.Dynamic {
		half /= dynamicShare
	}
	fresh := positive(l.Accesses) * math.Exp(-math.Ln2/accessHalfLifeDays*l.idle(now))
	stretched := half + half*positive(a.ReinforcementFactor)*math.Log1p(fresh)
	return min(stretched, half*max(1, positive(a.MaxHalfLifeMultiplier)))
}

// Factor is the one factor of age: recency and time decay together.
func (a Age) Factor(l Life, now time.Time) float64 { return a.Recency(l, now) * a.TimeDecay(l, now) }

// Importance is what a score is multiplied by for the importance of its row,
// 0.7 + 0.3·importance (the TypeScript plugin's weight).
func Importance(importance float64) float64 { return 0.7 + 0.3*Clamp(importance) }
