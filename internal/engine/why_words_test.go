package engine

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// What people are told for each reason, word for word.
func TestWhatPeopleAreTold(t *testing.T) {
	f := start(t, nil)
	m := row("11111111-2222-4333-8444-555555555555", "The train leaves from gate nine", "agent:main")
	m.Metadata.SupersededBy, m.Metadata.InvalidatedAt = "99999999-2222-4333-8444-555555555555", now
	m.Metadata.ValidUntil, m.Metadata.ValidFrom = now.Add(24*time.Hour), now.Add(48*time.Hour)
	m.Metadata.State, m.Metadata.Layer = "pending<b>", memory.LayerReflection
	m.Metadata.Extra = map[string]json.RawMessage{"suppressed_until_ms": json.RawMessage("1772442000000")}
	found := RecallAnswer{Result: retrieve.Result{Hits: make([]retrieve.Hit, 3)}}
	told := map[string][2]string{}
	for _, d := range []retrieve.Drop{
		{Reason: retrieve.ReasonPool, Score: 0.5, Detail: "not among the 20 best of either half"},
		{Reason: retrieve.ReasonTag}, {Reason: retrieve.ReasonEvidence}, {Reason: retrieve.ReasonNoise},
		{Reason: retrieve.ReasonMinScore, Score: 0.25, Threshold: 0.3}, {Reason: retrieve.ReasonHardMinScore, Score: 0.25, Threshold: 0.35},
		{Reason: retrieve.ReasonDiverse, Score: 0.5, By: "other"}, {Reason: retrieve.ReasonLimit, Score: 0.5, Threshold: 0.6},
		{Reason: retrieve.ReasonSuperseded}, {Reason: retrieve.ReasonExpired}, {Reason: retrieve.ReasonNotYetValid},
		{Reason: retrieve.ReasonCategory}, {Reason: retrieve.ReasonArchived}, {Reason: retrieve.ReasonState}, {Reason: retrieve.ReasonLayer},
		{Reason: retrieve.ReasonTooOld}, {Reason: retrieve.ReasonSuppressed}, {Reason: "something else", Detail: "as it is"},
	} {
		text, next := f.account(m, d, found)
		told[d.Reason] = [2]string{text, next}
	}
	want := map[string][2]string{
		"pool": {"No half of the search had it among its best, though its score, 0.500, would pass: it is not among the 20 best of either half.",
			"Raise retrieval.candidatePoolSize, or ask with more of the memory's own words."},
		"tag": {"It does not hold the tags of the question, letter by letter.",
			"Leave the tag out of the question, or put it into the memory: memory-pro edit 11111111-2222-4333-8444-555555555555."},
		"evidence": {"It is not clearly about the prompt, so it is not added unasked.",
			"Set autoRecallMinScore (0 adds whatever the search finds), or ask with memory_recall."},
		"noise": {"Its text reads like small talk.", "Say in it what is to be remembered, or set retrieval.filterNoise to false."},
		"min_score": {"Its score, 0.250, is 0.050 below retrieval.minScore, which is 0.300.",
			"Lower retrieval.minScore and retrieval.hardMinScore to 0.571 (as that setting counts, where 0.5 and less let everything pass), or ask with more of the memory's own words."},
		"hard_min_score": {"Its score, 0.250, is 0.100 below retrieval.hardMinScore, which is 0.350.",
			"Lower retrieval.hardMinScore to 0.571 (as that setting counts, where 0.5 and less let everything pass), or ask with more of the memory's own words."},
		"diverse": {"It says what other says, which does better, so it was put behind others that do about as well, and there it was over the limit.",
			"Ask for more results, or delete one of the two."},
		"limit": {"3 others do better, the last of them with 0.600; it has 0.500.", "Ask for more results (the limit), or with words that only this memory has."},
		"superseded": {"It was replaced by 99999999-2222-4333-8444-555555555555 on 2026-03-02.",
			"memory-pro show 99999999-2222-4333-8444-555555555555 shows what holds now."},
		"expired":        {"It expired on 2026-03-03.", "Store it anew if it still holds."},
		"not_yet_valid":  {"It holds only from 2026-03-04.", ""},
		"category":       {"It is of the category other (patterns), which was not asked for.", "Leave the category out of the question."},
		"archived":       {"It is archived, and archived memories are left out here.", "It is kept, and memory-pro show 11111111-2222-4333-8444-555555555555 shows it; no search finds what is archived."},
		"state":          {"Its state is pendingb, and only confirmed memories are taken here.", "Recall it on purpose, or confirm it."},
		"layer":          {"It lies in the layer reflection, which is left out here.", ""},
		"too_old":        {"It is of 2026-03-02, which is too old to be taken here.", "Raise autoRecallMaxAgeDays, or set it to 0."},
		"suppressed":     {"It was of no use lately and is held back until 2026-03-02T09:00:00Z.", "Until then memory_recall and memory-pro search find it; autoRecallSuppressionDurationMs says for how long such memories are held back."},
		"something else": {"It is left out: as it is.", ""},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	m.Metadata.Embedding = memory.EmbeddingPending
	found.Degraded = []retrieve.Degraded{{Half: "vector", Reason: "the provider is down"}}
	text, next := f.account(m, retrieve.Drop{Reason: retrieve.ReasonPool, Score: 0.4}, found)
	if !strings.Contains(text, "The vector half failed: the provider is down.") || !strings.Contains(text, "no vector yet") || next == "" {
		t.Errorf("%s %s", text, next)
	}
	for _, reason := range []string{SkippedOff, SkippedNobody, SkippedNoAgent, SkippedAgent, SkippedNeedsNone, "another"} {
		if text, _ := skipped(reason); text == "" || strings.HasSuffix(text, "..") {
			t.Errorf("%s: %q", reason, text)
		}
	}
}

func TestWhyATurnLeavesItOut(t *testing.T) {
	f := start(t, nil, autoRecall, func(o *Options) { o.Config.AutoRecall.MaxItems = 1 })
	nine := f.remember("The train to Bergen leaves from gate nine").Memory.ID
	four := f.keep("On Sundays the train to Bergen leaves from gate four", "fact").ID
	const prompt = "Which gate does my train to Bergen leave from?"
	verdicts := map[Verdict]WhyAnswer{}
	for _, id := range []string{nine, four} {
		a := f.why(WhyRequest{For: &main, Query: prompt, ID: id, Turn: true})
		verdicts[a.Verdict] = a
	}
	if a, ok := verdicts[NoRoom]; !ok || a.Place != 0 || !strings.Contains(a.Next, "autoRecallMaxItems") {
		t.Errorf("%+v", verdicts)
	}
	injected, ok := verdicts[Injected]
	if !ok {
		t.Fatalf("%+v", verdicts)
	}
	// Once it was shown, the session does not get it again; another one does.
	if block, err := f.Prompt(t.Context(), turn(prompt)); block == "" || err != nil {
		t.Fatalf("%q, %v", block, err)
	}
	session := Agent("main", turn(prompt).SessionKey)
	a := f.why(WhyRequest{For: &session, Query: prompt + " Say it again.", ID: injected.ID, Turn: true})
	if a.Verdict != Repeated || !strings.Contains(a.Next, "autoRecallMinRepeated") {
		t.Errorf("the same session: %+v", a)
	}
}
