package recalls

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Summary is figures about recalls.
type Summary struct {
	// Recalls that were looked at, from First to Last.
	Recalls     int
	First, Last time.Time
	// Empty found nothing, Failed could not search at all, Degraded did without one
	// half. A failed one counts as neither empty nor for the times.
	Empty, Failed, Degraded int
	Took                    Quantiles
	Stages                  []StageSummary  // in the order in which they run
	Sources                 []SourceSummary // by name
	// Drops are the most frequent reasons why candidates were left out.
	Drops []DropCount
}

// EmptyRate is the share of recalls that found nothing, of those that could
// search; 0 if there was none.
func (s Summary) EmptyRate() float64 {
	if n := s.Recalls - s.Failed; n > 0 {
		return float64(s.Empty) / float64(n)
	}
	return 0
}

// StageSummary is one step over all recalls that had it.
type StageSummary struct {
	Name string
	Runs int
	Took Quantiles
	// Dropped is how many rows it left out, summed.
	Dropped int
}

// SourceSummary is the recalls of one source.
type SourceSummary struct {
	Name           string
	Recalls, Empty int
	Took           Quantiles
}

// DropCount is how many candidates were left out for one reason.
type DropCount struct {
	Reason string
	Count  int
}

// topDrops is how many reasons a summary names.
const topDrops = 5

// Summarize makes the figures of a list, oldest first.
func Summarize(list []Entry) Summary {
	s := Summary{Recalls: len(list)}
	if len(list) == 0 {
		return s
	}
	s.First, s.Last = list[0].At, list[len(list)-1].At
	var took []time.Duration
	stages, sources, drops := map[string]*stageTimes{}, map[string]*sourceTimes{}, map[string]int{}
	var names []string
	for _, e := range slices.Backward(list) {
		if e.Failed != "" {
			s.Failed++
			continue
		}
		took = append(took, e.Took)
		from := sources[e.Source]
		if from == nil {
			from = &sourceTimes{SourceSummary: SourceSummary{Name: e.Source}}
			sources[e.Source] = from
		}
		from.Recalls++
		from.took = append(from.took, e.Took)
		if len(e.Hits) == 0 {
			s.Empty++
			from.Empty++
		}
		if len(e.Degraded) > 0 {
			s.Degraded++
		}
		after := 0 // a stage nobody had yet belongs behind the one before it
		for _, st := range e.Stages {
			of := stages[st.Name]
			if of == nil {
				of = &stageTimes{}
				stages[st.Name] = of
				names = slices.Insert(names, after, st.Name)
			}
			after = slices.Index(names, st.Name) + 1
			of.took = append(of.took, st.Took)
			of.dropped += max(st.In-st.Out, 0)
		}
		for reason, n := range e.Drops {
			drops[reason] += n
		}
	}
	s.Took = QuantilesOf(took)
	for _, name := range names {
		of := stages[name]
		s.Stages = append(s.Stages, StageSummary{Name: name, Runs: len(of.took), Took: QuantilesOf(of.took), Dropped: of.dropped})
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		from := sources[name]
		from.Took = QuantilesOf(from.took)
		s.Sources = append(s.Sources, from.SourceSummary)
	}
	for reason, n := range drops {
		s.Drops = append(s.Drops, DropCount{Reason: reason, Count: n})
	}
	slices.SortFunc(s.Drops, func(a, b DropCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	s.Drops = s.Drops[:min(len(s.Drops), topDrops)]
	return s
}

type stageTimes struct {
	took    []time.Duration
	dropped int
}

type sourceTimes struct {
	SourceSummary
	took []time.Duration
}

// Quantiles of a list of times.
type Quantiles struct{ P50, P95, P99 time.Duration }

// QuantilesOf gives the quantiles by nearest rank: of n sorted times the one at
// place ⌈p·n⌉. So each is a time that occurred, and with fewer than a hundred the
// last of them is the longest. Zero for an empty list.
func QuantilesOf(list []time.Duration) Quantiles {
	if len(list) == 0 {
		return Quantiles{}
	}
	sorted := slices.Sorted(slices.Values(list))
	at := func(percent int) time.Duration {
		return sorted[(percent*len(sorted)+99)/100-1]
	}
	return Quantiles{P50: at(50), P95: at(95), P99: at(99)}
}
