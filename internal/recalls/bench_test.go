package recalls

import "testing"

func BenchmarkAppend(b *testing.B) {
	f := In(b.TempDir())
	e := entry(1, "which gate does my train to Bergen leave from")
	for range 20 {
		e.Hits = append(e.Hits, Hit{ID: "11111111-2222-4333-8444-555555555555", Score: 0.51234567})
		e.Dropped = append(e.Dropped, "11111111-2222-4333-8444-555555555555")
		e.Stages = append(e.Stages, Stage{Name: "min_score", In: 20, Out: 10, Took: 12345})
	}
	for b.Loop() {
		if err := f.Append(b.Context(), e); err != nil {
			b.Fatal(err)
		}
	}
}
