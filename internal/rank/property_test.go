package rank

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// any draws every float there is, the odd ones often.
func anyFloat() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64(), rapid.Float64Range(-2, 2), rapid.Float64Range(0, 1),
		rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1, math.MaxFloat64, math.SmallestNonzeroFloat64}))
}

func anySide() *rapid.Generator[Side] {
	return rapid.Custom(func(t *rapid.T) Side {
		return Side{Score: anyFloat().Draw(t, "score"), Known: rapid.Bool().Draw(t, "known")}
	})
}

func anyExact() *rapid.Generator[Exact] {
	return rapid.Custom(func(t *rapid.T) Exact {
		return Exact{Identifiers: anyFloat().Draw(t, "identifiers"), Words: anyFloat().Draw(t, "words")}
	})
}

func anyProfile() *rapid.Generator[Profile] {
	return rapid.Custom(func(t *rapid.T) Profile {
		var p Profile
		x, y := rapid.Float64Range(-1, 0.5).Draw(t, "x"), 0.0
		for range rapid.IntRange(0, 4).Draw(t, "points") {
			x += rapid.Float64Range(0.001, 0.3).Draw(t, "dx")
			y = min(y+rapid.Float64Range(0, 0.4).Draw(t, "dy"), 1)
			p.Points = append(p.Points, Point{x, y})
		}
		return p
	})
}

func inUnit(t *rapid.T, name string, v float64) {
	if !(v >= 0 && v <= 1) {
		t.Fatalf("%s = %v, outside [0,1]", name, v)
	}
}

func TestEveryScoreIsInTheUnitInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := anyFloat().Draw(t, "x")
		w := Weights{anyFloat().Draw(t, "wv"), anyFloat().Draw(t, "wb")}
		inUnit(t, "Clamp", Clamp(x))
		inUnit(t, "Saturate", Saturate(x))
		inUnit(t, "Calibrate", Calibrate(anyProfile().Draw(t, "profile"), x))
		inUnit(t, "Fuse", Fuse(w, anySide().Draw(t, "v"), anySide().Draw(t, "b")))
		inUnit(t, "Guard", Guard(x, anyExact().Draw(t, "e")))
		inUnit(t, "ConvertDistanceThreshold", ConvertDistanceThreshold(x))
		if n := w.Normal(); math.Abs(n.Vector+n.BM25-1) > 1e-9 {
			t.Fatalf("weights %v sum to %v", n, n.Vector+n.BM25)
		}
	})
}

func TestMoreEvidenceNeverLowersAScore(t *testing.T) {
	unit := rapid.Float64Range(0, 1)
	rapid.Check(t, func(t *rapid.T) {
		lo, hi := unit.Draw(t, "lo"), unit.Draw(t, "hi")
		lo, hi = min(lo, hi), max(lo, hi)
		w := Weights{unit.Draw(t, "wv"), unit.Draw(t, "wb")}
		other := Known(unit.Draw(t, "other"))
		p := anyProfile().Draw(t, "profile")
		e := Exact{Identifiers: unit.Draw(t, "ids"), Words: unit.Draw(t, "words")}
		more := Exact{Identifiers: max(e.Identifiers, hi), Words: max(e.Words, hi)}
		for name, pair := range map[string][2]float64{
			"Saturate":         {Saturate(lo * 40), Saturate(hi * 40)},
			"Calibrate":        {Calibrate(p, lo*2-1), Calibrate(p, hi*2-1)},
			"Fuse by vector":   {Fuse(w, Known(lo), other), Fuse(w, Known(hi), other)},
			"Fuse by words":    {Fuse(w, other, Known(lo)), Fuse(w, other, Known(hi))},
			"Guard by score":   {Guard(lo, e), Guard(hi, e)},
			"Guard by match":   {Guard(lo, e), Guard(lo, more)},
			"Guard lifts only": {lo, Guard(lo, e)},
			"threshold":        {ConvertDistanceThreshold(lo), ConvertDistanceThreshold(hi)},
		} {
			if pair[0] > pair[1]+1e-12 {
				t.Fatalf("%s: %v for less, %v for more evidence", name, pair[0], pair[1])
			}
		}
	})
}

func TestCosineIsSymmetricAndBounded(t *testing.T) {
	vector := rapid.SliceOfN(rapid.Float32(), 4, 4)
	rapid.Check(t, func(t *rapid.T) {
		a, b := vector.Draw(t, "a"), vector.Draw(t, "b")
		x, okX := Cosine(a, b)
		y, okY := Cosine(b, a)
		if x != y || okX != okY || !(x >= -1 && x <= 1) {
			t.Fatalf("Cosine(a,b) = %v, %v; Cosine(b,a) = %v, %v", x, okX, y, okY)
		}
	})
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{"svc-billing-eu2 E1043", "支付网关什么时候发布", "the who", "\xff-a_1", "é.1@", "--__::", "v1.4.2."} {
		f.Add(s, s+" x")
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		q := ParseQuery(query)
		e, _ := q.Compare(text)
		if !(e.Words >= 0 && e.Words <= 1 && e.Identifiers >= 0 && e.Identifiers <= 1) {
			t.Fatalf("Exact = %+v", e)
		}
		if self, _ := q.Compare(query); len(q.terms) > 0 && len(q.terms) < maxTerms && self.Words < 1 && len(q.Identifiers) == 0 {
			t.Fatalf("a text does not contain its own words: %+v of %+v", self, q.terms)
		}
	})
}
