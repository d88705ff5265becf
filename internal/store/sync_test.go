package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// clock stands in for the timer of the checkpoints: it runs out when a test says.
type clock struct {
	mu    sync.Mutex
	waits []time.Duration // of every timer that was set
	fn    func()          // of the one that runs
}

func (c *clock) after(wait time.Duration, fn func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits, c.fn = append(c.waits, wait), fn
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		ran := c.fn == nil
		c.fn = nil
		return !ran
	}
}

// fire has the timer run out, and reports whether one ran.
func (c *clock) fire() bool {
	c.mu.Lock()
	fn := c.fn
	c.fn = nil
	c.mu.Unlock()
	if fn != nil {
		fn()
	}
	return fn != nil
}

// clocked opens a store whose timer is the test's.
func clocked(t *testing.T, path string) (*Store, *clock) {
	t.Helper()
	s, c := open(t, path), &clock{}
	s.durable.mu.Lock()
	s.durable.after = c.after
	s.durable.mu.Unlock()
	return s, c
}

func marked(t *testing.T, s *Store) (seq uint64, current bool) {
	t.Helper()
	mark, err := s.journal.Checkpointed()
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return mark.Seq, mark.Version == v
}

func TestCheckpoint(t *testing.T) {
	noHandlesLeft(t)
	s, c := clocked(t, t.TempDir())
	if c.fire() {
		t.Error("an idle store has a timer")
	}
	m := mem("one")
	insert(t, s, m)
	if seq, _ := marked(t, s); seq != 0 {
		t.Errorf("a checkpoint at %d before its time", seq)
	}
	insert(t, s, mem("two"))
	if n := len(c.waits); n != 2 || c.waits[1] != syncAfter || !c.fire() || c.fire() {
		t.Errorf("timers %v; want one that runs, a second after the last write", c.waits)
	}
	if seq, current := marked(t, s); seq != 2 || !current {
		t.Errorf("a checkpoint at %d, current %v; want 2, true", seq, current)
	}
	// What is not journaled is made durable too.
	m.Metadata.AccessCount = 3
	if err := s.WriteQuiet(t.Context(), "counting", func(tx *Tx) error { return tx.Update(m) }); err != nil {
		t.Fatal(err)
	}
	if !c.fire() {
		t.Error("a quiet write set no timer")
	}
	if seq, current := marked(t, s); seq != 2 || !current {
		t.Errorf("a checkpoint at %d, current %v; want 2, true", seq, current)
	}
	// A write that changes nothing is none.
	if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(m) }); err != nil || c.fire() {
		t.Errorf("%v, or a timer for nothing", err)
	}
	insert(t, s, mem("three"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if mark, err := s.journal.Checkpointed(); err != nil || mark.Seq != 3 {
		t.Errorf("Close left the checkpoint at %d, %v; want 3", mark.Seq, err)
	}
	if c.fire() {
		t.Error("Close left a timer")
	}
}

// TestCheckpointUnderLoad does not wait for a pause that never comes.
func TestCheckpointUnderLoad(t *testing.T) {
	noHandlesLeft(t)
	s, c := clocked(t, t.TempDir())
	s.janitor.stop() // it makes checkpoints of its own
	insert(t, s, mem("first"))
	for range 2 {
		for range syncEntries / maxBatchJobs {
			if c.waits[len(c.waits)-1] == 0 {
				t.Errorf("a checkpoint was due early: %v", c.waits)
			}
			var jobs []func(*Tx) error
			for i := range maxBatchJobs {
				jobs = append(jobs, func(tx *Tx) error { return tx.Create(mem(fmt.Sprint("memory ", i))) })
			}
			if err := errors.Join(oneBatch(t, s, jobs...)...); err != nil {
				t.Fatal(err)
			}
		}
		if c.waits[len(c.waits)-1] != 0 {
			t.Errorf("no checkpoint is due after %d entries: %v", syncEntries, c.waits)
		}
		// One that is due is not put off by what comes before it runs.
		insert(t, s, mem("more"))
		if !c.fire() || c.fire() {
			t.Error("the checkpoint that was due did not run once")
		}
		insert(t, s, mem("and more"))
	}
}

// TestFirstWriteFindsTheTableDurable: without a checkpoint there would be no
// version to fall back to.
func TestFirstWriteFindsTheTableDurable(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	s.fault = func(step string) error {
		if step == stepAppend {
			if mark, err := s.journal.Checkpointed(); err != nil || mark.Version == 0 {
				t.Errorf("nothing is durable before the first change is recorded: %+v, %v", mark, err)
			}
		}
		return nil
	}
	insert(t, s, mem("one"))
}

// TestFlush syncs each file once, and again when it is another of the same name.
func TestFlush(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "memories.lance")
	write := func(name, text string) {
		at := filepath.Join(table, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at+".new", []byte(text), 0o600), os.Rename(at+".new", at)); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var synced []string
	d := durable{fsync: func(f *os.File) error {
		mu.Lock()
		defer mu.Unlock()
		name, err := filepath.Rel(dir, f.Name())
		synced = append(synced, name)
		return err
	}}
	write("data/1.lance", "x")
	write("_versions/1.manifest", "x")
	for _, tt := range []struct {
		name   string
		change func()
		want   []string
	}{
		{"everything at first", func() {}, []string{"memories.lance/_versions/1.manifest", "memories.lance/data/1.lance",
			".", "memories.lance", "memories.lance/_versions", "memories.lance/data"}},
		{"nothing new", func() {}, nil},
		{"a new file", func() { write("data/2.lance", "x") }, []string{"memories.lance/data/2.lance", "memories.lance", "memories.lance/_versions", "memories.lance/data"}},
		{"another of the same name", func() { write("_versions/1.manifest", "x") },
			[]string{"memories.lance/_versions/1.manifest", "memories.lance", "memories.lance/_versions", "memories.lance/data"}},
		{"a file less", func() { _ = os.Remove(filepath.Join(table, "data/1.lance")) }, nil},
	} {
		tt.change()
		synced = nil
		err := d.flush(dir, table)
		// Files before directories; within each in any order.
		files := slices.IndexFunc(synced, func(name string) bool { return filepath.Ext(name) == "" || filepath.Base(name) == "memories.lance" })
		if files >= 0 {
			slices.Sort(synced[:files])
			slices.Sort(synced[files:])
		}
		if err != nil || !slices.Equal(synced, tt.want) {
			t.Errorf("%s: synced %q, %v; want %q", tt.name, synced, err, tt.want)
		}
	}
}

// TestFailedSync: after the kernel failed to write pages, a second sync says that
// all is well, and it is not. No checkpoint may follow.
func TestFailedSync(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s, c := clocked(t, dir)
	insert(t, s, mem("one"))
	c.fire()
	s.durable.fsync = func(f *os.File) error { return &fs.PathError{Op: "sync", Path: f.Name(), Err: syscall.EIO} }
	m := mem("two")
	insert(t, s, m)
	if err := s.checkpoint(t.Context()); !errors.Is(err, syscall.EIO) {
		t.Errorf("a failed sync: %v", err)
	}
	s.durable.fsync = nil
	if err := s.checkpoint(t.Context()); !errors.Is(err, syscall.EIO) {
		t.Errorf("a second try after a failed sync: %v", err)
	}
	if seq, _ := marked(t, s); seq != 1 {
		t.Errorf("the checkpoint is at %d, want 1", seq)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if _, err := s.Get(t.Context(), everyone(), m.ID); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	if seq, _ := marked(t, s); seq != 1 {
		t.Errorf("after a restart the checkpoint is at %d before anything was synced", seq)
	}
}

// BenchmarkDurability weighs what makes a write safe from a power cut: a record in
// the journal before each commit and the table's files in the background, or the
// table's files at each commit.
func BenchmarkDurability(b *testing.B) {
	s := open(b, b.TempDir())
	insert(b, s, numbered("memory %d", 1000)...)
	single := func(ctx context.Context, m memory.Memory, quiet bool) error {
		return s.Write(ctx, "bench", func(tx *Tx) error { tx.quiet = quiet; return tx.Create(m) })
	}
	for name, write := range map[string]func() error{
		"journal": func() error { return single(b.Context(), mem("x"), false) },
		"neither": func() error { return single(b.Context(), mem("x"), true) },
		"files":   func() error { return errors.Join(single(b.Context(), mem("x"), true), s.checkpoint(b.Context())) },
	} {
		b.Run(name, func(b *testing.B) {
			s.durable.mu.Lock()
			s.durable.closed = name != "journal"
			s.durable.mu.Unlock()
			for b.Loop() {
				if err := write(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
