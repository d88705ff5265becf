package memory

import (
	"strings"
	"testing"
)

func TestParseCategory(t *testing.T) {
	for in, want := range map[string]struct {
		column StoredCategory
		kind   Category
	}{
		"profile": {"fact", Profile}, "preferences": {"preference", Preferences}, "entities": {"entity", Entities},
		"events": {"decision", Events}, "cases": {"fact", Cases}, "patterns": {"other", Patterns},
		"preference": {"preference", Preferences}, "fact": {"fact", Cases}, "decision": {"decision", Events},
		"entity": {"entity", Entities}, "reflection": {"reflection", Patterns}, "other": {"other", Patterns},
		"event": {"decision", Events}, "case": {"fact", Cases}, " Pattern ": {"other", Patterns},
	} {
		column, kind, err := ParseCategory(in)
		if err != nil || column != want.column || kind != want.kind {
			t.Errorf("ParseCategory(%q) = %q, %q, %v; want %q, %q", in, column, kind, err, want.column, want.kind)
		}
	}
	if len(CategoryNames()) != 12 {
		t.Errorf("%d names, want 12", len(CategoryNames()))
	}
	for _, name := range CategoryNames() {
		if _, _, err := ParseCategory(name); err != nil {
			t.Errorf("a listed name is refused: %v", err)
		}
	}
	_, _, err := ParseCategory("colours")
	if err == nil || !strings.Contains(err.Error(), `"colours"`) || !strings.Contains(err.Error(), "profile") {
		t.Errorf("unknown category: %v", err)
	}
}

// Each filter must find exactly its rows, whichever side wrote them.
func TestMatchesCategory(t *testing.T) {
	kind := func(c Category) Metadata { return Metadata{Category: c} }
	rows := map[string]Memory{
		"profile":         {Category: StoredFact, Metadata: kind(Profile)},
		"preferences":     {Category: StoredPreference, Metadata: kind(Preferences)},
		"entities":        {Category: StoredEntity, Metadata: kind(Entities)},
		"events":          {Category: StoredDecision, Metadata: kind(Events)},
		"cases":           {Category: StoredFact, Metadata: kind(Cases)},
		"patterns":        {Category: StoredOther, Metadata: kind(Patterns)},
		"old fact":        {Category: StoredFact, Text: "The office has two floors"},
		"old self":        {Category: StoredFact, Text: "My name is Mara"},
		"old reflection":  {Category: StoredReflection},
		"foreign":         {Category: "todo"},
		"column by agent": {Category: StoredDecision},
	}
	for requested, want := range map[string]string{
		"profile": "old self,profile", "preferences": "preferences", "preference": "preferences",
		"entities": "entities", "entity": "entities", "events": "column by agent,events", "event": "column by agent,events",
		"decision": "column by agent,events", "cases": "cases,old fact", "fact": "cases,old fact,old self,profile",
		"patterns": "foreign,old reflection,patterns", "other": "patterns", "reflection": "old reflection",
		"colours": "",
	} {
		var got []string
		for _, name := range []string{"cases", "column by agent", "entities", "events", "foreign", "old fact", "old reflection", "old self", "patterns", "preferences", "profile"} {
			if MatchesCategory(rows[name], requested) {
				got = append(got, name)
			}
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%q matches %q, want %q", requested, strings.Join(got, ","), want)
		}
	}
	if !MatchesCategory(rows["foreign"], "") {
		t.Error("no category asked for must match all")
	}
}

func TestColumnsOfCoverTheMatches(t *testing.T) {
	for _, name := range CategoryNames() {
		columns, err := ColumnsOf(name)
		if err != nil {
			t.Fatal(err)
		}
		for column := range kindOf {
			for _, text := range []string{"", "my name is Mara"} {
				m := Memory{Category: column, Text: text}
				listed := false
				for _, c := range columns {
					listed = listed || c == column
				}
				if MatchesCategory(m, name) && !listed {
					t.Errorf("a row of column %q matches %q, but only %v are searched", column, name, columns)
				}
			}
		}
	}
}
