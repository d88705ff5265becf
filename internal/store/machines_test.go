package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/distlock"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/servertest"
)

// machinesTTL is how long the lock of a machine that went silent lives.
const machinesTTL = 2 * time.Second

// redisGuard is the real lock, as a Guard.
type redisGuard struct{ *distlock.Lock }

func (g redisGuard) Acquire(ctx context.Context, who string) (Lease, error) {
	lease, err := g.Lock.Acquire(ctx, who)
	if err != nil {
		return nil, err
	}
	return lease, nil
}

func newRedisGuard(url string) (redisGuard, error) {
	lock, err := distlock.New(distlock.Options{URL: url, TTL: machinesTTL, AcquireTimeout: time.Minute, RetryDelay: 10 * time.Millisecond})
	return redisGuard{lock}, err
}

// hold begins a write, says so, and ends it when it is told to. It prints what
// became of it.
func (f farEnd) hold(ctx context.Context) error {
	guard, err := newRedisGuard(f.Redis)
	if err != nil {
		return err
	}
	s, err := Open(ctx, Options{Path: f.Path, StateDir: f.StateDir, StorageOptions: f.Storage, Dimensions: width, Guard: guard})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	in := bufio.NewReader(os.Stdin)
	err = s.Write(ctx, "bulk import", func(tx *Tx) error {
		fmt.Println("held")
		_, _ = in.ReadString('\n')
		return tx.Insert(mem("of the machine that was paused"))
	})
	fmt.Println(err)
	return s.Close()
}

// newMachine is a database in object storage with a lock in Redis, and a store of
// this process on it.
func newMachine(t *testing.T) (f farEnd, redis *servertest.Process, s *Store) {
	t.Helper()
	f, redis = newFarEnd(t), servertest.Redis(t)
	f.Redis = "redis://" + redis.Addr
	guard, err := newRedisGuard(f.Redis)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { guard.Close() })
	noHandlesLeft(t)
	return f, redis, open(t, f.Path, f.options, func(o *Options) { o.Guard, o.LockTimeout = guard, time.Minute })
}

// A machine that stands still for longer than its lock lives comes back in the
// middle of a write, believing that it has the lock. Its write fails, and says so.
func TestMachinePausedInMidWrite(t *testing.T) {
	f, _, s := newMachine(t)
	cmd, said, goOn := f.elsewhere(t).start(t)
	if !said.Scan() || said.Text() != "held" {
		t.Fatalf("the other machine said %q", said.Text())
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	insert(t, s, mem("of the machine that took over"))
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	goOn()
	if !said.Scan() || !strings.Contains(said.Text(), "nothing was written") || !strings.Contains(said.Text(), "was lost") {
		t.Errorf("the write of the paused machine: %q", said.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if n := total(t, s); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}

// A write may take longer than the lock would live: it is renewed.
func TestMachineWritesForLong(t *testing.T) {
	f, _, s := newMachine(t)
	cmd, said, goOn := f.elsewhere(t).start(t)
	if !said.Scan() || said.Text() != "held" {
		t.Fatalf("the other machine said %q", said.Text())
	}
	// We wait for longer than an unrenewed lock lives, and in vain.
	ctx, cancel := context.WithTimeout(t.Context(), 2*machinesTTL)
	defer cancel()
	err := s.Write(ctx, "storing", func(*Tx) error { return errors.New("we have the lock") })
	var locked *LockedError
	if !errors.As(err, &locked) {
		t.Errorf("Write = %v, want a LockedError", err)
	}
	goOn()
	if !said.Scan() || said.Text() != "<nil>" {
		t.Errorf("the long write: %q", said.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if n := total(t, s); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}

// When Redis dies between the beginning of a write and its commit nobody knows who
// has the lock, so nothing is written.
func TestRedisDiesInMidWrite(t *testing.T) {
	_, redis, s := newMachine(t)
	err := s.Write(t.Context(), "storing", func(tx *Tx) error {
		redis.Kill()
		return tx.Insert(mem("x"))
	})
	var unreachable *distlock.UnreachableError
	if !errors.As(err, &unreachable) || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("Write = %v", err)
	}
	if n := total(t, s); n != 0 {
		t.Errorf("%d rows, want none", n)
	}
	servertest.RedisAt(t, redis.Addr)
	insert(t, s, mem("after"))
	if n := total(t, s); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}
