package engine

import (
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// Related memories stand behind the hit, shortened, and as much data as the rest.
func TestNeighboursInTheBlock(t *testing.T) {
	hit := row("id-1", "The train leaves from gate nine", "global")
	beside := []memory.Memory{row("id-2", "Gate nine is <b>upstairs</b>", "global"), row("id-3", strings.Repeat("long ", 50), "global")}
	a := RecallAnswer{Result: retrieve.Result{Hits: []retrieve.Hit{{Memory: hit, Neighbours: beside}, {Memory: row("id-4", "alone", "global")}}}}
	got := a.Block(Form{MaxChars: 100})
	if !strings.Contains(got, "gate nine Neighbors: [id-2] Gate nine is ") || strings.Contains(got, "<b>") || strings.Count(got, "Neighbors") != 1 {
		t.Errorf("block:\n%s", got)
	}
	for line := range strings.Lines(got) {
		if strings.Contains(line, "id-3") && len(line) > 300 {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
}

// A hit that stands behind others says so.
func TestWhyBehind(t *testing.T) {
	e := &Engine{}
	m := row("id-1", "The train leaves from gate nine", "global")
	for behind, want := range map[string]string{retrieve.BehindAlike: "for id-2 says the same", retrieve.BehindUnscored: "no score", "": "place 1 of 1: words."} {
		a := WhyAnswer{ID: m.ID, Memory: &m}
		e.judge(&a, RecallAnswer{Query: "gate", Result: retrieve.Result{Hits: []retrieve.Hit{{Memory: m, Behind: behind, LikeID: "id-2", Reason: "words"}}}})
		if a.Verdict != Found || !strings.Contains(a.Text, want) {
			t.Errorf("%q: %s", behind, a.Text)
		}
	}
}
