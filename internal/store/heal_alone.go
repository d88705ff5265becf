package store

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// repairFile is locked by the process that repairs, and says which that is.
const repairFile = ".memory-pro.repair"

// RepairingError says that another process repairs the database, for longer than
// was waited. This one has changed nothing.
type RepairingError struct {
	Path   string
	Waited time.Duration
	Holder Holder
}

func (e *RepairingError) Error() string {
	return fmt.Sprintf("the database in %s is being repaired by %s; waited %s and changed nothing: run it again when that one has ended",
		e.Path, e.Holder, e.Waited.Round(time.Millisecond))
}

// repairAlone waits until no other process repairs. Two at once would each take
// what the other brings back for rows that are still lost.
func (s *Store) repairAlone(ctx context.Context) (free func(), err error) {
	if s.readOnly != nil {
		return nil, s.readOnly
	}
	at := filepath.Join(s.state, repairFile)
	lock := newFlock(at)
	begun := time.Now()
	ok, err := poll(lock, turnPoll, func() (string, bool) {
		return "", ctx.Err() == nil && time.Since(begun) < s.lockTimeout
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("taking the lock of repairs in %s: %w; check that the directory is writable", s.state, err)
	case ctx.Err() != nil:
		_ = lock.Close()
		return nil, ctx.Err()
	case !ok:
		e := &RepairingError{Path: s.path, Waited: time.Since(begun)}
		if text, err := os.ReadFile(at); err == nil {
			_ = json.Unmarshal(text, &e.Holder) // it stays unknown
		}
		return nil, e
	}
	if note, err := json.Marshal(Holder{PID: os.Getpid(), Command: filepath.Base(os.Args[0]), Who: "doctor --repair", Since: s.now()}); err == nil {
		_ = os.WriteFile(at, append(note, '\n'), 0o600) // a courtesy
	}
	return func() { _ = lock.Close() }, nil // closing drops it
}
