package rank

import (
	"math"
	"testing"
)

func TestAgeWithoutTiers(t *testing.T) {
	for name, c := range map[string]struct {
		age  Age
		life Life
		want float64
	}{
		"new":                         {DefaultAge, Life{Created: ago(0)}, 1},
		"two weeks":                   {DefaultAge, Life{Created: ago(14)}, (1 + 0.1/math.E) / 1.1 * (0.5 + 0.5*math.Exp(-14.0/60))},
		"for ever":                    {DefaultAge, Life{Created: ago(1e6)}, 0.5 / 1.1},
		"all off":                     {Age{}, Life{Created: ago(365)}, 1},
		"no recency weight":           {Age{RecencyHalfLifeDays: 14}, Life{Created: ago(365)}, 1},
		"dynamic":                     {Age{TimeDecayHalfLifeDays: 60}, Life{Created: ago(20), Dynamic: true}, 0.5 + 0.5/math.E},
		"reinforced":                  {Age{TimeDecayHalfLifeDays: 60, ReinforcementFactor: 0.5, MaxHalfLifeMultiplier: 3}, Life{Created: ago(60), Accessed: ago(0), Accesses: 3}, 0.5 + 0.5*math.Exp(-60/(60+30*math.Log(4)))},
		"reinforced, long ago":        {Age{TimeDecayHalfLifeDays: 60, ReinforcementFactor: 0.5, MaxHalfLifeMultiplier: 3}, Life{Created: ago(60), Accessed: ago(30), Accesses: 3}, 0.5 + 0.5*math.Exp(-60/(60+30*math.Log(2.5)))},
		"reinforced to the bound":     {Age{TimeDecayHalfLifeDays: 60, ReinforcementFactor: 2, MaxHalfLifeMultiplier: 1.5}, Life{Created: ago(90), Accessed: ago(0), Accesses: 1000}, 0.5 + 0.5/math.E},
		"no reinforcement":            {Age{TimeDecayHalfLifeDays: 60, MaxHalfLifeMultiplier: 3}, Life{Created: ago(60), Accessed: ago(0), Accesses: 9}, 0.5 + 0.5/math.E},
		"a bound under one is no cut": {Age{TimeDecayHalfLifeDays: 60, ReinforcementFactor: 1}, Life{Created: ago(60), Accessed: ago(0), Accesses: 9}, 0.5 + 0.5/math.E},
	} {
		near(t, name, c.age.Factor(c.life, noon), c.want)
	}
	near(t, "importance 0", Importance(0), 0.7)
	near(t, "importance 1", Importance(1), 1)
}

func TestLength(t *testing.T) {
	for _, c := range []struct {
		characters, anchor int
		want               float64
	}{{0, 500, 1}, {500, 500, 1}, {1000, 500, 1 / 1.5}, {4000, 500, 1 / 2.5}, {4000, 0, 1}, {4000, -1, 1}, {1, 1, 1}} {
		near(t, "length", Length(c.characters, c.anchor), c.want)
	}
	near(t, "above a floor", Scale(0.95, 0.85, 0.5), 0.9)
	near(t, "on the floor", Scale(0.85, 0.85, 0.1), 0.85)
	near(t, "below the floor", Scale(0.5, 0.85, 0.1), 0.5)
	near(t, "no floor", Scale(0.8, 0, 0.5), 0.4)
}
