package journal

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each failing call of each kind, in an append to a segment that is there and in
// one that begins a new one: the error says which file and what to do, the journal
// is as before, and the next append works.
func TestAFailedAppendLeavesNothing(t *testing.T) {
	for _, grown := range []bool{false, true} {
		for _, op := range []string{"stat", "mkdir", "open", "write", "sync", "syncdir", "truncate", "remove", "list", "read"} {
			for _, errno := range slices.Sorted(maps.Keys(errnos)) {
				for nth := 1; ; nth++ {
					m := newMemFS()
					o := quiet()
					o.files, o.SegmentBytes = m, 400
					j := open(t, memDir, o)
					m.half = true
					if grown {
						add(t, j, "one")
					}
					before := since(t, j, 0)
					seen := 0
					m.fail = func(name, _ string) error {
						if name == op {
							if seen++; seen == nth {
								return errno
							}
						}
						return nil
					}
					err := j.Append(entry("two"), entry("three"))
					m.fail = nil
					where := fmt.Sprintf("call %d of %s, %v, grown %v", nth, op, errno, grown)
					if seen < nth {
						break
					}
					if err == nil {
						// It was not needed, as closing and shortening are not.
						if got := since(t, j, 0); len(got) != len(before)+2 {
							t.Fatalf("%s: acknowledged, and there is %v", where, got)
						}
						continue
					}
					if errors.Is(err, ErrInDoubt) || !errors.Is(err, errno) || !advises(err, errno) || !strings.Contains(err.Error(), "/state") {
						t.Fatalf("%s: %v", where, err)
					}
					if diff := cmp.Diff(before, since(t, j, 0)); diff != "" {
						t.Fatalf("%s: something was left:\n%s", where, diff)
					}
					add(t, j, "again")
					if got := since(t, j, 0); len(got) != len(before)+1 {
						t.Fatalf("%s: after the next append %v", where, got)
					}
				}
			}
		}
	}
}

func TestAppendsFailUntilThereIsRoom(t *testing.T) {
	m := newMemFS()
	o := quiet()
	o.files = m
	j := open(t, memDir, o)
	add(t, j, "one")
	path := memDir + "/" + segmentName(1)
	before := slices.Clone(m.names[path].data)
	for errno := range errnos {
		for _, kind := range []string{"write", "sync"} {
			for _, half := range []bool{false, true} {
				m.half = half
				failed := 0
				m.fail = func(op, _ string) error {
					// The sync of the cut succeeds: Linux tells of a failure once.
					if op == kind && (kind == "write" || failed == 0) {
						failed++
						return errno
					}
					return nil
				}
				for range 3 {
					failed = 0
					if err := j.Append(entry("more")); !errors.Is(err, errno) || errors.Is(err, ErrInDoubt) {
						t.Fatalf("%v in %s: %v", errno, kind, err)
					}
					if !slices.Equal(m.names[path].data, before) || len(m.names) != 3 {
						t.Fatalf("%v in %s: the files are not as before", errno, kind)
					}
				}
			}
		}
	}
	m.fail = nil
	add(t, j, "two")
	if diff := cmp.Diff([]string{"1 one v0", "2 two v0"}, since(t, j, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// What a failed sync was about is not trusted: a new file begins.
	if _, ok := m.names[memDir+"/"+segmentName(2)]; !ok {
		t.Error("after a failed sync the same file was used again")
	}
}

func TestAnAppendThatCannotBeTakenBackSaysSo(t *testing.T) {
	m := newMemFS()
	o := quiet()
	o.files = m
	a, b := open(t, memDir, o), open(t, memDir, o)
	add(t, a, "one")
	m.fail = func(op, _ string) error {
		if op == "sync" || op == "truncate" {
			return pickErrno(3)
		}
		return nil
	}
	if err := a.Append(entry("two")); !errors.Is(err, ErrInDoubt) || !strings.Contains(err.Error(), ErrInDoubt.Error()) {
		t.Errorf("Append: %v", err)
	}
	m.fail = nil
	// The next of this holder replaces it.
	add(t, a, "instead")
	if diff := cmp.Diff([]string{"1 one", "2 instead"}, catch(t, b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestANoteThatCannotBeWrittenIsWrittenLater(t *testing.T) {
	m := newMemFS()
	o := quiet()
	o.files = m
	a, b := open(t, memDir, o), open(t, memDir, o)
	add(t, a, "one")
	m.fail = func(op, _ string) error {
		if op == "write" {
			return pickErrno(0)
		}
		return nil
	}
	if err := a.Done(1, 7); err == nil {
		t.Error("Done does not tell")
	}
	m.fail = nil
	if got := catch(t, a); len(got) > 0 {
		t.Errorf("the process that knows is handed %v", got)
	}
	add(t, a, "two")
	if diff := cmp.Diff([]string{"2 two"}, catch(t, b)); diff != "" {
		t.Errorf("the other process (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1 one v7", "2 two v0"}, since(t, b, 0)); diff != "" {
		t.Errorf("Since (-want +got):\n%s", diff)
	}
}

func TestReadingNeedsNoWriting(t *testing.T) {
	m := newMemFS()
	o := quiet()
	o.files = m
	j := open(t, memDir, o)
	add(t, j, "one")
	if err := errors.Join(j.Done(1, 2), j.Checkpoint(Mark{Seq: 1, Version: 2})); err != nil {
		t.Fatal(err)
	}
	m.fail = func(op, _ string) error {
		if op != "stat" && op != "open" && op != "read" && op != "list" {
			return pickErrno(1)
		}
		return nil
	}
	k := open(t, memDir, o)
	if diff := cmp.Diff([]string{"1 one v2"}, since(t, k, 0)); diff != "" {
		t.Error(diff)
	}
	if got := newest(t, k); len(got) != 1 {
		t.Error(got)
	}
	if st, err := k.Stats(); err != nil || st.Last != 1 || st.Checkpoint.Seq != 1 {
		t.Errorf("%+v, %v", st, err)
	}
	if got := catch(t, k); len(got) > 0 {
		t.Error(got)
	}
}

func TestACatchWithoutNewsCostsTwoLooks(t *testing.T) {
	m := newMemFS()
	o := quiet()
	o.files = m
	j := open(t, memDir, o)
	add(t, j, "one")
	if err := j.Done(1, 2); err != nil {
		t.Fatal(err)
	}
	catch(t, j)
	before := m.calls
	catch(t, j)
	if n := m.calls - before; n > 2 {
		t.Errorf("%d calls", n)
	}
}

func TestOpeningReadsNoOldSegments(t *testing.T) {
	m := newMemFS()
	o := quiet()
	o.files, o.SegmentBytes = m, 600
	j := open(t, memDir, o)
	for i := range 40 {
		add(t, j, "x")
		if err := j.Done(uint64(i+1), 2); err != nil {
			t.Fatal(err)
		}
	}
	add(t, j, "undone")
	opened := 0
	m.fail = func(op, path string) error {
		if op == "open" && strings.HasSuffix(path, segmentSuffix) {
			opened++
		}
		return nil
	}
	if got := catch(t, open(t, memDir, o)); len(got) != 1 {
		t.Fatal(got)
	}
	if opened > 3 { // the newest, the one before it, and the newest again for the entry
		t.Errorf("%d of %d segments were opened", opened, len(m.names)-2)
	}
	opened = 0
	if got := since(t, j, 38); len(got) != 3 {
		t.Fatal(got)
	}
	if opened > 3 {
		t.Errorf("for the last three entries %d segments were opened", opened)
	}
}
