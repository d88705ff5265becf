package engine

import (
	"fmt"
	"testing"
	"time"
)

// What was found unused counts for the next turn, and a recall on purpose lets a
// memory in again for the next turn: neither waits until the counts are written,
// and after they were, and after a restart, it is the same. How soon a memory may
// be repeated in a session has no say in it.
func TestVerdictsCountBeforeTheyAreWritten(t *testing.T) {
	for _, minRepeated := range []int{0, 8} {
		for _, written := range []bool{false, true} {
			t.Run(fmt.Sprintf("repeated after %d, written %t", minRepeated, written), func(t *testing.T) {
				at := now
				set := func(o *Options) {
					o.Now = func() time.Time { return at }
					o.Config.AutoRecall.MinRepeated = minRepeated
				}
				f := start(t, nil, autoRecall, set)
				f.pauses()
				m := f.remember("The train to Bergen leaves from gate nine").Memory
				n := 0
				ask := func() string {
					n, at = n+1, at.Add(time.Minute)
					return f.prompted(inSession(fmt.Sprint("s", n), "1", "What is there to see in Bergen near the train and its gate?"))
				}
				pause := func() {
					if written {
						f.counted()
					}
				}
				for round := range 2 {
					for turn := range unusedBefore {
						if ask() == "" {
							t.Fatalf("round %d, turn %d was shown nothing", round, turn)
						}
						f.answered(fmt.Sprint("s", n), "1", elsewhere)
						pause()
					}
					if block := ask(); block != "" {
						t.Errorf("round %d: it is not held back:\n%s", round, block)
					}
					if !written {
						i, err := f.injection(t.Context(), inSession("why", "1", bergen), true)
						if err != nil || i.Left[m.ID] != LeftUnused {
							t.Errorf("left because %q, %v", i.Left[m.ID], err)
						}
					}
					if hits := f.asks("Bergen train gate").Hits; len(hits) != 1 {
						t.Fatalf("the tool found %d", len(hits))
					}
					if ask() == "" {
						t.Errorf("round %d: asked for, it is still held back", round)
					}
					pause()
					if ask() == "" {
						t.Errorf("round %d: once that was written, it is held back again", round)
					}
				}
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
				f = reopen(t, f.path, nil, autoRecall, set)
				if ask() == "" {
					t.Error("after a restart it is held back again")
				}
			})
		}
	}
}

// Verdicts that are on their way into the table are counted once, whether the
// search reads the row before or after they arrive.
func TestVerdictsAreCountedOnce(t *testing.T) {
	f := start(t, nil, autoRecall)
	m := f.remember("The train to Bergen leaves from gate nine").Memory
	unusedAt := func(minute int) touch {
		at := now.Add(time.Duration(minute) * time.Minute)
		return touch{reception: reception{unused: 1, first: at, last: at}}
	}
	f.touches.held = map[string]touch{m.ID: unusedAt(0)}
	f.touches.take(touchMany)
	f.touches.held[m.ID] = unusedAt(1)
	v := f.verdicts()
	before, after := m, m
	govern(f.cfg.AutoRecall, &after.Metadata, unusedAt(0))
	for name, row := range map[string]int64{"before": number(v.of(f.cfg.AutoRecall, before), keyBadRecalls), "after": number(v.of(f.cfg.AutoRecall, after), keyBadRecalls)} {
		if row != 2 {
			t.Errorf("%s the write: %d, want 2", name, row)
		}
	}
}
