package store

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// crashEnv names the step at which a child dies.
const crashEnv = "MEMORY_STORE_TEST_STEP"

// The rows a crashing child works with, as it leaves them.
var (
	crashA = mem("alpha", withID("row-a"))
	crashB = mem("beta", withID("row-b"))
	crashC = mem("gamma", withID("row-c"))
)

func crashA2() memory.Memory {
	m := crashA
	m.Text, m.Vector = "alpha two", vec("alpha two")
	return m
}

// crasher stores two rows, tells so, and dies at a step of the transaction that
// changes the first, deletes the second and adds a third.
func crasher(ctx context.Context, path string) int {
	s, err := Open(ctx, Options{Path: path, Dimensions: width, Now: func() time.Time { return start }})
	if err == nil {
		err = s.Write(ctx, "storing", func(tx *Tx) error { return tx.Insert(crashA, crashB) })
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("stored")
	s.fault = func(step string) error {
		if step == os.Getenv(crashEnv) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}
	err = s.Write(ctx, "changing", func(tx *Tx) error {
		for _, err := range []error{tx.Insert(crashC), tx.Update(crashA2()), tx.Delete(crashB.ID)} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		fmt.Println("changed")
		err = s.checkpoint(ctx)
	}
	fmt.Println("did not die", err)
	return 1
}

// crashAt runs the child and reports what it acknowledged.
func crashAt(t *testing.T, dir, step string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=crash:"+dir, crashEnv+"="+step)
	out, err := cmd.Output()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); err == nil || !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the child ended otherwise: %v: %s", err, out)
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

// rows is the table, by id.
func tableRows(t testing.TB, s *Store) map[string]memory.Memory {
	t.Helper()
	rows := map[string]memory.Memory{}
	n := 0
	err := s.Each(t.Context(), everyone(), memory.Narrow{}, true, func(list []memory.Memory) error {
		for _, m := range list {
			rows[m.ID] = m
			n++
		}
		return nil
	})
	if err != nil || n != len(rows) {
		t.Fatalf("%d rows of %d ids, %v", n, len(rows), err)
	}
	return rows
}

func byID(ms ...memory.Memory) map[string]memory.Memory {
	rows := map[string]memory.Memory{}
	for _, m := range ms {
		rows[m.ID] = m
	}
	return rows
}

// TestCrash has a process die at every step of a change. Whoever comes next, by
// opening the store or by the next write of a store that was open all the time,
// finds the change whole or not at all, and whole if it was acknowledged.
func TestCrash(t *testing.T) {
	before, after := byID(crashA, crashB), byID(crashA2(), crashC)
	for _, tt := range []struct {
		step string
		want map[string]memory.Memory
		says string
	}{
		{stepAppend, before, "stored"},
		{stepPut, after, "stored"},
		{stepPutDone, after, "stored"},
		{stepDelete, after, "stored"},
		{stepDeleteDone, after, "stored"},
		{stepDone, after, "stored"},
		{stepCheckpoint, after, "stored changed"},
	} {
		t.Run(tt.step, func(t *testing.T) {
			noHandlesLeft(t)
			for _, alive := range []bool{false, true} {
				dir := t.TempDir()
				var s *Store
				if alive {
					s = open(t, dir)
				}
				if says := crashAt(t, dir, tt.step); says != tt.says {
					t.Errorf("the child said %q, want %q", says, tt.says)
				}
				if alive {
					if err := s.Write(t.Context(), "next", func(*Tx) error { return nil }); err != nil {
						t.Fatal(err)
					}
				} else {
					s = open(t, dir)
				}
				if diff := cmp.Diff(tt.want, tableRows(t, s)); diff != "" {
					t.Errorf("alive %v (-want +got):\n%s", alive, diff)
				}
				for _, e := range recorded(t, s) {
					if e.Version == 0 {
						t.Errorf("alive %v: entry %d still counts as not applied", alive, e.Seq)
					}
				}
				// Once more: nothing is left to do.
				v, _ := s.version(t.Context())
				if err := s.redo(t.Context()); err != nil {
					t.Fatal(err)
				}
				if again, _ := s.version(t.Context()); again != v {
					t.Errorf("alive %v: a second replay changed the table", alive)
				}
			}
		})
	}
}

// A closed store has nothing to replay, and an opened one reads nothing.
func TestCleanCloseLeavesNothingToReplay(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	insert(t, s, mem("one"), mem("two"))
	if wanted, err := s.unchecked(); !wanted || err != nil {
		t.Errorf("before Close: %v, %v; want something to check", wanted, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if wanted, err := s.unchecked(); wanted || err != nil {
		t.Errorf("after Close: %v, %v; want nothing", wanted, err)
	}
	if s.durable.pending() {
		t.Error("opening a cleanly closed store left something to make durable")
	}
}

// foreign changes the table as a program does that keeps no journal.
func foreign(t *testing.T, s *Store, fn func(tx *Tx) error) {
	t.Helper()
	err := s.Write(t.Context(), "foreign", func(tx *Tx) error { tx.Quiet(); return fn(tx) })
	if err != nil {
		t.Fatal(err)
	}
}

// TestReplayBringsBack takes changes out of the table that are on record, as a
// power cut does, or changes them as another program does, and opens it again.
func TestReplayBringsBack(t *testing.T) {
	a, b, c := mem("alpha", withID("row-a")), mem("beta", withID("row-b")), mem("gamma", withID("row-c"))
	a2, a3 := a, a
	a2.Text, a3.Text = "alpha two", "alpha three"
	theirs := a
	theirs.Text = "of another program"
	counted := a3
	counted.Metadata.AccessCount = 5
	record := func(t *testing.T, s *Store) {
		for _, fn := range []func(*Tx) error{
			func(tx *Tx) error { return tx.Insert(a, b, c) },
			func(tx *Tx) error { return tx.Update(a2) },
			func(tx *Tx) error { return tx.Update(a3) },
			func(tx *Tx) error { return tx.Delete(b.ID) },
		} {
			if err := s.Write(t.Context(), "test", fn); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name      string
		lose      func(tx *Tx) error
		same, new map[string]memory.Memory // after opening it in the same run of the machine, and in another
	}{
		{"nothing", func(*Tx) error { return nil }, byID(a3, c), byID(a3, c)},
		{"the last update", func(tx *Tx) error { return tx.Update(a2) }, byID(a3, c), byID(a3, c)},
		{"all updates", func(tx *Tx) error { return tx.Update(a) }, byID(a3, c), byID(a3, c)},
		{"an insertion", func(tx *Tx) error { return tx.Delete(c.ID) }, byID(a3, c), byID(a3, c)},
		{"everything of a row", func(tx *Tx) error { return tx.Delete(a.ID) }, byID(a3, c), byID(a3, c)},
		{"a deletion", func(tx *Tx) error { return tx.Insert(b) }, byID(a3, c), byID(a3, c)},
		{"counts of use", func(tx *Tx) error { return tx.Update(counted) }, byID(counted, c), byID(a3, c)}, // a power cut may take them
		{"to another program", func(tx *Tx) error { return tx.Update(theirs) }, byID(theirs, c), byID(a3, c)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			noHandlesLeft(t)
			for boot, want := range map[string]map[string]memory.Memory{"first": tt.same, "second": tt.new} {
				dir := t.TempDir()
				s := open(t, dir, func(o *Options) { o.Boot = "first" })
				s.durable.close() // no checkpoint
				record(t, s)
				foreign(t, s, tt.lose)
				s.durable.dirty = false // not by Close either
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				s = open(t, dir, func(o *Options) { o.Boot = boot })
				if diff := cmp.Diff(want, tableRows(t, s)); diff != "" {
					t.Errorf("boot %s (-want +got):\n%s", boot, diff)
				}
			}
		})
	}
}

// TestReplayFitsTheTable: a vector on record may be of a width that the table no
// longer has.
func TestReplayFitsTheTable(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	m := mem("wide", withVector(slices.Repeat([]float32{0.5}, width+1)))
	entries := []journal.Entry{{Seq: 1, Boot: s.boot, Changes: []journal.Change{{ID: m.ID, After: rowOf(m)}}}}
	if err := s.restore(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(t.Context(), everyone(), m.ID)
	if err != nil || got.Text != "wide" || got.Vector != nil || got.Metadata.Embedding != memory.EmbeddingPending {
		t.Errorf("a row with a vector of another width became %+v, %v", got, err)
	}
}

// TestReplayKeepsColumnsOfOthers brings back an update in a table with columns that
// no journal knows.
func TestReplayKeepsColumnsOfOthers(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	table(t, dir, foreignFields(), `[
		{"id":"old-1","text":"before","vector":[1,0,0,0,0,0,0,0],"mood":"calm","scope":"global","category":"fact","importance":0.5,"timestamp":1700000000001,"tags":["a","b"],"metadata":"{}"}]`)
	s := open(t, dir)
	s.durable.close()
	old, err := s.Get(t.Context(), everyone(), "old-1")
	if err != nil {
		t.Fatal(err)
	}
	changed := old
	changed.Text = "after"
	if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(changed) }); err != nil {
		t.Fatal(err)
	}
	foreign(t, s, func(tx *Tx) error { return tx.Update(old) })
	s.durable.dirty = false
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	rows, err := s.read(t.Context(), func(tb *lance.Table) (*lance.Rows, error) {
		return tb.Scan(t.Context(), lance.ScanQuery{Columns: []string{"text", "mood"}})
	})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	if rows.NumRows() != 1 || rows.String("text", 0) != "after" || rows.String("mood", 0) != "calm" {
		t.Errorf("%d rows, the first says %q and has the mood %q", rows.NumRows(), rows.String("text", 0), rows.String("mood", 0))
	}
}

// TestReplayLeavesOutWhatDoesNotFit has one of three rows on record fail for its own
// sake: the others come back, and writing goes on.
func TestReplayLeavesOutWhatDoesNotFit(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	entry := journal.Entry{Seq: 1, Boot: s.boot}
	for _, id := range []string{"row-a", "row-b", "row-c"} {
		entry.Changes = append(entry.Changes, journal.Change{ID: id, After: rowOf(mem(id, withID(id)))})
	}
	tries := 0
	s.fault = func(step string) error {
		if step == stepPut {
			if tries++; tries == 1 || tries == 3 { // all of them, and then the second
				return fmt.Errorf("%w: a column must have a value", ErrInvalid)
			}
		}
		return nil
	}
	if err := s.restore(t.Context(), []journal.Entry{entry}); err != nil {
		t.Fatal(err)
	}
	got := tableRows(t, s)
	if _, there := got["row-b"]; there || len(got) != 2 {
		t.Errorf("%d rows came back, the bad one among them: %v", len(got), there)
	}
	insert(t, s, mem("next"))
}

// What was erased does not come back, however it was recorded.
func TestReplayLeavesErasedRowsGone(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	row := rowOf(mem("x"))
	row.Text, row.Metadata, row.Vector = journal.Erased, "{}", nil
	entries := []journal.Entry{{Seq: 1, Boot: "another", Changes: []journal.Change{{ID: row.ID, After: row}}}}
	if err := s.restore(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	if n := total(t, s); n != 0 {
		t.Errorf("%d rows, want none", n)
	}
}
