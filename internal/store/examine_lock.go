package store

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// StatePath is the directory in which the locks, the journal and what was set
// aside lie for the database that options name.
func StatePath(o Options) string {
	if remote(o.Path) {
		return StateDir(o.StateDir, o.Path)
	}
	return o.Path
}

// LockState is the write lock of a database as it is right now.
type LockState struct {
	Held   bool
	Holder Holder // zero if unknown
	// Foreign are lock files of the TypeScript plugin, with the time of their
	// last sign of life. Our writers wait for a living one, its writers for none of ours.
	Foreign map[string]time.Time
}

// foreignLocks are names of the TypeScript plugin.
var foreignLocks = []string{".memory-write.lock", ".memory-write.lock.lock"}

// Lock looks at the write lock in a state directory without waiting for it.
func Lock(path string) (LockState, error) {
	state := LockState{Foreign: map[string]time.Time{}}
	for _, name := range foreignLocks {
		if info, err := os.Stat(filepath.Join(path, name)); err == nil {
			state.Foreign[name] = info.ModTime()
		}
	}
	at := filepath.Join(path, lockFile)
	if _, err := os.Stat(at); err != nil {
		return state, nil // nobody has ever written
	}
	// Shared and for a moment: a writer that comes now tries again at once.
	f := flock.New(at, flock.SetFlag(os.O_RDONLY))
	free, err := f.TryRLock()
	if err != nil {
		return state, fmt.Errorf("looking at the write lock in %s: %w", path, err)
	}
	if !free {
		state.Held, state.Holder = true, newFileLock(path, time.Now).holder()
	}
	return state, f.Close()
}
