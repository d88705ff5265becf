package retrieve_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve/retrievetest"
)

// inTurn makes facts turns of a session, a minute apart.
func inTurn(session string, facts ...memory.Memory) []memory.Memory {
	for i := range facts {
		facts[i].Metadata.Source, facts[i].Metadata.SourceSession = memory.SourceAutoCapture, session
		facts[i].Time = now.Add(time.Duration(i-len(facts)) * time.Minute)
	}
	return facts
}

// kittens is a chat in which the answer repeats no word of the question, and is
// further away in meaning than another row.
func kittens() []memory.Memory {
	return []memory.Memory{
		fact("q", "Jonas: Did you adopt the grey kitten, Mara?", retrievetest.AtCosine(0.7)),
		fact("a", "Mara: Yes, last Tuesday, after the vet had looked at her paws and found nothing wrong!", retrievetest.AtCosine(0.5)),
		fact("far", "Jonas: My neighbour sells grey wool", retrievetest.AtCosine(0.62)),
	}
}

func TestTurnsAreJudgedInContext(t *testing.T) {
	chat := inTurn("s1", kittens()...)
	chat[2].Time = now.Add(-24 * time.Hour)
	const question = "When did Mara adopt the kitten?"
	e := &retrievetest.Embedder{Otherwise: constant}
	got := ask(t, defaults(&retrievetest.Searcher{Memories: chat}, e), question, 3)
	if fmt.Sprint(ids(got)) != "[a q far]" {
		t.Errorf("turns: %v, want the answer first\n%s", ids(got), got.Explain)
	}
	// The same as statements of their own, stored just as near to each other.
	facts := kittens()
	for i := range facts {
		facts[i].Time = chat[i].Time
	}
	alone := ask(t, defaults(&retrievetest.Searcher{Memories: facts}, e), question, 3)
	if fmt.Sprint(ids(alone)) != "[q far a]" {
		t.Errorf("facts: %v, want the order of their own scores\n%s", ids(alone), alone.Explain)
	}
}

// What does not pass the first cut by itself is not carried over it by others.
func TestContextDoesNotMakeRelevant(t *testing.T) {
	chat := inTurn("s1", kittens()...)
	chat[1].Vector = retrievetest.AtCosine(0.1)
	got := ask(t, defaults(&retrievetest.Searcher{Memories: chat}, &retrievetest.Embedder{Otherwise: constant}), "When did Mara adopt the kitten?", 3)
	for _, id := range ids(got) {
		if id == "a" {
			t.Errorf("%v\n%s", ids(got), got.Explain)
		}
	}
}

// A turn beside the one with the identifier stays behind it, whatever is said there.
func TestIdentifierStaysFirstInContext(t *testing.T) {
	chat := inTurn("s1",
		fact("other", "Mara: svc-billing-eu1 is what Jonas moved to the new rack on Monday, and it took him the whole evening", retrievetest.AtCosine(0.9)),
		fact("asked", "ok: svc-billing-eu2", retrievetest.AtCosine(0.3)),
		fact("after", "Mara: Jonas moved the other one to the new rack last Tuesday, with all of its disks and cables", retrievetest.AtCosine(0.9)),
	)
	got := ask(t, defaults(&retrievetest.Searcher{Memories: chat}, &retrievetest.Embedder{Otherwise: constant}), "When did Mara say that Jonas moved svc-billing-eu2 to the new rack?", 3)
	if len(got.Hits) == 0 || got.Hits[0].Memory.ID != "asked" {
		t.Errorf("%v\n%s", ids(got), got.Explain)
	}
}

// B14, for what nobody asked for: rows that pass the cuts are not enough when none
// stands out and a name in the prompt is unknown. Whoever asks gets them.
func TestUnaskedNothingForAnUnknownTopic(t *testing.T) {
	s := &retrievetest.Searcher{}
	for i := range 60 {
		s.Memories = append(s.Memories, fact(fmt.Sprintf("%02d", i), fmt.Sprintf("Caroline: recipe %d was fine", i), retrievetest.AtCosine(0.36)))
	}
	o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
	o.Evidence = true
	for source, want := range map[string]bool{retrieve.SourceHook: false, retrieve.SourceManual: true, retrieve.SourceCLI: true} {
		for query, known := range map[string]bool{"Where did Tim buy his harpsichord?": false, "Which recipe 17 was fine, Caroline?": true} {
			got := recall(t, o, retrieve.Request{Query: query, Limit: 5, Who: everyone(), Now: now, Source: source})
			if (len(got.Hits) > 0) != (want || known) {
				t.Errorf("%s, %q: %d hits\n%s", source, query, len(got.Hits), got.Explain)
			}
		}
	}
}
