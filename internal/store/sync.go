package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
)

// LanceDB renames its files into place on a local disk and syncs none of them.
// What was answered is therefore safe because it is in the journal, and the
// journal may forget it once the table's files are synced: that is a checkpoint.
//
// It runs in the background, a second after the last change, and syncs what came
// since the one before. The alternative is an object store under LanceDB that syncs
// every file as it is written. BenchmarkDurability weighs the two: on a virtual
// disk with 0.3 ms a sync a write took 3 ms longer with the journal and 40 ms longer
// with its files synced, since each commit has three files in three directories,
// one after the other; and LanceDB writes its data files past the object store on
// a local disk, so that they would have to be synced by us in any case.
const (
	syncAfter   = time.Second
	syncEntries = 256     // a checkpoint is due after so many entries at the latest,
	syncBytes   = 8 << 20 // or after so many bytes of rows
)

// durable keeps account of what is safe from a power cut.
type durable struct {
	after func(time.Duration, func()) (stop func() bool) // time.AfterFunc, but in tests
	run   func()                                         // makes a checkpoint in the background
	fsync func(*os.File) error                           // (*os.File).Sync, but in tests

	one    sync.Mutex           // one checkpoint at a time; guards what follows
	synced map[string]fileState // files known to be on disk, by path
	marked journal.Mark         // the last checkpoint of this process
	broken error                // a sync that failed: the kernel may have dropped what it should have written

	mu      sync.Mutex // guards what follows
	seq     uint64     // the newest entry whose changes this process put into the table
	dirty   bool       // this process committed something since the last checkpoint
	entries int        // so many since the last checkpoint
	bytes   int
	stop    func() bool // ends the running timer, nil if none runs
	due     bool        // that timer waits for nothing
	closed  bool
	busy    sync.WaitGroup
}

// start has checkpoints made in the background from now on, the first one soon if
// the table is behind.
func (d *durable) start(run func(), behind bool) {
	d.mu.Lock()
	if d.after == nil {
		d.after = func(wait time.Duration, fn func()) func() bool { return time.AfterFunc(wait, fn).Stop }
	}
	d.run = run
	dirty := d.dirty || behind
	d.mu.Unlock()
	if dirty {
		d.applied(0, 0, 0)
	}
}

// applied notes that the table was changed, by entries up to seq, and sees to a
// checkpoint. Without entries it was a change that is not journaled.
func (d *durable) applied(seq uint64, entries, bytes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seq, d.dirty = max(d.seq, seq), true
	d.entries, d.bytes = d.entries+entries, d.bytes+bytes
	if d.closed || d.run == nil {
		return
	}
	due := d.entries >= syncEntries || d.bytes >= syncBytes
	if d.due && d.stop != nil {
		return // it runs as soon as it can
	}
	if d.stop != nil && d.stop() {
		d.busy.Done()
	}
	wait := syncAfter
	if due {
		wait = 0
	}
	d.busy.Add(1)
	d.due = due
	d.stop = d.after(wait, func() {
		defer d.busy.Done()
		d.mu.Lock()
		d.stop, d.due = nil, false
		d.mu.Unlock()
		d.run()
	})
}

// pending reports whether a change is not covered by a checkpoint yet.
func (d *durable) pending() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dirty
}

// close ends the timer and waits for a checkpoint that runs.
func (d *durable) close() {
	d.mu.Lock()
	d.closed = true
	if d.stop != nil && d.stop() {
		d.busy.Done()
	}
	d.stop = nil
	d.mu.Unlock()
	d.busy.Wait()
}

// checkpoint makes durable what the table holds now and tells the journal. It
// needs no lock: what is committed meanwhile is left to the next one.
func (s *Store) checkpoint(ctx context.Context) (err error) {
	if s.readOnly != nil || s.journalProblem != nil {
		return errors.Join(s.readOnly, s.journalProblem)
	}
	d := &s.durable
	d.one.Lock()
	defer d.one.Unlock()
	d.mu.Lock()
	mark := journal.Mark{Seq: d.seq}
	d.entries, d.bytes, d.dirty = 0, 0, false
	d.mu.Unlock()
	defer func() {
		if err != nil {
			d.mu.Lock()
			d.dirty = true
			d.mu.Unlock()
		}
	}()
	before, err := s.journal.Checkpointed()
	if err != nil {
		return fmt.Errorf("making the table durable: %w", err)
	}
	mark.Seq = max(mark.Seq, before.Seq)
	// Everything up to seq is in this version, and every file of it is there by now.
	if mark.Version, err = s.version(ctx); err != nil {
		return fmt.Errorf("making the table durable: %w", err)
	}
	if mark.Seq == d.marked.Seq && mark.Version == d.marked.Version {
		return nil
	}
	if s.local {
		if err := d.flush(s.path, filepath.Join(s.path, tableName+".lance")); err != nil {
			return fmt.Errorf("making the table durable: %w", err)
		}
	}
	if err = s.at(stepCheckpoint); err == nil {
		err = s.journal.Checkpoint(mark)
	}
	if err != nil {
		return fmt.Errorf("making the table durable: %w", err)
	}
	d.marked = mark
	return nil
}

// behind reports whether the table has a version that no checkpoint covers: of
// another program, or made while it was opened.
func (s *Store) behind(ctx context.Context) bool {
	if s.journalProblem != nil {
		return false
	}
	mark, err := s.journal.Checkpointed()
	if err != nil || mark.Version == 0 {
		return false // the first write will see to it
	}
	v, err := s.version(ctx)
	return err == nil && v != mark.Version
}

// ground makes the table itself durable, and the directories above it, before the
// first change in its life is recorded: the journal brings back rows, not what is
// noted beside them.
func (s *Store) ground(ctx context.Context) error {
	if s.grounded {
		return nil
	}
	mark, err := s.journal.Checkpointed()
	if err != nil {
		return err
	}
	if mark.Version == 0 {
		for dir := s.state; ; dir = filepath.Dir(dir) {
			// Directories we may not read are not ours, and were there before.
			if err := s.durable.sync(dir); err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
		if err := s.checkpoint(ctx); err != nil {
			return err
		}
	}
	s.grounded = true
	return nil
}

// checkpointSoon is the checkpoint in the background.
func (s *Store) checkpointSoon() {
	ctx, cancel := context.WithTimeout(context.Background(), commitPatience)
	defer cancel()
	if err := s.checkpoint(ctx); err != nil && !errors.Is(err, ErrClosed) {
		s.log.Warn("the table could not be made durable; what was stored is safe in the journal, and it is tried again after the next change",
			"path", s.path, "error", err)
	}
}
