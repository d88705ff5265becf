package scope

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestForCaller(t *testing.T) {
	tests := []struct {
		name   string
		caller Caller
		want   []string // nil: refused
	}{
		{"explicit id", Caller{AgentID: "alice"}, []string{"global", "agent:alice"}},
		{"id wins over session", Caller{AgentID: "alice", SessionKey: "agent:bob:main"}, []string{"global", "agent:alice"}},
		{"from session key", Caller{SessionKey: "agent:bob:telegram:42"}, []string{"global", "agent:bob"}},
		{"blanks around id", Caller{AgentID: " alice "}, []string{"global", "agent:alice"}},
		{"system has no powers", Caller{AgentID: "system"}, []string{"global", "agent:system"}},
		{"undefined has no powers", Caller{AgentID: "undefined"}, []string{"global", "agent:undefined"}},
		{"nothing at all", Caller{}, nil},
		{"session of another form", Caller{SessionKey: "temp:memory-reflection"}, nil},
		{"session without agent", Caller{SessionKey: "agent::main"}, nil},
		{"a chat id", Caller{AgentID: "100200300"}, nil},
		{"a chat id in the session key", Caller{SessionKey: "agent:100200300:main"}, nil},
		{"quote", Caller{AgentID: "a' OR 1=1 --"}, nil},
		{"colon smuggles a scope", Caller{AgentID: "a:b"}, nil},
		{"too long", Caller{AgentID: strings.Repeat("a", 65)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := ForCaller(tt.caller)
			if tt.want == nil {
				var missing *NoAgentError
				if !errors.As(err, &missing) {
					t.Fatalf("ForCaller(%+v) = %v, %v; want NoAgentError", tt.caller, a, err)
				}
				if a.Filter().All() || len(a.Filter().Names()) > 0 {
					t.Errorf("a refused caller can still read %v", a.Filter())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, a.Accessible()); diff != "" {
				t.Errorf("accessible scopes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadAndWriteStayInside(t *testing.T) {
	alice, err := ForCaller(Caller{AgentID: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"agent:bob", "agent:*", "%", "global'", "agent:alice:x", " ", strings.Repeat("g", 101)} {
		var denied *DeniedError
		if f, err := alice.Read(s); !errors.As(err, &denied) || len(f.Names()) != 0 {
			t.Errorf("Read(%q) = %v, %v; want DeniedError and an empty filter", s, f.Names(), err)
		}
		if w, err := alice.Write(s); !errors.As(err, &denied) || w != "" {
			t.Errorf("Write(%q) = %q, %v; want DeniedError", s, w, err)
		}
	}
	if f, err := alice.Read("global"); err != nil || !cmp.Equal(f.Names(), []string{"global"}) {
		t.Errorf("Read(global) = %v, %v", f.Names(), err)
	}
	if w, err := alice.Write(""); err != nil || w != "agent:alice" {
		t.Errorf("Write(\"\") = %q, %v; want the agent's own scope", w, err)
	}
}

func TestZeroFilterDeniesAll(t *testing.T) {
	var f Filter
	if f.All() || f.Allows(Global) || len(f.Names()) != 0 {
		t.Error("the zero Filter lets something through")
	}
}

func TestNamesIsACopy(t *testing.T) {
	a, err := ForCaller(Caller{AgentID: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	a.Filter().Names()[0] = "agent:bob"
	if a.Filter().Allows("agent:bob") {
		t.Error("changing the returned list widened the filter")
	}
}

func TestOperator(t *testing.T) {
	op := Operator()
	if !op.Filter().All() || !op.Filter().Allows("agent:anyone") {
		t.Error("the operator cannot read everything")
	}
	if w, _ := op.Write(""); w != Global {
		t.Errorf("operator writes to %q by default, want global", w)
	}
	if f, err := op.Read("agent:alice"); err != nil || f.All() {
		t.Errorf("a requested scope does not narrow the operator: %v %v", f, err)
	}
}
