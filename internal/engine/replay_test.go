package engine

import (
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

func (f *fixture) replay(r ReplayRequest) ReplayAnswer {
	f.t.Helper()
	if r.Who == (Who{}) {
		r.Who = Operator()
	}
	a, err := f.Replay(f.t.Context(), r)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

func TestReplay(t *testing.T) {
	f := start(t, nil)
	best := f.remember("The train to Bergen leaves from gate nine").Memory.ID
	other := f.remember("The train from Bergen is late").Memory.ID
	before := f.recall("gate of the train to Bergen", 5)
	entry := f.entries(1)[0]

	same := f.replay(ReplayRequest{Ref: "1"})
	if same.TableChanged || same.SettingsChanged || same.With != nil || same.Entry.ID != entry.ID || len(same.Moves) != len(before.Hits) {
		t.Fatalf("again: %+v", same)
	}
	for i, m := range same.Moves {
		if m.Then != i+1 || m.Now != i+1 || m.ThenScore != m.NowScore || m.Lost != "" || m.Memory == nil || m.With != 0 {
			t.Errorf("move %d: %+v", i, m)
		}
	}

	// With a cut that only the best one passes.
	strict := f.cfg
	cut := same.Moves[0].NowScore - 0.001
	strict.Retrieval.MinScore, strict.Retrieval.HardMinScore = &cut, nil
	a := f.replay(ReplayRequest{Ref: entry.ID, With: &strict})
	if len(a.With.Hits) != 1 || a.Moves[0].ID != best || a.Moves[0].With != 1 {
		t.Fatalf("strict: %+v", a.Moves)
	}
	if len(before.Hits) == 2 {
		if m := a.Moves[1]; m.ID != other || m.Now != 2 || m.With != 0 || m.Lost != retrieve.ReasonMinScore {
			t.Errorf("the other: %+v", m)
		}
	}

	// The table moves on.
	if _, err := f.Delete(t.Context(), DeleteRequest{Who: main, ID: best}); err != nil {
		t.Fatal(err)
	}
	fresh := f.remember("The train to Bergen leaves from gate four").Memory.ID
	later := f.replay(ReplayRequest{Ref: "1"})
	if !later.TableChanged || later.Moves[0].ID != fresh || later.Moves[0].Then != 0 || later.Moves[0].Now != 1 {
		t.Errorf("later: %+v", later.Moves)
	}
	gone := later.Moves[len(later.Moves)-1]
	if gone.ID != best || gone.Lost != Gone || gone.Memory != nil || gone.Then != 1 {
		t.Errorf("the deleted one: %+v", gone)
	}

	// Other settings are noted.
	changed := reopen(t, f.path, nil, func(o *Options) { o.Config.Retrieval.CandidatePoolSize = 50 })
	if a := changed.replay(ReplayRequest{Ref: "1"}); !a.SettingsChanged {
		t.Errorf("changed settings are not noted: %+v", a.Entry)
	}

	for _, ref := range []string{"0", "2", "-1", "deadbeef", ""} {
		if _, err := f.Replay(t.Context(), ReplayRequest{Who: Operator(), Ref: ref}); FaultOf(err) != FaultNotFound {
			t.Errorf("%q: %v", ref, err)
		}
	}
	if _, err := f.Replay(t.Context(), ReplayRequest{Who: Agent("bob", ""), Ref: "1"}); FaultOf(err) != FaultNotFound {
		t.Errorf("bob replays main's: %v", err)
	}
	f.entries(1) // a replay is no recall
}

// What an agent asked is asked again with the agent's reach.
func TestReplayKeepsTheReach(t *testing.T) {
	f := start(t, nil)
	f.remember("The train to Bergen leaves from gate nine")
	if _, err := f.Store(t.Context(), StoreRequest{Who: Agent("bob", ""), Text: "Bob takes the train to Bergen", Importance: 0.7}); err != nil {
		t.Fatal(err)
	}
	f.recall("train to Bergen", 5)
	f.entries(1)
	if a := f.replay(ReplayRequest{Ref: "1"}); len(a.Now.Hits) != 1 {
		t.Errorf("found %q", texts(a.Now))
	}
}

func TestStatsCountRecalls(t *testing.T) {
	f := start(t, nil)
	f.remember("The train to Bergen leaves from gate nine")
	f.recall("gate", 3)
	f.recall("zzz", 3)
	if _, err := f.Recall(t.Context(), RecallRequest{Who: Agent("bob", ""), Query: "gate", Source: retrieve.SourceManual}); err != nil {
		t.Fatal(err)
	}
	f.entries(3)
	for _, c := range []struct {
		who                    Who
		recalls, empty, source int
	}{{Operator(), 3, 2, 2}, {main, 2, 1, 1}, {Agent("bob", ""), 1, 1, 1}, {Agent("eve", ""), 0, 0, 0}} {
		s, err := f.Stats(t.Context(), StatsRequest{Who: c.who})
		if err != nil {
			t.Fatal(err)
		}
		if s.Recalls.Recalls != c.recalls || s.Recalls.Empty != c.empty || len(s.Recalls.Sources) != c.source || s.Recorded.Recalls != c.recalls || s.Recorded.Empty != c.empty {
			t.Errorf("%s: %+v, recorded %+v", c.who, s.Recalls, *s.Recorded)
		}
		if c.recalls > 0 && (len(s.Recalls.Stages) == 0 || s.Recalls.Took.P50 <= 0) {
			t.Errorf("%s: no times: %+v", c.who, s.Recalls)
		}
	}
}
