package server

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/recalls"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// longSteps are those that can take time; of the others people are told only that they
// left something out. All are in the machine-readable side.
var longSteps = []string{retrieve.StageEmbed, retrieve.StageVector, retrieve.StageKeyword, retrieve.StageRerank, retrieve.StageNeighbours}

// stepWords are the steps of a recall for people.
var stepWords = map[string]string{
	retrieve.StageEmbed:      "making the vector of the question",
	retrieve.StageVector:     "search by meaning",
	retrieve.StageKeyword:    "search by words",
	retrieve.StageFuse:       "bringing both together",
	retrieve.StageTags:       "tags of the question",
	retrieve.StageMinScore:   "first cut, retrieval.minScore",
	retrieve.StageActive:     "what no longer holds",
	retrieve.StageContext:    "what was said around it",
	retrieve.StageRerank:     "second look by the reranker",
	retrieve.StageLength:     "long texts",
	retrieve.StageHardMin:    "second cut, retrieval.hardMinScore",
	retrieve.StageEvidence:   "is it about the prompt",
	retrieve.StageImportance: "importance",
	retrieve.StageDecay:      "age and use",
	retrieve.StageNoise:      "small talk",
	retrieve.StageIntent:     "kind of the question",
	retrieve.StageDiversity:  "repetitions",
	retrieve.StageWithout:    "shown lately",
	retrieve.StageLimit:      "limit",
	retrieve.StageNeighbours: "related memories",
	retrieve.StageFilter:     "what was asked for",
	retrieve.StagePool:       "best of each search",
}

// reasonWords are the reasons of drops for people.
var reasonWords = map[string]string{
	retrieve.ReasonPool:         "not among the best of either search",
	retrieve.ReasonTag:          "without the tag",
	retrieve.ReasonMinScore:     "below retrieval.minScore",
	retrieve.ReasonHardMinScore: "below retrieval.hardMinScore",
	retrieve.ReasonEvidence:     "not clearly about the prompt",
	retrieve.ReasonNoise:        "small talk",
	retrieve.ReasonDiverse:      "a better one says the same",
	retrieve.ReasonLimit:        "over the limit",
	retrieve.ReasonSuperseded:   "replaced",
	retrieve.ReasonExpired:      "expired",
	retrieve.ReasonNotYetValid:  "not valid yet",
	retrieve.ReasonCategory:     "of another category",
	retrieve.ReasonArchived:     "archived",
	retrieve.ReasonState:        "not confirmed",
	retrieve.ReasonLayer:        "in a layer that is left out",
	retrieve.ReasonTooOld:       "too old",
	retrieve.ReasonSuppressed:   "held back for a while",
}

// RecallLines tell figures about recalls to people, a line each.
func RecallLines(s recalls.Summary, bullet string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, bullet+format+"\n", args...) }
	if s.Recalls == 1 {
		line("1 recall, %s", minute(s.First))
	} else {
		line("%d recalls from %s to %s", s.Recalls, minute(s.First), minute(s.Last))
	}
	line("found nothing: %d (%.1f%%); failed: %d; with half of the search: %d", s.Empty, 100*s.EmptyRate(), s.Failed, s.Degraded)
	line("took %s", quantiles(s.Took))
	for _, from := range s.Sources {
		line("%s: %d, nothing found by %d, %s", named(from.Name), from.Recalls, from.Empty, quantiles(from.Took))
	}
	for _, stage := range s.Stages {
		if text := stepText(stage); text != "" {
			line("%s: %s", cmp.Or(stepWords[stage.Name], named(stage.Name)), text)
		}
	}
	if len(s.Drops) > 0 {
		parts := make([]string, len(s.Drops))
		for i, d := range s.Drops {
			parts[i] = fmt.Sprintf("%s (%d)", cmp.Or(reasonWords[d.Reason], named(d.Reason)), d.Count)
		}
		line("left out most: %s", strings.Join(parts, ", "))
	}
	return b.String()
}

// stepText is empty for a step of which there is nothing to tell.
func stepText(s recalls.StageSummary) string {
	var parts []string
	if slices.Contains(longSteps, s.Name) && s.Took.P99 >= 50*time.Microsecond { // less is shown as 0.0 ms
		parts = append(parts, quantiles(s.Took))
	}
	if s.Dropped > 0 {
		parts = append(parts, fmt.Sprintf("left out %d", s.Dropped))
	}
	return strings.Join(parts, ", ")
}

func quantiles(q recalls.Quantiles) string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f", milliseconds(d)) }
	return fmt.Sprintf("p50 %s, p95 %s, p99 %s ms", ms(q.P50), ms(q.P95), ms(q.P99))
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
