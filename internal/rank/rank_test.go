package rank

import (
	"math"
	"testing"
)

func TestCalibrate(t *testing.T) {
	narrow := Profile{Name: "narrow", Points: []Point{{0.75, 0}, {0.85, 0.4}, {0.95, 1}}}
	for _, c := range []struct {
		name    string
		profile Profile
		cosine  float64
		want    float64
	}{
		{"plain", Plain, 0.42, 0.42},
		{"plain, opposite", Plain, -0.3, 0},
		{"plain, above one by rounding", Plain, 1.0000001, 1},
		{"plain, not a number", Plain, math.NaN(), 0},
		{"below the first point", narrow, 0.5, 0},
		{"on a point", narrow, 0.85, 0.4},
		{"between points", narrow, 0.9, 0.7},
		{"above the last point", narrow, 0.99, 1},
		{"not a number", narrow, math.NaN(), 0},
		{"infinite", narrow, math.Inf(1), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Calibrate(c.profile, c.cosine); math.Abs(got-c.want) > 1e-9 {
				t.Errorf("Calibrate(%v) = %v, want %v", c.cosine, got, c.want)
			}
		})
	}
}

func TestSaturate(t *testing.T) {
	for raw, want := range map[float64]float64{0: 0, -1: 0, SaturationK: 0.5, 7.5: 0.75, math.Inf(1): 1, math.Inf(-1): 0} {
		if got := Saturate(raw); got != want {
			t.Errorf("Saturate(%v) = %v, want %v", raw, got, want)
		}
	}
	if got := Saturate(math.NaN()); got != 0 {
		t.Errorf("Saturate(NaN) = %v, want 0", got)
	}
}

func TestFuse(t *testing.T) {
	for _, c := range []struct {
		name         string
		weights      Weights
		vector, bm25 Side
		want         float64
	}{
		{"both", Weights{0.7, 0.3}, Known(0.8), Known(0.5), 0.71},
		{"missing keyword side counts 0", Weights{0.7, 0.3}, Known(0.8), Known(0), 0.56},
		{"missing vector side counts 0", Weights{0.7, 0.3}, Known(0), Known(0.9), 0.27},
		{"absent keyword half", Weights{0.7, 0.3}, Known(0.8), Unknown, 0.8},
		{"absent vector half", Weights{0.7, 0.3}, Unknown, Known(0.5), 0.5},
		{"only the ratio matters", Weights{7, 3}, Known(0.8), Known(0.5), 0.71},
		{"vector weight 0", Weights{0, 1}, Known(0.9), Known(0.1), 0.1},
		{"keyword weight 0", Weights{1, 0}, Known(0.9), Known(1), 0.9},
		{"weight 0 but all there is", Weights{1, 0}, Unknown, Known(0.6), 0.6},
		{"no weights", Weights{}, Known(1), Known(0), 0.7},
		{"nonsense weights", Weights{math.NaN(), -2}, Known(1), Known(0), 0.7},
		{"nothing known", Weights{0.7, 0.3}, Unknown, Unknown, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Fuse(c.weights, c.vector, c.bm25); math.Abs(got-c.want) > 1e-9 {
				t.Errorf("Fuse = %v, want %v", got, c.want)
			}
		})
	}
}

func TestConvertDistanceThreshold(t *testing.T) {
	for old, want := range map[float64]float64{0: 0, 0.3: 0, 0.35: 0, 0.5: 0, 0.6: 1.0 / 3, 0.62: 2 - 1/0.62, 0.8: 0.75, 1: 1, 2: 1} {
		got := ConvertDistanceThreshold(old)
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("ConvertDistanceThreshold(%v) = %v, want %v", old, got, want)
		}
		// The old score of a row exactly at the new threshold is the old threshold.
		if old > 0.5 && old <= 1 && math.Abs(1/(1+(1-got))-old) > 1e-9 {
			t.Errorf("threshold %v does not map back", old)
		}
	}
	if got := ConvertDistanceThreshold(math.NaN()); got != 0 {
		t.Errorf("ConvertDistanceThreshold(NaN) = %v, want 0", got)
	}
}

func TestPasses(t *testing.T) {
	if !Passes(0.7*float64(float32(0.5)-1e-7), 0.35) {
		t.Error("a row at the threshold must not fail by float32 rounding")
	}
	if Passes(0.3499, 0.35) || Passes(math.NaN(), 0) {
		t.Error("passed below the threshold, or without a number")
	}
}

func TestCosine(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		name string
		a, b []float32
		want float64
		ok   bool
	}{
		{"same direction", []float32{1, 2}, []float32{2, 4}, 1, true},
		{"right angle", []float32{1, 0}, []float32{0, 3}, 0, true},
		{"opposite", []float32{1, 0}, []float32{-2, 0}, -1, true},
		{"huge components", []float32{3e38, 3e38}, []float32{3e38, 3e38}, 1, true},
		{"other width", []float32{1}, []float32{1, 0}, 0, false},
		{"empty", nil, nil, 0, false},
		{"zeros", []float32{0, 0}, []float32{1, 0}, 0, false},
		{"infinite", []float32{inf, 0}, []float32{1, 0}, 0, false},
		{"not a number", []float32{float32(math.NaN())}, []float32{1}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Cosine(c.a, c.b)
			if ok != c.ok || math.Abs(got-c.want) > 1e-6 {
				t.Errorf("Cosine = %v, %v; want %v, %v", got, ok, c.want, c.ok)
			}
		})
	}
}

func TestLikeness(t *testing.T) {
	like := Likeness([][]float32{{1, 0}, {2, 0.2}, nil, {0, 1}, {0, 0}})
	if like[2] != 0 || like[4] != 0 {
		t.Errorf("without a direction: %v", like)
	}
	if !(like[1] > like[0] && like[0] > like[3]) || math.Abs(like[0]+like[1]+like[3]) > 1e-9 {
		t.Errorf("%v: the one between the others is most like them, and all cancel out", like)
	}
	if two := Likeness([][]float32{{1, 0}, {0, 1}}); two[0] != 0 || two[1] != 0 {
		t.Errorf("two vectors tell nothing, got %v", two)
	}
}
