package store

import (
	"os"
	"path/filepath"
	"time"
)

// The TypeScript plugin locks by making a directory, and shows that it lives by
// giving it a new time every five seconds. Left by a program that died it stays,
// so its age decides. We wait for a living one; its writers take no notice of ours.
const (
	foreignLock = ".memory-write.lock.lock"
	// foreignStale is from when on that plugin itself takes a lock for a dead one's.
	foreignStale = 10 * time.Second
	// foreignWatch is how long a lock may stand still before our eyes. It is shorter,
	// so that a lock left a moment ago does not outlast a writer's patience.
	foreignWatch = 8 * time.Second
)

// foreignWait waits until no living program holds the TypeScript plugin's lock, or
// nobody wants the lock any more. The caller holds ours.
func (l *fileLock) foreignWait(who string, wanted func() (string, bool)) bool {
	l.foreign.Store(nil)
	at := filepath.Join(l.dir, foreignLock)
	for {
		info, err := os.Stat(at)
		if err != nil {
			return true
		}
		now := l.wall()
		if !info.ModTime().Equal(l.foreignSeen) {
			l.foreignSeen, l.foreignSince = info.ModTime(), now
		}
		seen := l.foreignSeen
		if !info.IsDir() || now.Sub(seen) >= foreignStale || now.Sub(l.foreignSince) >= foreignWatch {
			l.foreignDead.Do(func() {
				if l.log != nil {
					l.log.Warn("the lock of a TypeScript plugin that is gone is ignored; it may be deleted", "path", at, "since", seen.UTC())
				}
			})
			return true
		}
		if l.foreign.Load() == nil {
			l.foreign.Store(&Holder{Command: "the TypeScript plugin memory-lancedb-pro, by " + at, Since: seen})
			l.sign(who + ", waiting for the TypeScript plugin")
		}
		if _, ok := wanted(); !ok {
			return false
		}
		time.Sleep(turnPoll)
	}
}
