package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
)

// Names in the database directory. They differ from the lock of the TypeScript
// plugin (lock_foreign.go), whose protocol is another: it deletes locks by age.
const (
	lockFile   = ".memory-pro.lock"
	turnFile   = ".memory-pro.turn"
	holderFile = ".memory-pro.holder"
	foldFile   = ".memory-pro.fold"
)

// How often a waiting process looks again. Only one process at a time waits for
// the lock itself (see acquire), so that one may look often.
const (
	nextPoll = time.Millisecond
	turnPoll = 8 * time.Millisecond
)

// fileLock is the lock between processes. It consists of two flocks. Whoever
// wants to write takes the turn, then waits for the lock, then gives the turn
// back. A process that writes without pause therefore has to queue for the turn
// behind one that is already waiting, and starves nobody.
//
// The kernel drops a flock when its process ends, however it ends; nothing here
// is ever stale, and nothing is deleted by age.
type fileLock struct {
	dir  string
	lock *flock.Flock
	turn *flock.Flock
	now  func() time.Time
	log  *slog.Logger // nil discards

	guard Guard // the lock between machines; nil if there is none
	lease Lease // nil while the lock is not held

	wall        func() time.Time       // what the file system's times are compared with
	foreign     atomic.Pointer[Holder] // the TypeScript plugin, while we wait for it
	foreignDead sync.Once              // its lock was found to be a dead one's, and that was told
	// The last lock of that plugin that was seen had the first time, since the second.
	foreignSeen, foreignSince time.Time
}

func newFileLock(dir string, now func() time.Time) *fileLock {
	return &fileLock{
		dir:  dir,
		lock: newFlock(filepath.Join(dir, lockFile)),
		turn: newFlock(filepath.Join(dir, turnFile)),
		now:  now,
		wall: time.Now,
	}
}

// newFlock also accepts a directory left at path by something else: flock works
// on directories, they only must not be opened for creation.
func newFlock(path string) *flock.Flock {
	if fi, err := os.Stat(path); err == nil && fi.IsDir() {
		return flock.New(path, flock.SetFlag(os.O_RDONLY))
	}
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
}

// acquire takes the lock and signs for who wants it, or returns false as soon as
// nobody does. Its errors are for the caller of a write as they are.
func (l *fileLock) acquire(wanted func() (who string, ok bool)) (bool, error) {
	ok, err := poll(l.turn, turnPoll, wanted)
	if !ok || err != nil {
		return false, l.fault(err)
	}
	ok, err = poll(l.lock, nextPoll, wanted)
	if uerr := l.turn.Unlock(); err == nil {
		err = uerr
	}
	if !ok || err != nil {
		return false, l.fault(err)
	}
	who, _ := wanted()
	if !l.foreignWait(who, wanted) {
		return false, l.lock.Unlock()
	}
	l.sign(who)
	ok, err = l.takeLease(who, wanted)
	if !ok || err != nil {
		return false, errors.Join(err, l.lock.Unlock())
	}
	return true, nil
}

func (l *fileLock) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("taking the write lock in %s: %w; check that the directory is writable", l.dir, err)
}

func (l *fileLock) release() error { return errors.Join(l.dropLease(), l.lock.Unlock()) }

// poll tries until it has the lock or nobody wants it. The pause is jittered so
// that processes that met once do not keep meeting.
func poll(f *flock.Flock, pause time.Duration, wanted func() (string, bool)) (bool, error) {
	for {
		if _, ok := wanted(); !ok {
			return false, nil
		}
		if ok, err := f.TryLock(); ok || err != nil {
			return ok, err
		}
		time.Sleep(pause/2 + rand.N(pause))
	}
}

// sign leaves the holder's name beside the lock for those who give up waiting.
// It is a courtesy: if it cannot be written the error they get names nobody.
func (l *fileLock) sign(who string) {
	command := filepath.Base(os.Args[0])
	if len(os.Args) > 1 && len(os.Args[1]) > 0 && os.Args[1][0] != '-' {
		command += " " + os.Args[1]
	}
	note, err := json.Marshal(Holder{PID: os.Getpid(), Command: command, Who: who, Since: l.now()})
	if err == nil {
		_ = os.WriteFile(filepath.Join(l.dir, holderFile), append(note, '\n'), 0o600)
	}
}

// holder is who keeps us waiting: the TypeScript plugin, or who signed last. The
// zero Holder means unknown.
func (l *fileLock) holder() Holder {
	if f := l.foreign.Load(); f != nil {
		return *f
	}
	var h Holder
	note, err := os.ReadFile(filepath.Join(l.dir, holderFile))
	if err != nil || json.Unmarshal(note, &h) != nil {
		return Holder{}
	}
	return h
}
