package engine

import (
	"errors"
	"slices"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

func TestAgentsSeeTheirOwn(t *testing.T) {
	const secret, shared = "Alice hides the spare key in the shed", "The shed is painted green"
	f := start(t, nil)
	alice, bob := Agent("alice", ""), Agent("", "agent:bob:main")
	a, err := f.Store(t.Context(), StoreRequest{Who: alice, Text: secret})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Store(t.Context(), StoreRequest{Who: bob, Text: shared, Scope: "global"}); err != nil {
		t.Fatal(err)
	}
	see := func(who Who, scope string) RecallAnswer {
		t.Helper()
		answer, err := f.Recall(t.Context(), RecallRequest{Who: who, Query: "what about the shed", Scope: scope, Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	for _, c := range []struct {
		who           Who
		secret, again bool
	}{
		{alice, true, true}, {bob, false, false}, {Operator(), true, true},
		{Agent("system", ""), false, false}, {Agent("undefined", ""), false, false}, {Agent("ALICE", ""), false, false},
	} {
		got := texts(see(c.who, ""))
		if slices.Contains(got, secret) != c.secret || !slices.Contains(got, shared) {
			t.Errorf("%s sees %q", c.who, got)
		}
		// Asking for the scope by name does not help, and is told.
		answer := see(c.who, "agent:alice")
		if slices.Contains(texts(answer), secret) != c.again || (answer.IgnoredScope == "") != c.again {
			t.Errorf("%s asking for agent:alice sees %q, ignored %q", c.who, texts(answer), answer.IgnoredScope)
		}
		if _, err := f.Delete(t.Context(), DeleteRequest{Who: c.who, ID: a.Memory.ID}); !c.secret && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s deleting: %v", c.who, err)
		} else if c.secret && err != nil {
			t.Errorf("%s deleting: %v", c.who, err)
		} else if c.secret {
			if a, err = f.Store(t.Context(), StoreRequest{Who: alice, Text: secret}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, nobody := range []Who{{}, Agent(" ", ""), Agent("", "main"), Agent("12345", "")} {
		if _, err := f.Recall(t.Context(), RecallRequest{Who: nobody, Query: "shed"}); FaultOf(err) != FaultNoAgent {
			t.Errorf("recall for %s: %v", nobody, err)
		}
	}
}

func TestDeleteByPrefix(t *testing.T) {
	f := start(t, nil)
	m := f.remember("The ladder leans on the north wall").Memory
	for _, id := range []string{"", "ab", "not an id!"} {
		if _, err := f.Delete(t.Context(), DeleteRequest{Who: main, ID: id}); FaultOf(err) != FaultBadParams {
			t.Errorf("deleting %q: %v (%s)", id, err, FaultOf(err))
		}
	}
	if _, err := f.Delete(t.Context(), DeleteRequest{Who: main, ID: "00000000"}); FaultOf(err) != FaultNotFound {
		t.Errorf("deleting an unknown prefix: %v (%s)", err, FaultOf(err))
	}
	gone, err := f.Delete(t.Context(), DeleteRequest{Who: main, ID: m.ID[:8] + "..."})
	if err != nil || gone.ID != m.ID || f.count() != 0 {
		t.Errorf("deleted %+v, %v", gone, err)
	}
}
