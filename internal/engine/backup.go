package engine

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/archive"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

const (
	// backupEvery is the age from which the newest backup is no longer new enough.
	backupEvery = 24 * time.Hour
	// backupOverdue leaves room for a machine that is off at night.
	backupOverdue = 3 * backupEvery
	// backupFirst lets a start settle; backupLook is between two looks at the age.
	backupFirst = time.Minute
	backupLook  = 10 * time.Minute
	// backupPatience bounds the wait for another process that makes one.
	backupPatience = 5 * time.Minute
)

// Backup is a backup file.
type Backup struct {
	Path  string
	Bytes int64
	// Count is the memories in it; At is when it was written, zero for a file that
	// does not say.
	Count int
	At    time.Time
	// Problem is why it does not verify; nil if it does. Unstated is set when that
	// is only because it does not say how much it should hold: backups of the
	// TypeScript plugin do not.
	Problem  error
	Unstated bool
	// Kept is where an earlier backup of the same day is kept that holds more, after
	// one was made. Fell is how many memories less it holds than the last whole one,
	// Before it, if these are more than a tenth.
	Kept   string
	Before int
	Fell   int
	// Larger is the backup that holds the most, More, if "latest" holds less.
	Larger string
	More   int
}

// backups is what this process knows about its own.
type backups struct {
	mu       sync.Mutex
	failures int
	last     error
}

// note counts a failure; nil ends the count.
func (b *backups) note(err error) (failures int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last = err; err == nil {
		b.failures = 0
	} else {
		b.failures++
	}
	return b.failures
}

// backupPlace is the directory of the backups, and the name that tells this
// database's from those of others there.
func (e *Engine) backupPlace() (dir, database string) {
	path := e.cfg.DBPath
	if filepath.IsAbs(path) {
		return filepath.Join(filepath.Dir(path), "backups"), filepath.Base(path)
	}
	state := store.StateDir(e.cfg.StateDir, path)
	return filepath.Join(state, "backups"), filepath.Base(state)
}

// keepBackups is the goroutine that makes the daily backup; it ends with the
// engine.
func (e *Engine) keepBackups(db *store.Store) {
	if !e.cfg.Backup.Enabled {
		return
	}
	timer := time.NewTimer(backupFirst)
	defer timer.Stop()
	for {
		select {
		case <-e.background.Done():
			return
		case <-timer.C:
		}
		e.backUpDaily(e.background, db)
		timer.Reset(backupLook)
	}
}

// backUpDaily makes a backup if the newest is a day old, and tells the operator
// once when that fails.
func (e *Engine) backUpDaily(ctx context.Context, db *store.Store) {
	made, err := e.backUpIfDue(ctx, db)
	dir, _ := e.backupPlace()
	switch {
	case ctx.Err() != nil:
	case err != nil:
		failures := e.backups.note(err)
		if e.complaints.fresh("backup", err.Error()) {
			e.log.Error("the daily backup of the memories failed; it is tried again every ten minutes", "directory", dir, "error", err)
		}
		noteBackupFailure(dir, failures, err, e.now())
	default:
		e.backups.note(nil)
		if e.complaints.settled("backup") {
			e.log.Info("the daily backup of the memories works again", "directory", dir)
		}
		if made.Path != "" {
			forgetBackupFailure(dir)
			e.log.Info("the memories were backed up", "file", made.Path, "count", made.Count)
			if made.Fell > 0 {
				e.log.Warn("the backup holds far fewer memories than the one before; unless they were deleted on purpose, see what memory-pro doctor says",
					"file", made.Path, "count", made.Count, "before", made.Before, "kept", made.Kept)
			}
		}
	}
}

// backUpIfDue makes a backup unless there is a new one, or nothing to keep. An
// empty database must not push out the last backups that hold something.
func (e *Engine) backUpIfDue(ctx context.Context, db *store.Store) (Backup, error) {
	if due, err := e.backupDue(); err != nil || !due {
		return Backup{}, err
	}
	n, err := db.Count(ctx, everything(), memory.Narrow{})
	if err != nil || n == 0 {
		return Backup{}, err
	}
	return e.backUp(ctx, db, e.backupDue)
}

// backupDue reports whether no backup of the last day is there. One from the
// future was written under a wrong clock.
func (e *Engine) backupDue() (bool, error) {
	dir, database := e.backupPlace()
	found, err := archive.List(dir, database)
	for _, f := range found {
		if age := e.now().Sub(f.At); f.Stated && age > -backupEvery {
			return age >= backupEvery, err
		}
	}
	return true, err
}

// backUp writes a backup, verifies it and removes the oldest ones. Of several
// processes that want one at the same time the first makes it; the others see by
// still that it is there.
func (e *Engine) backUp(ctx context.Context, db *store.Store, still func() (bool, error)) (Backup, error) {
	dir, database := e.backupPlace()
	waiting, cancel := context.WithTimeout(ctx, backupPatience)
	defer cancel()
	unlock, err := archive.Lock(waiting, dir)
	if err != nil {
		return Backup{}, err
	}
	defer unlock()
	if wanted, err := still(); err != nil || !wanted {
		return Backup{}, err
	}
	damage, unclear := db.Unrepaired()
	if unclear != nil {
		e.log.Warn("what was set aside cannot be looked at; the backup of today is kept if it holds more", "error", unclear)
	}
	last, _, err := archive.Newest(dir, database)
	if err != nil {
		return Backup{}, err
	}
	made, err := archive.Make(dir, database, e.now(), unclear != nil || len(damage) > 0, func(write func(...memory.Memory) error) error {
		return db.Each(ctx, everything(), memory.Narrow{}, false, func(ms []memory.Memory) error { return write(ms...) })
	})
	if err != nil {
		return Backup{}, err
	}
	if _, err := archive.Prune(dir, database, max(e.cfg.Backup.Keep, 1)); err != nil {
		e.log.Warn("old backups of the memories stay", "error", err)
	}
	b := Backup{Path: made.Path, Bytes: made.Bytes, Count: made.Count, At: made.At, Kept: made.Kept}
	if archive.Fewer(made.Count, last.Count) {
		b.Before, b.Fell = last.Count, last.Count-made.Count
	}
	return b, nil
}

// BackupNow makes a backup at once. It replaces an earlier one of the same day,
// unless that holds clearly more.
func (e *Engine) BackupNow(ctx context.Context) (Backup, error) {
	db, err := e.opened(ctx)
	if err != nil {
		return Backup{}, err
	}
	made, err := e.backUp(ctx, db, func() (bool, error) { return true, nil })
	if err != nil {
		return Backup{}, storage("backing up", err)
	}
	e.backups.note(nil)
	dir, _ := e.backupPlace()
	forgetBackupFailure(dir)
	return made, nil
}
