package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The figure this version was tuned to, through the whole recall of an agent.
func TestMultilingualRecall(t *testing.T) {
	model, done, err := openModel()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	set, err := loadMultilingual(filepath.Join("..", "..", "testdata", "eval", "multilingual.json"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := multilingual(t.Context(), model, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	got.print(&table)
	t.Log("\n" + table.String())
	if at3 := got.mean(hits.at3); at3 < 0.949 {
		t.Errorf("hit@3 is %.3f in the mean, want 0.95\n%s", at3, table.String())
	}
	if got.fromEnglish.at3() < 0.9 || got.intoEnglish.at3() < 0.9 {
		t.Errorf("across languages\n%s", table.String())
	}
}

func TestConversationsAreJudged(t *testing.T) {
	var c conversation
	if err := json.Unmarshal([]byte(`{"id":"c","turns":[{"id":"0"},{"id":"1"},{"id":"2"},{"id":"3"},{"id":"4"},{"id":"5"},{"id":"6"},{"id":"7"}]}`), &c); err != nil {
		t.Fatal(err)
	}
	o := judge(c, query{Category: 1}, []int{7, 3, 5, 1, 2, 4}, []int{3, 4})
	if o.at5() != 0.5 || o.at10() != 1 || o.mrr() != 0.5 || o.Found[0] != "7" || o.Wanted[1] != "4" {
		t.Errorf("%+v", o)
	}
	if o := judge(c, query{Category: 1}, nil, []int{3, 4}); o.at20() != 0 || o.mrr() != 0 {
		t.Errorf("nothing found: %+v", o)
	}
	if got := placesOf([]string{"1", "9", "1"}, map[string]int{"1": 1}); len(got) != 1 {
		t.Errorf("evidence at %v, want one place", got)
	}
}

func TestSessionsLieApart(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	got := timesOf([]statement{{"a", "x"}, {"b", "x"}, {"c", "y"}}, now)
	if got[2] != now || got[2].Sub(got[1]) != (1+betweenSessions)*time.Minute || got[1].Sub(got[0]) != time.Minute {
		t.Errorf("times %v", got)
	}
}
