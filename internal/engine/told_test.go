package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAlreadyTold(t *testing.T) {
	for _, c := range []struct {
		name, statement, told string
		want                  bool
	}{
		{"a wish carried out", "Remember that my badge number is 4417", "The user's badge number is 4417.", true},
		{"in other words", "I prefer tea over coffee", "User prefers tea to coffee", true},
		{"with more detail", "my dog is called Rex", "The user has a dog called Rex, a beagle of three years", true},
		{"Chinese", "请记住我的工牌号是4417", "用户的工牌号是4417", true},
		{"another number", "Remember that my badge number is 4418", "The user's badge number is 4417.", false},
		{"one word in common", "I prefer coffee over tea in the morning", "tea", false},
		{"another thing", "We decided to use PostgreSQL", "User prefers tea to coffee", false},
		{"part of several", "My dog is called Rex. My sister Anna lives in Lisbon and works at Siemens.", "The user's dog is called Rex", false},
		{"nothing", "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := alreadyTold(c.statement, []string{"something else entirely", c.told}); got != c.want {
				t.Errorf("%t, want %t", got, c.want)
			}
		})
	}
}

// What the agent's tool stored in a turn is not captured again after it; what it
// stored in an earlier turn does not count.
func TestCaptureAfterTheTool(t *testing.T) {
	f := start(t, nil)
	s := f.session("s1")
	agent := Agent("main", "agent:main:main")
	if _, err := f.Store(t.Context(), StoreRequest{Who: agent, Text: "The user's badge number is 4417", Category: "fact"}); err != nil {
		t.Fatal(err)
	}
	s.says("Remember that my badge number is 4417")
	if diff := cmp.Diff([]string{"The user's badge number is 4417"}, f.stored()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	s.says("Remember that my badge number is 4417 on all days")
	if rows := f.stored(); len(rows) != 2 {
		t.Errorf("stored %q", rows)
	}
}
