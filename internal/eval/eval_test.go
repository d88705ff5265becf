package main

import (
	"path/filepath"
	"strings"
	"testing"
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
	got, err := multilingual(t.Context(), model, set, nil, tuning{})
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	got.print(&table)
	t.Log("\n" + table.String())
	if _, at3 := got.mean(); at3 < 0.9 {
		t.Errorf("hit@3 is %.3f in the mean, want 0.9\n%s", at3, table.String())
	}
	if got.fromEnglish.at3() < 0.75 || got.intoEnglish.at3() < 0.7 {
		t.Errorf("across languages\n%s", table.String())
	}
}

func TestConversationsAreJudged(t *testing.T) {
	o := judge(1, []int{7, 3, 9, 1, 2, 4}, []int{3, 4})
	if o.recall[0] != 0.5 || o.recall[1] != 1 || o.reciprocal != 0.5 {
		t.Errorf("%+v", o)
	}
	if o := judge(1, nil, []int{3}); o.recall[2] != 0 || o.reciprocal != 0 {
		t.Errorf("nothing found: %+v", o)
	}
	if _, err := parseWeights("0.5,two"); err == nil {
		t.Error("a word is no weight")
	}
}
