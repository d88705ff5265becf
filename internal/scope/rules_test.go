package scope

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRules(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules Rules
		agent string
		want  []string
		home  string
	}{
		{"no rules", Rules{}, "alice", []string{"global", "agent:alice"}, "agent:alice"},
		{"no entry", Rules{Access: map[string][]string{"bob": {"work"}}}, "alice", []string{"global", "agent:alice"}, "agent:alice"},
		{"an entry replaces", Rules{Access: map[string][]string{"alice": {"work", "global"}}, Default: "work"}, "alice", []string{"work", "global"}, "work"},
		{"own scope is home where listed", Rules{Access: map[string][]string{"alice": {"work", "agent:alice"}}}, "alice", []string{"work", "agent:alice"}, "agent:alice"},
		{"default out of reach", Rules{Access: map[string][]string{"alice": {"life", "work"}}, Default: "play"}, "alice", []string{"life", "work"}, "life"},
		{"names are names", Rules{Access: map[string][]string{"alice": {"agent:*", "*", "agent:bob", "global' OR 1=1"}}}, "alice", []string{"agent:bob"}, "agent:bob"},
		{"everyone", Rules{Everyone: []string{"team", "global"}}, "alice", []string{"global", "agent:alice", "team"}, "agent:alice"},
		{"own only", Rules{OwnOnly: true, Everyone: []string{"team"}}, "alice", []string{"agent:alice"}, "agent:alice"},
		{"system is a name", Rules{Access: map[string][]string{"system": {"work"}}}, "system", []string{"work"}, "work"},
		{"another spelling is another agent", Rules{Access: map[string][]string{"Alice": {"work"}}}, "alice", []string{"global", "agent:alice"}, "agent:alice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := c.rules.ForCaller(Caller{AgentID: c.agent})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, a.Accessible()); diff != "" {
				t.Errorf("accessible (-want +got)\n%s", diff)
			}
			if home, err := a.Write(""); err != nil || home != c.home {
				t.Errorf("writes to %q, %v; want %q", home, err, c.home)
			}
		})
	}
}

func TestAnEmptyEntryReachesNothing(t *testing.T) {
	a, err := Rules{Access: map[string][]string{"alice": {}}}.ForCaller(Caller{AgentID: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	var denied *DeniedError
	if _, err := a.Write(""); !errors.As(err, &denied) {
		t.Errorf("Write(\"\") = %v; want DeniedError", err)
	}
	if f := a.Filter(); f.All() || len(f.Names()) != 0 {
		t.Errorf("reads %v", f.Names())
	}
}
