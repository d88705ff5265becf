package distlock

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/servertest"
)

func url(s *servertest.Process) string { return "redis://" + s.Addr }

func newLock(t *testing.T, o Options) *Lock {
	t.Helper()
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func hold(t *testing.T, l *Lock, who string) *Lease {
	t.Helper()
	lease, err := l.Acquire(t.Context(), who)
	if err != nil {
		t.Fatalf("Acquire: %v", err)
	}
	return lease
}

func TestNewRefusesWhatIsNoAddressAndKeepsThePassword(t *testing.T) {
	for _, url := range []string{"", "localhost:6379", "http://u:hunter2@h", "redis://u:hunter2@h:port", "redis://u:hunter2@h/notanumber", "redis://u:hunter2@h\x00"} {
		_, err := New(Options{URL: url})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("New(%q) = %v", url, err)
		}
	}
}

func TestWithoutServerNobodyGetsTheLock(t *testing.T) {
	l := newLock(t, Options{URL: "redis://u:hunter2@" + servertest.FreeAddr(t) + "/3"})
	begin := time.Now()
	_, err := l.Acquire(t.Context(), "storing")
	var unreachable *UnreachableError
	if !errors.As(err, &unreachable) || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "127.0.0.1") ||
		!strings.Contains(err.Error(), "locking.redis.") {
		t.Errorf("Acquire = %v", err)
	}
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("a refused connection took %v", took)
	}
}

func TestOneAtATimeAndCounted(t *testing.T) {
	s := servertest.Redis(t)
	a, b := newLock(t, Options{URL: url(s)}), newLock(t, Options{URL: url(s), AcquireTimeout: -1})
	first := hold(t, a, "importing")
	if err := first.Check(t.Context()); err != nil {
		t.Errorf("Check of a fresh lease: %v", err)
	}
	_, err := b.Acquire(t.Context(), "storing")
	var held *HeldError
	if !errors.As(err, &held) || held.Holder.Who != "importing" || held.Holder.PID == 0 || held.Holder.Host == "" || held.Holder.Command == "" {
		t.Errorf("Acquire of a held lock = %v", err)
	}
	if state, err := b.Look(t.Context()); err != nil || !state.Held || state.Holder.Who != "importing" || state.Server != s.Addr+"/0" {
		t.Errorf("Look at a held lock = %+v, %v", state, err)
	}
	if err := first.Release(); err != nil {
		t.Errorf("Release: %v", err)
	}
	if state, err := b.Look(t.Context()); err != nil || state.Held {
		t.Errorf("Look at a free lock = %+v, %v", state, err)
	}
	second := hold(t, b, "storing")
	if second.Token() <= first.Token() {
		t.Errorf("tokens %d and then %d", first.Token(), second.Token())
	}
	var lost *LostError
	if err := first.Check(t.Context()); !errors.As(err, &lost) {
		t.Errorf("Check of a released lease = %v", err)
	}
	if err := second.Release(); err != nil {
		t.Errorf("Release: %v", err)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	s := servertest.Redis(t)
	lease := hold(t, newLock(t, Options{URL: url(s)}), "importing")
	defer lease.Release() //nolint:errcheck // the server ends with the test
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := newLock(t, Options{URL: url(s), AcquireTimeout: time.Hour}).Acquire(ctx, "storing")
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Acquire = %v", err)
	}
}

// Any value in the key is a lock: other programs have other signatures.
func TestAKeyOfOthersIsRespected(t *testing.T) {
	s := servertest.Redis(t)
	client := redis.NewClient(&redis.Options{Addr: s.Addr})
	defer client.Close()
	if err := client.Set(t.Context(), "lock of two", "a random token", 0).Err(); err != nil {
		t.Fatal(err)
	}
	_, err := newLock(t, Options{URL: url(s), KeyPrefix: "lock of two", AcquireTimeout: -1}).Acquire(t.Context(), "storing")
	var held *HeldError
	if !errors.As(err, &held) || held.Holder.PID != 0 || !strings.Contains(err.Error(), "left no name") {
		t.Errorf("Acquire = %v", err)
	}
}

func TestRenewalOutlivesTheTime(t *testing.T) {
	s := servertest.Redis(t)
	const ttl = 400 * time.Millisecond
	lease := hold(t, newLock(t, Options{URL: url(s), TTL: ttl}), "importing")
	// The other one waits for four times as long as an unrenewed lock would live.
	_, err := newLock(t, Options{URL: url(s), TTL: ttl, AcquireTimeout: 4 * ttl, RetryDelay: ttl / 20}).Acquire(t.Context(), "storing")
	var held *HeldError
	if !errors.As(err, &held) {
		t.Fatalf("Acquire = %v", err)
	}
	if err := lease.Check(t.Context()); err != nil {
		t.Errorf("Check: %v", err)
	}
	if err := lease.Release(); err != nil {
		t.Errorf("Release: %v", err)
	}
}

func TestServerDiesWhileTheLockIsHeld(t *testing.T) {
	s := servertest.Redis(t)
	l := newLock(t, Options{URL: url(s), TTL: time.Minute})
	lease := hold(t, l, "storing")
	s.Kill()
	var unreachable *UnreachableError
	if _, err := l.Look(t.Context()); !errors.As(err, &unreachable) {
		t.Errorf("Look without a server = %v", err)
	}
	if err := lease.Check(t.Context()); !errors.As(err, &unreachable) {
		t.Errorf("Check without a server = %v", err)
	}
	if _, err := l.Acquire(t.Context(), "storing"); !errors.As(err, &unreachable) {
		t.Errorf("Acquire without a server = %v", err)
	}
	servertest.RedisAt(t, s.Addr)
	var lost *LostError
	if err := lease.Check(t.Context()); !errors.As(err, &lost) {
		t.Errorf("Check after the server forgot everything = %v", err)
	}
	again := hold(t, l, "storing")
	if err := lease.Release(); !errors.As(err, &lost) {
		t.Errorf("Release of a lost lease = %v", err)
	}
	if err := again.Check(t.Context()); err != nil {
		t.Errorf("a lost lease took the next one with it: %v", err)
	}
	if err := again.Release(); err != nil {
		t.Errorf("Release: %v", err)
	}
}

// A later number alone makes a lease void, whatever the key says: somebody had
// the lock in between.
func TestALaterNumberFences(t *testing.T) {
	s := servertest.Redis(t)
	l := newLock(t, Options{URL: url(s)})
	lease := hold(t, l, "storing")
	next, err := l.client.Incr(t.Context(), l.keys()[1]).Result()
	if err != nil {
		t.Fatal(err)
	}
	var lost *LostError
	if err := lease.Check(t.Context()); !errors.As(err, &lost) || !strings.Contains(err.Error(), strconv.FormatInt(next, 10)) {
		t.Errorf("Check = %v", err)
	}
	if err := lease.Release(); err != nil {
		t.Errorf("Release: %v", err)
	}
}
