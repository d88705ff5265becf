package recalls

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestQuantiles(t *testing.T) {
	upTo := func(n int) (list []time.Duration) {
		for i := n; i > 0; i-- { // the order does not matter
			list = append(list, time.Duration(i))
		}
		return list
	}
	for _, c := range []struct {
		list []time.Duration
		want Quantiles
	}{
		{nil, Quantiles{}},
		{upTo(1), Quantiles{1, 1, 1}},
		{upTo(2), Quantiles{1, 2, 2}},
		{upTo(3), Quantiles{2, 3, 3}},
		{upTo(19), Quantiles{10, 19, 19}},
		{upTo(20), Quantiles{10, 19, 20}},
		{upTo(21), Quantiles{11, 20, 21}},
		{upTo(100), Quantiles{50, 95, 99}},
		{upTo(101), Quantiles{51, 96, 100}},
		{upTo(1000), Quantiles{500, 950, 990}},
		{[]time.Duration{7, 7, 7, 1000}, Quantiles{7, 1000, 1000}},
	} {
		if got := QuantilesOf(c.list); got != c.want {
			t.Errorf("of %d: %v, want %v", len(c.list), got, c.want)
		}
	}
}

func TestSummary(t *testing.T) {
	stage := func(name string, in, out int, took time.Duration) Stage { return Stage{name, in, out, took} }
	list := []Entry{
		{At: day, Source: "manual", Took: 2, Hits: []Hit{{"a", 1}}, Stages: []Stage{stage("embed", 0, 0, 1), stage("cut", 5, 3, 1)}, Drops: map[string]int{"min_score": 2}},
		{At: day.Add(1), Source: "auto-recall", Took: 4, Stages: []Stage{stage("search", 0, 9, 3), stage("cut", 9, 0, 1)}, Drops: map[string]int{"min_score": 8, "expired": 1}, Degraded: []string{"vector"}},
		{At: day.Add(2), Source: "cli", Failed: "store_unavailable", Took: 1000},
		{At: day.Add(3), Source: "manual", Took: 6, Hits: []Hit{{"b", 1}}, Drops: map[string]int{"a": 3, "b": 3, "c": 3, "d": 3}},
	}
	got := Summarize(list)
	want := Summary{
		Recalls: 4, First: day, Last: day.Add(3), Empty: 1, Failed: 1, Degraded: 1, Took: Quantiles{4, 6, 6},
		Stages: []StageSummary{
			// As they run, though the newest recall did without the first.
			{"embed", 1, Quantiles{1, 1, 1}, 0}, {"search", 1, Quantiles{3, 3, 3}, 0}, {"cut", 2, Quantiles{1, 1, 1}, 11},
		},
		Sources: []SourceSummary{{"auto-recall", 1, 1, Quantiles{4, 4, 4}}, {"manual", 2, 0, Quantiles{2, 6, 6}}},
		Drops:   []DropCount{{"min_score", 10}, {"a", 3}, {"b", 3}, {"c", 3}, {"d", 3}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.EmptyRate() != 1.0/3 || Summarize(nil).EmptyRate() != 0 || Summarize(list[2:3]).EmptyRate() != 0 {
		t.Errorf("rate %g", got.EmptyRate())
	}
}

func TestRingForgetsTheOldest(t *testing.T) {
	var r Ring
	if list, all := r.Entries(); len(list) != 0 || all != 0 {
		t.Errorf("%d, %d", len(list), all)
	}
	for n := range ringSize + 7 {
		r.Add(entry(n, "words of a person"))
	}
	list, all := r.Entries()
	if len(list) != ringSize || all != ringSize+7 || list[0].ID != entry(7, "").ID || list[ringSize-1].ID != entry(ringSize+6, "").ID {
		t.Errorf("%d of %d, from %s to %s", len(list), all, list[0].ID, list[len(list)-1].ID)
	}
	for _, e := range list {
		if e.Query != "" {
			t.Fatal("a question is kept")
		}
	}
}
