package store

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// warnings keeps what is logged as a warning or worse.
type warnings struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *warnings) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *warnings) count(about string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Count(w.text.String(), about)
}

func (w *warnings) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// B34: what a dead program of either kind left in a lock's place stops nobody.
func TestDeadLocks(t *testing.T) {
	old := time.Now().Add(-10 * time.Minute)
	file := func(text string) func(string) error {
		return func(p string) error { return os.WriteFile(p, []byte(text), 0o600) }
	}
	dir := func(p string) error { return os.Mkdir(p, 0o700) }
	aged := func(make func(string) error) func(string) error {
		return func(p string) error { return errors.Join(make(p), os.Chtimes(p, old, old)) }
	}
	leftovers := map[string]func(string) error{
		"(a) of no bytes": file(""), "(b) of a dead process": file(`{"pid":999999}`), "(c) of ten minutes ago": aged(file("x")),
		"(d) a directory": dir, "(c, d) a directory of ten minutes ago": aged(dir),
	}
	for _, name := range []string{lockFile, ".memory-write.lock", foreignLock} {
		for what, leave := range leftovers {
			t.Run(name+" "+what, func(t *testing.T) {
				noHandlesLeft(t)
				at, log := t.TempDir(), &warnings{}
				if err := leave(filepath.Join(at, name)); err != nil {
					t.Fatal(err)
				}
				s := open(t, at, func(o *Options) {
					o.Logger = log.logger()
					o.wall = leaping()
				})
				var wg sync.WaitGroup
				for i := range 20 {
					wg.Go(func() {
						if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Insert(mem(fmt.Sprintf("row %d", i))) }); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if n := total(t, s); n != 20 {
					t.Errorf("%d rows of 20 are stored", n)
				}
				want := 0
				if name == foreignLock {
					want = 1
				}
				if n := log.count("is ignored"); n != want {
					t.Errorf("%d warnings, want %d:\n%s", n, want, log.text.String())
				}
			})
		}
	}
}

// leaping is a clock that goes a second further whenever it is looked at.
func leaping() func() time.Time {
	var mu sync.Mutex
	now := time.Now()
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

// A lock of the TypeScript plugin that is alive is waited for, and named by those
// who wait in vain.
func TestLivingForeignLock(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	still := time.Now()
	s := open(t, dir, func(o *Options) { o.wall = func() time.Time { return still } })
	hasty := open(t, dir, func(o *Options) {
		o.LockTimeout = 50 * time.Millisecond
		o.wall = func() time.Time { return still }
	})
	at := filepath.Join(dir, foreignLock)
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	err := hasty.Write(t.Context(), "storing", func(tx *Tx) error { return tx.Insert(mem("in vain")) })
	var locked *LockedError
	if !errors.As(err, &locked) || !strings.Contains(err.Error(), "TypeScript plugin") || !strings.Contains(err.Error(), at) {
		t.Errorf("got %v, want a LockedError that names the plugin and its lock", err)
	}
	done := make(chan error, 1)
	go func() {
		done <- s.Write(t.Context(), "storing", func(tx *Tx) error { return tx.Insert(mem("in time")) })
	}()
	for s.lock.foreign.Load() == nil {
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-done:
		t.Fatalf("the write did not wait: %v", err)
	default:
	}
	// A process that waits behind it is told what for.
	if h := hasty.lock.holder(); h.PID != 0 && !strings.Contains(h.Who, "waiting for the TypeScript plugin") {
		t.Errorf("the holder is %v", h)
	}
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := total(t, s); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}

// A lock whose time goes on is alive, however long it is held.
func TestForeignLockThatIsRenewed(t *testing.T) {
	dir := t.TempDir()
	l := newFileLock(dir, time.Now)
	now := time.Now()
	at := filepath.Join(dir, foreignLock)
	if err := errors.Join(os.Mkdir(at, 0o700), os.Chtimes(at, now, now)); err != nil {
		t.Fatal(err)
	}
	l.wall = func() time.Time { return now }
	looks := 0
	got := l.foreignWait("test", func() (string, bool) {
		looks++
		now = now.Add(5 * time.Second) // longer than a look, shorter than a life
		if err := os.Chtimes(at, now, now); err != nil {
			t.Error(err)
		}
		return "test", looks < 10
	})
	if got || looks != 10 {
		t.Errorf("the lock was taken for a dead one's after %d looks", looks)
	}
}

// A lock that was found to be a dead one's is not watched again.
func TestDeadForeignLockIsWatchedOnce(t *testing.T) {
	dir := t.TempDir()
	l := newFileLock(dir, time.Now)
	now := time.Now()
	at := filepath.Join(dir, foreignLock)
	if err := errors.Join(os.Mkdir(at, 0o700), os.Chtimes(at, now.Add(time.Hour), now.Add(time.Hour))); err != nil { // of a clock that is ahead
		t.Fatal(err)
	}
	l.wall = func() time.Time { return now }
	looks := 0
	wait := func() bool {
		return l.foreignWait("test", func() (string, bool) {
			looks++
			now = now.Add(time.Second)
			return "test", true
		})
	}
	if !wait() || looks < int(foreignWatch/time.Second) {
		t.Errorf("ignored after %d looks", looks)
	}
	looks = 0
	if !wait() || looks != 0 {
		t.Errorf("watched again, for %d looks", looks)
	}
}

// B35: a write that comes while another process holds the lock for long succeeds
// when it is free in time, and otherwise says who has it, what for, since when.
func TestSlowHolder(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	patient := open(t, dir, func(o *Options) { o.LockTimeout = time.Minute })
	hasty := open(t, dir, func(o *Options) { o.LockTimeout = 20 * time.Millisecond })
	cmd, goOn := startChild(t, "hold", dir)
	done := make(chan error, 1)
	go func() {
		done <- patient.Write(t.Context(), "storing", func(tx *Tx) error { return tx.Insert(mem("in time")) })
	}()
	err := hasty.Write(t.Context(), "storing", func(tx *Tx) error { return tx.Insert(mem("in vain")) })
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Waited < 20*time.Millisecond {
		t.Fatalf("got %v, want a LockedError", err)
	}
	h := locked.Holder
	if h.PID != cmd.Process.Pid || h.Command != filepath.Base(os.Args[0]) || h.Who != "holding for a test" || h.Since.IsZero() {
		t.Errorf("the holder is %+v, want process %d", h, cmd.Process.Pid)
	}
	for _, want := range []string{fmt.Sprint(h.PID), h.Command, h.Who, h.Since.UTC().Format(time.RFC3339), "nothing was written", "try again"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	goOn()
	if err := <-done; err != nil {
		t.Errorf("the patient write: %v", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the holder: %v", err)
	}
	if n := total(t, patient); n != 1 {
		t.Errorf("%d rows, want only the patient one", n)
	}
}

// B36: what another process wrote or deleted is seen by the next read of a store
// that was open before, and can be changed there.
func TestOtherProcessIsSeenAtOnce(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s, other := open(t, dir), open(t, dir)
	cmd, goOn := startChild(t, "first", dir)
	for _, s := range []*Store{s, other} {
		if got := matching(t, s, "process", 5); len(got) != 0 {
			t.Fatalf("found %q before it was written", got)
		}
	}
	goOn()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := matching(t, s, "process", 5); len(got) != 1 || total(t, s) != 1 {
		t.Fatalf("found %q after another process wrote it", got)
	}
	page, err := s.List(t.Context(), ListQuery{Who: everyone(), Limit: 1})
	if err != nil || len(page.Memories) != 1 {
		t.Fatal(page, err)
	}
	remove(t, s, page.Memories[0].ID)
	if got := matching(t, other, "process", 5); len(got) != 0 || total(t, other) != 0 {
		t.Errorf("found %q after it was deleted elsewhere", got)
	}
}
