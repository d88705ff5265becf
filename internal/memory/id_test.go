package memory

import (
	"math"
	"testing"
	"time"
)

func TestNewIDIsARandomUUID(t *testing.T) {
	a, b := NewID(), NewID()
	if a == b || !uuidPattern.MatchString(a) || a[14] != '4' || !ValidID(a) {
		t.Errorf("ids %q and %q", a, b)
	}
}

func TestParseRef(t *testing.T) {
	const full = "1f3e9a00-1234-4abc-8def-0123456789ab"
	for in, want := range map[string]Ref{
		full:                                   {Text: full},
		"1F3E9A00-1234-4ABC-8DEF-0123456789AB": {Text: full},
		"1f3e9a00":                             {Text: "1f3e9a00", Prefix: true},
		"1f3e9a00-12…":                         {Text: "1f3e9a00-12", Prefix: true},
		" 1f3e9a00... ":                        {Text: "1f3e9a00", Prefix: true},
		"mem-md-12":                            {Text: "mem-md-12"},
		"legacy:Row.7":                         {Text: "legacy:Row.7"},
	} {
		if got, err := ParseRef(in); err != nil || got != want {
			t.Errorf("ParseRef(%q) = %+v, %v; want %+v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "1f", "'; drop", "the tea one", "%"} {
		if got, err := ParseRef(in); err == nil {
			t.Errorf("ParseRef(%q) = %+v, want an error", in, got)
		}
	}
}

func TestFromEpoch(t *testing.T) {
	want := time.Date(2025, 6, 15, 15, 6, 40, 0, time.UTC)
	for _, v := range []float64{1750000000, 1750000000000} {
		if got, ok := FromEpoch(v); !ok || !got.Equal(want) {
			t.Errorf("FromEpoch(%v) = %v, %v", v, got, ok)
		}
	}
	for _, v := range []float64{0, -5, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 1e-9} {
		if got, ok := FromEpoch(v); ok {
			t.Errorf("FromEpoch(%v) = %v, want none", v, got)
		}
	}
}

func TestClampImportance(t *testing.T) {
	for in, want := range map[float64]float64{5: 1, -1: 0, 1e9: 1, 0: 0, 0.4: 0.4, math.Inf(-1): 0} {
		if got := ClampImportance(in); got != want {
			t.Errorf("ClampImportance(%v) = %v, want %v", in, got, want)
		}
	}
	if got := ClampImportance(math.NaN()); got != DefaultImportance {
		t.Errorf("ClampImportance(NaN) = %v", got)
	}
}
