package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// Options says what to open.
type Options struct {
	// Path is the database directory; it is made if missing. Or s3://bucket/prefix:
	// then the database lies in object storage, and needs a StateDir.
	Path string
	// StateDir is the directory on this machine below which locks, journal and
	// what was set aside lie for a database in object storage.
	StateDir string
	// StorageOptions say how to reach object storage; see lance.Options.
	StorageOptions map[string]string
	// Guard is a lock between machines, taken after the one between processes;
	// nil does without.
	Guard Guard
	// Dimensions is the width of the configured model's vectors. 0 means that
	// there is no model: memories are kept without vectors and found by keyword.
	Dimensions int
	// Fingerprint names everything that decides what a vector of the configured
	// model means; vectors of another are not compared with it. Empty leaves
	// that unchecked.
	Fingerprint string
	// AdoptVectors says that the operator named the model: vectors of that width
	// found in a table of unknown origin are taken for its own.
	AdoptVectors bool
	// LockTimeout is how long a write waits for its turn; 0 means DefaultLockTimeout.
	LockTimeout time.Duration
	// Upkeep is when old versions are cleaned up, if the operator says so.
	Upkeep UpkeepOptions
	// Resident is for a process that stays: it reads the table into memory at once, in
	// the background, so that searches need not go through LanceDB (mirror.go).
	Resident bool
	// OwnCosine keeps LanceDB from comparing vectors: it is done here, over all rows.
	OwnCosine bool
	// ReadOnly opens for reading what is there, and changes nothing: no table is made,
	// none completed, no lock taken.
	ReadOnly bool
	// Boot tells this run of the machine from others; empty asks the kernel.
	Boot string
	// Now is the clock that stamps new memories; nil means time.Now.
	Now func() time.Time
	// Logger gets what an operator should know; nil discards it.
	Logger *slog.Logger

	swept chan<- effort    // told after each maintenance in the background; nil but in tests
	wall  func() time.Time // what times of files are compared with; nil means time.Now
}

// DefaultLockTimeout is how long a write waits for its turn.
const DefaultLockTimeout = 10 * time.Second

// Open opens the database of memories at a path, or makes a new one. A table
// whose vectors are not the configured model's is opened too; see Vectors. One in
// a directory that cannot be written to is opened for reading: Write fails then.
func Open(ctx context.Context, o Options) (_ *Store, err error) {
	at, err := prepare(o)
	if err != nil {
		return nil, err
	}
	if o.ReadOnly {
		at.readOnly = fmt.Errorf("the database %s is opened for reading only", at.path)
	}
	s := &Store{
		path: at.path, state: at.state, local: at.local, storage: o.StorageOptions, readOnly: at.readOnly,
		dimensions: o.Dimensions, fingerprint: o.Fingerprint, adoptVectors: o.AdoptVectors,
		notes: newNotebook(filepath.Join(at.path, tableName+".lance")), lockTimeout: o.LockTimeout, now: o.Now, log: o.Logger,
		options: o,
	}
	if s.lockTimeout <= 0 {
		s.lockTimeout = DefaultLockTimeout
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.janitor.UpkeepOptions, s.janitor.swept = o.Upkeep, o.swept
	s.lock = newFileLock(s.state, s.now)
	s.lock.guard, s.lock.log = o.Guard, s.log
	if o.wall != nil {
		s.lock.wall = o.wall
	}
	if s.journalProblem = s.readOnly; !o.ReadOnly {
		s.openJournal(o.Boot)
	}
	s.notes.copy = filepath.Join(s.state, notesCopy)
	if s.db, err = lance.Connect(ctx, s.path, lance.Options{StorageOptions: o.StorageOptions}); err != nil {
		return nil, s.unreachable(err)
	}
	if !s.local {
		s.notes = &notebook{remote: newRemoteNotes(s.db)}
	}
	if err := s.openTable(ctx); err != nil {
		if s.table != nil {
			err = errors.Join(err, s.table.Close())
		}
		if s.journal != nil {
			err = errors.Join(err, s.journal.Close())
		}
		return nil, errors.Join(err, s.db.Close())
	}
	if s.readOnly != nil {
		if !o.ReadOnly {
			s.log.Warn("the database is opened for reading only", "error", s.readOnly)
		}
		return s, nil
	}
	s.durable.start(s.checkpointSoon, s.behind(ctx))
	s.startJanitor(ctx)
	if o.Resident {
		s.hold()
	}
	return s, nil
}

// openTable finds or makes the table and sees that its index is as it should be.
func (s *Store) openTable(ctx context.Context) error {
	if err := s.heal(ctx); err != nil {
		return err
	}
	if err := s.goBack(ctx); err != nil {
		return err
	}
	if err := s.findOrCreate(ctx); err != nil {
		return err
	}
	if err := s.adopt(ctx); err != nil {
		return err
	}
	if s.readOnly != nil {
		return nil // what an opened table needs otherwise is for those who can write
	}
	if err := s.replay(ctx); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	if err := s.notes.keep(); err != nil {
		s.log.Warn("the note of the embedding model has no copy", "path", s.path, "error", err)
	}
	wants, err := s.wantsTextIndex(ctx)
	if err == nil && !wants {
		return nil
	}
	if err := s.lockedWithin(ctx, openingTurn, "building the text index", func() error { s.buildTextIndex(ctx); return nil }); err != nil {
		if ctx.Err() != nil {
			return err
		}
		s.indexWanted.Store(true)
		s.log.Warn("keyword search may be degraded until the next store: the text index could not be built", "path", s.path, "error", err)
	}
	return nil
}

// adopt checks the table that was opened. An empty one of the wrong width is
// made anew: a first start without a model must not fix the width for good.
func (s *Store) adopt(ctx context.Context) error {
	if err := s.inspect(ctx); err != nil {
		return err
	}
	if err := s.complete(ctx); err != nil || s.readOnly != nil || s.CheckWidth() == nil {
		return err
	}
	err := s.locked(ctx, "fitting the empty table to the model", func() error {
		// Another process may have replaced it meanwhile, and stored in the new one.
		err := s.table.Close()
		s.table = nil
		if err != nil {
			return err
		}
		if found, err := s.find(ctx); err != nil {
			return err
		} else if !found {
			return s.create(ctx)
		}
		if err := s.inspect(ctx); err != nil || s.CheckWidth() == nil {
			return err
		}
		n, err := s.table.Count(ctx, nil)
		if err != nil || n > 0 {
			return err
		}
		if err := s.forgetVersion(); err != nil {
			return err
		}
		if err := errors.Join(s.table.Close(), s.db.DropTable(ctx, tableName)); err != nil {
			return fmt.Errorf("replacing the empty table in %s: %w", s.path, err)
		}
		s.table = nil
		return s.create(ctx)
	})
	if err != nil {
		return err
	}
	if err := s.inspect(ctx); err != nil {
		return err
	}
	if err := s.CheckWidth(); err != nil {
		s.log.Warn("vector search is off", "error", err)
	}
	return nil
}

func (s *Store) inspect(ctx context.Context) error {
	n, _ := s.notes.read() // before the schema, so that follow misses nothing
	schema, err := s.table.Schema(ctx)
	if err != nil {
		return fmt.Errorf("opening the database %s: %w", s.path, err)
	}
	l, err := inspect(s.path, schema)
	s.shape.Store(&l)
	s.followed.Store(&n.Mark)
	return err
}

// complete adds the columns that an early table lacks.
func (s *Store) complete(ctx context.Context) error {
	if len(s.layout().late) == 0 {
		return nil
	}
	if s.options.ReadOnly {
		return &SchemaError{Path: s.path, Problem: "comes from an early version and lacks the columns " + quoted(s.layout().late),
			Fix: "open it once with `memory-pro stats --db " + s.path + "`, which adds them"}
	}
	if err := s.addColumns(ctx, s.layout().late); err != nil {
		return err
	}
	return s.inspect(ctx)
}

// openingTurn is how long opening waits for its turn among the writers to do what
// the next write can do as well: readers wait for nobody.
const openingTurn = 250 * time.Millisecond

// locked runs fn under the lock between processes, before the queue is in use.
func (s *Store) locked(ctx context.Context, who string, fn func() error) error {
	return s.lockedWithin(ctx, s.lockTimeout, who, fn)
}

func (s *Store) lockedWithin(ctx context.Context, patience time.Duration, who string, fn func() error) error {
	if s.readOnly != nil {
		return fmt.Errorf("%s: %w", who, s.readOnly)
	}
	start := time.Now()
	ok, err := s.lock.acquire(func() (string, bool) {
		return who, ctx.Err() == nil && time.Since(start) < patience
	})
	switch {
	case err != nil:
		return err
	case !ok:
		why := ctx.Err()
		if why == nil {
			why = context.DeadlineExceeded
		}
		return &LockedError{Path: s.path, Who: who, Waited: time.Since(start), Holder: s.lock.holder(), Err: why}
	}
	return errors.Join(fn(), s.lock.release())
}
