package engine

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// The settings of the two cuts.
const (
	settingMin  = "retrieval.minScore"
	settingHard = "retrieval.hardMinScore"
)

// hardMinScore is the second cut as it is set.
func (e *Engine) hardMinScore() float64 {
	if v := e.cfg.Retrieval.HardMinScore; v != nil {
		return *v
	}
	return retrieve.DefaultHardMinScore
}

// account puts into words why a memory is no hit, and what could be done about it.
func (e *Engine) account(m memory.Memory, d retrieve.Drop, found RecallAnswer) (text, next string) {
	meta := m.Metadata
	switch d.Reason {
	case retrieve.ReasonSuperseded:
		if by := meta.SupersededBy; by != "" {
			return fmt.Sprintf("It was replaced by %s on %s.", by, day(meta.InvalidatedAt)), "memory-pro show " + by + " shows what holds now."
		}
		return fmt.Sprintf("It ended on %s.", day(meta.InvalidatedAt)), "memory-pro history " + m.ID + " tells what happened."
	case retrieve.ReasonExpired:
		return fmt.Sprintf("It expired on %s.", day(meta.ValidUntil)), "Store it anew if it still holds."
	case retrieve.ReasonNotYetValid:
		return fmt.Sprintf("It holds only from %s.", day(meta.ValidFrom)), ""
	case retrieve.ReasonMinScore:
		return below(d, settingMin), e.lower(d, settingMin)
	case retrieve.ReasonHardMinScore:
		return below(d, settingHard), e.lower(d, settingHard)
	case retrieve.ReasonPool:
		return e.unlisted(m, d, found)
	case retrieve.ReasonTag:
		return "It does not hold the tags of the question, letter by letter.", "Leave the tag out of the question, or put it into the memory: memory-pro edit " + m.ID + "."
	case retrieve.ReasonEvidence:
		if d.By != "" {
			return fmt.Sprintf("It fits the prompt far less than %s does (%s, %s are needed beside that), so it is not added unasked.", d.By, score(d.Score), score(d.Threshold)), "Ask with memory_recall."
		}
		return "It is not clearly about the prompt, so it is not added unasked.",
			"Set autoRecallMinScore (0 adds whatever the search finds), or ask with memory_recall."
	case retrieve.ReasonNoise:
		return "Its text reads like small talk.", "Say in it what is to be remembered, or set retrieval.filterNoise to false."
	case retrieve.ReasonDiverse:
		return fmt.Sprintf("It says what %s says, which does better, so it was put behind others that do about as well, and there it was over the limit.", d.By),
			"Ask for more results, or delete one of the two."
	case retrieve.ReasonLimit:
		text := fmt.Sprintf("%d others do better, the last of them with %s; it has %s.", len(found.Hits), score(d.Threshold), score(d.Score))
		if len(found.Hits) == 1 {
			text = fmt.Sprintf("Another one does better, with %s; it has %s.", score(d.Threshold), score(d.Score))
		}
		return text, "Ask for more results (the limit), or with words that only this memory has."
	case retrieve.ReasonCategory:
		return fmt.Sprintf("It is of the category %s, which was not asked for.", categoryOf(m)), "Leave the category out of the question."
	case retrieve.ReasonArchived:
		return "It is archived, and archived memories are left out here.", "It is kept, and memory-pro show " + m.ID + " shows it; no search finds what is archived."
	case retrieve.ReasonState:
		return fmt.Sprintf("Its state is %s, and only confirmed memories are taken here.", Tame(meta.State)), "Recall it on purpose, or confirm it."
	case retrieve.ReasonLayer:
		return fmt.Sprintf("It lies in the layer %s, which is left out here.", Tame(m.Layer())), ""
	case retrieve.ReasonTooOld:
		return fmt.Sprintf("It is of %s, which is too old to be taken here.", Day(m)), "Raise autoRecallMaxAgeDays, or set it to 0."
	case retrieve.ReasonSuppressed:
		return fmt.Sprintf("It was of no use lately and is held back until %s.", when(meta.SuppressedUntil())), "Until then memory_recall and memory-pro search find it; autoRecallSuppressionDurationMs says for how long such memories are held back."
	}
	return fmt.Sprintf("It is left out: %s.", cmp.Or(d.Detail, d.Reason)), ""
}

func below(d retrieve.Drop, setting string) string {
	return fmt.Sprintf("Its score, %s, is %s below %s, which is %s.", score(d.Score), score(max(d.Threshold-d.Score, 0)), setting, score(d.Threshold))
}

// lower says which value of a cut would let the score pass. The setting is on the
// scale of the TypeScript plugin, t → 2 − 1/t (rank.ConvertDistanceThreshold); the
// inverse of that, rounded down.
func (e *Engine) lower(d retrieve.Drop, setting string) string {
	t := math.Floor(1000/(2-max(d.Score, 0))) / 1000
	if setting == settingMin && !rank.Passes(d.Score, e.hardMinScore()) {
		setting += " and " + settingHard // the other cut would stop it next
	}
	return fmt.Sprintf("Lower %s to %s (as that setting counts, where 0.5 and less let everything pass), or ask with more of the memory's own words.", setting, score(t))
}

// unlisted tells why no half of the search had it among its best.
func (e *Engine) unlisted(m memory.Memory, d retrieve.Drop, found RecallAnswer) (text, next string) {
	text = fmt.Sprintf("No half of the search had it among its best, though its score, %s, would pass", score(d.Score))
	if d.Detail != "" {
		text += ": it is " + d.Detail
	}
	text += "."
	for _, half := range found.Degraded {
		text += fmt.Sprintf(" The %s half failed: %s.", half.Half, half.Reason)
	}
	if m.Metadata.Embedding == memory.EmbeddingPending {
		if why := m.Metadata.EmbeddingProblem; why != "" {
			return text + " It has no vector, so that it is found by its words alone: " + why + ".", "Ask with its words, or change its text."
		}
		return text + " It has no vector yet, so that it is found by its words alone.", "Ask with its words, or wait until the vector is there: memory-pro stats counts those without."
	}
	return text, "Raise retrieval.candidatePoolSize, or ask with more of the memory's own words."
}

// categoryOf names a category as lists show it, and the finer one it can be asked
// for by.
func categoryOf(m memory.Memory) string {
	column, kind := labelWord(string(m.Category)), string(m.Kind())
	if column == "" || column == kind {
		return kind
	}
	return fmt.Sprintf("%s (%s)", column, kind)
}

// score is a number in [0,1] for people.
func score(f float64) string { return fmt.Sprintf("%.3f", f) }

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func when(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Tame is a word out of a table that other programs write to, too.
func Tame(word string) string {
	word = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return -1
	}, word)
	return cmp.Or(word[:min(len(word), 32)], "unknown")
}
