// Package distlock is a lock in Redis for machines that write to one database.
//
// Whoever holds it has a key that nobody else could set, which expires unless it
// is renewed, and a number greater than that of every earlier holder. A holder
// that was paused for longer than its key lives has lost the lock without knowing;
// Lease.Check finds that out, and is called before and after whatever the lock
// protects.
//
// The lock fails closed: while Redis does not answer, nobody gets it.
//
// Caveats: one Redis, not several. One that loses its memory when it is started
// anew forgets the lock as well; holders then find theirs lost. Databases that
// share a KeyPrefix wait for each other.
package distlock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mrand "math/rand/v2"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Options say where the lock is and how it behaves. Zero values mean the defaults.
type Options struct {
	// URL is redis://[user:password@]host:port[/database], or rediss:// for TLS.
	URL string
	// KeyPrefix names the lock; the default is "memory-lancedb-pro:write-lock". The
	// key itself holds the lock, <KeyPrefix>:fence counts its holders.
	KeyPrefix string
	// TTL is after how long without renewal a lock is free; the default is 60 s.
	TTL time.Duration
	// AcquireTimeout bounds the wait for the lock; the default is 5 s, a negative
	// one tries once.
	AcquireTimeout time.Duration
	// RetryDelay is the pause between two attempts; the default is 50 ms.
	RetryDelay time.Duration
	// ConnectTimeout bounds a connection, and each answer; the default is 1 s.
	ConnectTimeout time.Duration
	// Logger is told when a lock cannot be renewed; nil discards it.
	Logger *slog.Logger
}

// Lock is a lock in Redis. It is safe for concurrent use.
type Lock struct {
	o       Options
	server  string // host:port/database, for messages
	client  *redis.Client
	redsync *redsync.Redsync
}

// New prepares a lock without speaking to Redis. Its error names no part of the
// URL, which may hold a password.
func New(o Options) (*Lock, error) {
	parsed, err := redis.ParseURL(o.URL)
	if err != nil {
		return nil, errors.New("the address of Redis is not one; write it as redis://host:port or rediss://host:port")
	}
	o.KeyPrefix = orDefault(o.KeyPrefix, "memory-lancedb-pro:write-lock")
	o.TTL = orDefault(o.TTL, time.Minute)
	o.AcquireTimeout = orDefault(o.AcquireTimeout, 5*time.Second)
	o.RetryDelay = orDefault(o.RetryDelay, 50*time.Millisecond)
	o.ConnectTimeout = orDefault(o.ConnectTimeout, time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	parsed.DialTimeout, parsed.ReadTimeout, parsed.WriteTimeout = o.ConnectTimeout, o.ConnectTimeout, o.ConnectTimeout
	// After so many refused connections the pool only tries once a second.
	parsed.PoolTimeout, parsed.PoolSize = o.ConnectTimeout, 64
	parsed.ContextTimeoutEnabled = true
	// An attempt that is repeated unseen could find the key set by its first try.
	// Dialling again would multiply the time a dead server costs.
	parsed.MaxRetries, parsed.DialerRetries = -1, 1
	parsed.DisableIdentity = true
	parsed.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	redis.SetLogger(silent{}) // its errors come back to us, and are told once
	client := redis.NewClient(parsed)
	return &Lock{
		o: o, server: fmt.Sprintf("%s/%d", parsed.Addr, parsed.DB),
		client: client, redsync: redsync.New(goredis.NewPool(client)),
	}, nil
}

func orDefault[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// State is the lock as it is right now.
type State struct {
	Server string // host:port/database
	Held   bool
	Holder Holder // zero if it left no name
}

// Look asks without waiting for the lock. Its error is an *UnreachableError.
func (l *Lock) Look(ctx context.Context) (State, error) {
	state := State{Server: l.server}
	value, err := l.client.Get(ctx, l.o.KeyPrefix).Result()
	if errors.Is(err, redis.Nil) {
		return state, nil
	}
	if err != nil {
		return state, l.unreachable(err)
	}
	state.Held, state.Holder = true, parseHolder(value)
	return state, nil
}

// Close ends the connections. Leases that are still held expire.
func (l *Lock) Close() error { return l.client.Close() }

// Acquire waits for the lock, at most Options.AcquireTimeout and as long as ctx
// lasts. who is the operation, for the errors of those who wait. Its errors are
// *HeldError, *UnreachableError and that of ctx.
func (l *Lock) Acquire(ctx context.Context, who string) (*Lease, error) {
	name := l.signature(who)
	mutex := l.redsync.NewMutex(l.o.KeyPrefix,
		redsync.WithExpiry(l.o.TTL),
		redsync.WithTimeoutFactor(min(0.5, float64(l.o.ConnectTimeout)/float64(l.o.TTL))),
		redsync.WithGenValueFunc(func() (string, error) { return name, nil }))
	for begin := time.Now(); ; {
		err := mutex.TryLockContext(ctx)
		if err == nil {
			return l.begin(ctx, mutex, name)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var taken *redsync.ErrTaken
		if !errors.As(err, &taken) {
			return nil, l.unreachable(err)
		}
		waited := time.Since(begin)
		if waited >= l.o.AcquireTimeout {
			return nil, &HeldError{Server: l.server, Holder: l.holder(ctx), Waited: waited}
		}
		// Jittered, so that machines that met once do not keep meeting.
		pause := min(l.o.RetryDelay/2+mrand.N(l.o.RetryDelay+1), l.o.AcquireTimeout-waited)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// draw hands the holder its number. Only a holder gets one: a process that was
// paused since it took the lock must not outnumber the one that has it now.
var draw = redis.NewScript(`
if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("incr", KEYS[2])`)

func (l *Lock) begin(ctx context.Context, mutex *redsync.Mutex, name string) (*Lease, error) {
	token, err := draw.Run(ctx, l.client, l.keys(), name).Int64()
	if err == nil && token == 0 {
		err = errors.New("the lock expired as soon as it was taken")
	}
	if err != nil {
		l.giveBack(mutex)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, l.unreachable(err)
	}
	lease := &Lease{lock: l, mutex: mutex, name: name, token: token}
	lease.renew()
	return lease, nil
}

// giveBack does what it can; a key that stays expires.
func (l *Lock) giveBack(mutex *redsync.Mutex) {
	ctx, cancel := context.WithTimeout(context.Background(), l.o.ConnectTimeout)
	defer cancel()
	_, _ = mutex.UnlockContext(ctx)
}

func (l *Lock) keys() []string { return []string{l.o.KeyPrefix, l.o.KeyPrefix + ":fence"} }

// nonce tells two holdings by the same process apart.
func nonce() string { return rand.Text() }
