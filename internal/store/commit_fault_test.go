package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// failing has steps fail, so many times in all.
func failing(s *Store, times int, steps ...string) error {
	refused := errors.New("the disk refused")
	s.fault = func(at string) error {
		if slices.Contains(steps, at) && times > 0 {
			times--
			return refused
		}
		return nil
	}
	return refused
}

// TestFailingCommit has each commit of a transaction fail. What the caller is told
// is what is true, nothing is half done for long, and the next write goes through.
func TestFailingCommit(t *testing.T) {
	a, b, c := mem("alpha", withID("row-a")), mem("beta", withID("row-b")), mem("gamma", withID("row-c"))
	a2 := a
	a2.Importance = 0.1
	all := func(tx *Tx) error { return errors.Join(tx.Update(a2), tx.Delete(b.ID), tx.Insert(c)) }
	remove := func(tx *Tx) error { return tx.Delete(b.ID) }
	before, after := byID(a, b), byID(a2, c)
	for _, tt := range []struct {
		name      string
		steps     []string
		times     int
		fn        func(*Tx) error
		fails     bool // the caller is told that it failed
		unsettled bool // and that it will be completed
		now, then map[string]memory.Memory
	}{
		{"no record", []string{stepAppend}, 1, all, true, false, before, before},
		{"no update", []string{stepPut}, 1, all, true, false, before, before},
		{"an update that seemed to fail", []string{stepPutDone}, 1, all, false, false, after, after},
		{"a deletion at first", []string{stepDelete}, 1, all, false, false, after, after},
		{"a deletion that seemed to fail", []string{stepDeleteDone}, 1, all, false, false, after, after},
		{"no deletion after an update", []string{stepDelete}, deleteTries, all, true, true, byID(a2, b, c), after},
		{"no deletion", []string{stepDelete}, 1, remove, true, false, before, before},
		{"nobody knows, and it was not written", []string{stepPut, stepLook}, 2, all, true, true, before, after},
		{"nobody knows, and it was written", []string{stepPutDone, stepLook}, 2, all, true, true, byID(a2, b, c), after},
		{"no note of it", []string{stepDone}, 1, all, false, false, after, after},
	} {
		t.Run(tt.name, func(t *testing.T) {
			noHandlesLeft(t)
			s := open(t, t.TempDir())
			insert(t, s, a, b)
			refused := failing(s, tt.times, tt.steps...)
			err := s.Write(t.Context(), "test", tt.fn)
			var unsettled *UnsettledError
			if errors.Is(err, refused) != tt.fails || (err == nil) == tt.fails || errors.As(err, &unsettled) != tt.unsettled {
				t.Errorf("told: %v", err)
			}
			if diff := cmp.Diff(tt.now, tableRows(t, s)); diff != "" {
				t.Errorf("at once (-want +got):\n%s", diff)
			}
			if n := len(recorded(t, s)); n != 1 && tt.fails && !tt.unsettled {
				t.Errorf("%d entries, want only the first: a refused change stayed on record", n)
			}
			// The next write completes what is open, and its own.
			insert(t, s, mem("next", withID("row-n")))
			then := tableRows(t, s)
			delete(then, "row-n")
			if diff := cmp.Diff(tt.then, then); diff != "" {
				t.Errorf("after the next write (-want +got):\n%s", diff)
			}
			for _, e := range recorded(t, s) {
				if e.Version == 0 {
					t.Errorf("entry %d still counts as not applied", e.Seq)
				}
			}
		})
	}
}

// TestUnsettledConcernsItsOwn has the deletions of a batch fail: only who asked for
// one is told so, and who comes later in the batch still gets the truth.
func TestUnsettledConcernsItsOwn(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	a := mem("alpha", withID("row-a"))
	insert(t, s, a)
	failing(s, deleteTries, stepDelete)
	errs := oneBatch(t, s,
		func(tx *Tx) error { return tx.Insert(mem("x", withID("row-x"))) },
		func(tx *Tx) error { return tx.Delete(a.ID) },
		func(tx *Tx) error { // reads by word, so the two before are committed first
			_, _ = tx.Matching(t.Context(), everyone(), memory.Narrow{}, "x", 1)
			return tx.Insert(mem("w", withID("row-w")))
		},
		func(tx *Tx) error { return tx.Insert(mem("y", withID("row-y"))) },
	)
	var first, second *UnsettledError
	if errs[0] != nil || !errors.As(errs[1], &first) || !first.Recorded || errs[2] == nil || errors.As(errs[2], &second) || errs[3] != nil {
		t.Errorf("told %v", errs)
	}
	insert(t, s, mem("z", withID("row-z")))
	got := tableRows(t, s)
	if _, there := got[a.ID]; there || len(got) != 3 {
		t.Errorf("the table holds %d rows, the deleted one among them: %v", len(got), there)
	}
}

// TestJournalTroubleLeavesReading puts a file where the journal's directory goes.
func TestJournalTroubleLeavesReading(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	m := mem("readable")
	insert(t, s, m)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	at := s.journalPath()
	if err := errors.Join(os.RemoveAll(at), os.WriteFile(at, []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if _, err := s.Get(t.Context(), everyone(), m.ID); err != nil {
		t.Errorf("reading: %v", err)
	}
	err := s.Write(t.Context(), "storing", func(tx *Tx) error { return tx.Insert(mem("y")) })
	if err == nil || !strings.Contains(err.Error(), at) {
		t.Errorf("writing: %v, want an error that names %s", err, at)
	}
	if n := total(t, s); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}

// fullDisk is a child on a disk that takes no more for a while.
func fullDisk(ctx context.Context, path string) int {
	if err := fillUp(ctx, path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func fillUp(ctx context.Context, path string) error {
	s, err := Open(ctx, Options{Path: path, Dimensions: width})
	if err != nil {
		return err
	}
	defer s.Close()
	put := func(text string) error {
		return s.Write(ctx, "storing", func(tx *Tx) error { return tx.Insert(mem(text)) })
	}
	if err := put("before"); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	full := syscall.Rlimit{Cur: 16, Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		return err
	}
	for range 2 {
		if err := put("meanwhile"); !errors.Is(err, syscall.EFBIG) {
			return fmt.Errorf("storing on a full disk: %w, want EFBIG", err)
		}
	}
	hits, err := s.Matching(ctx, everyone(), memory.Narrow{}, "before", 5)
	if err != nil || len(hits) != 1 {
		return fmt.Errorf("reading on a full disk: %d, %w", len(hits), err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := put("after"); err != nil {
		return fmt.Errorf("storing when there is room again: %w", err)
	}
	page, err := s.List(ctx, ListQuery{Who: everyone()})
	if err != nil || len(page.Memories) != 2 {
		return fmt.Errorf("%d memories, %w; want the two that were acknowledged", len(page.Memories), err)
	}
	log, err := s.Log(0, func(journal.Entry) bool { return true })
	if err != nil || len(log) != 2 {
		return fmt.Errorf("%d entries, %w; want 2", len(log), err)
	}
	return nil
}

func TestFullDisk(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=full:"+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
