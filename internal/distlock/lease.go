package distlock

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// Lease is the lock while it is held. It renews itself until it is released or
// lost.
type Lease struct {
	lock  *Lock
	mutex *redsync.Mutex
	name  string // the value of the key
	token int64

	stop    context.CancelFunc
	renewal sync.WaitGroup
}

// Token is greater than that of every earlier holder.
func (l *Lease) Token() int64 { return l.token }

// renewals is how often a lease is renewed in the time it would live without.
const renewals = 5

// renew keeps the key alive, in the background. Whether it succeeds is for Check
// to find out; a failure is logged, because a long operation may follow on it.
func (l *Lease) renew() {
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.renewal.Go(func() {
		tick := time.NewTicker(l.lock.o.TTL / renewals)
		defer tick.Stop()
		told := false
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			ok, err := l.mutex.ExtendContext(ctx)
			if ok || ctx.Err() != nil {
				told = false
				continue
			}
			if !told {
				l.lock.o.Logger.Warn("the lock between machines could not be renewed; the write under way fails if it is lost",
					"server", l.lock.server, "error", err)
				told = true
			}
			if errors.As(err, new(*redsync.ErrTaken)) {
				return // it is somebody else's, or nobody's
			}
		}
	})
}

// look compares the key and the count of holders with ours, and gives a lease that
// is ours its whole time again: what the caller does next may take it.
var look = redis.NewScript(`
local holder, last = redis.call("get", KEYS[1]), redis.call("get", KEYS[2])
if holder ~= ARGV[1] then return {0, holder or "", last or ""} end
if last ~= ARGV[2] then return {1, holder, last or ""} end
redis.call("pexpire", KEYS[1], ARGV[3])
return {2, holder, last}`)

// gone is why a key is not ours: nobody else deletes it.
const gone = "its time ran out, or Redis forgot it"

// Check is nil if the lock is still ours in Redis, nobody has had it since, and
// all of its time is left. Otherwise it is a *LostError, or an *UnreachableError:
// then it is not known whether the lock is ours.
func (l *Lease) Check(ctx context.Context) error {
	begin := time.Now()
	answer, err := look.Run(ctx, l.lock.client, l.lock.keys(), l.name, l.token, l.lock.o.TTL.Milliseconds()).Slice()
	if err != nil {
		return l.lock.unreachable(err)
	}
	state, _ := answer[0].(int64)
	holder, _ := answer[1].(string)
	last, _ := answer[2].(string)
	switch {
	case state == 0:
		return &LostError{Server: l.lock.server, Holder: parseHolder(holder), Why: gone}
	case state == 1:
		return &LostError{Server: l.lock.server, Why: "the count of its holders is " + quoted(last) + ", not that of this one"}
	case time.Since(begin) > l.lock.o.TTL/2:
		return &LostError{Server: l.lock.server, Why: "the answer came too late to be worth anything"}
	}
	return nil
}

// Release gives the lock back if it is still ours. Afterwards the lease is of no
// use. An error means that it was lost before, or stays until it expires.
func (l *Lease) Release() error {
	l.stop()
	l.renewal.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), l.lock.o.ConnectTimeout)
	defer cancel()
	ok, err := l.mutex.UnlockContext(ctx)
	switch {
	case ok:
		return nil
	case errors.Is(err, redsync.ErrLockAlreadyExpired):
		return &LostError{Server: l.lock.server, Why: gone}
	case errors.As(err, new(*redsync.ErrTaken)):
		return &LostError{Server: l.lock.server, Holder: l.lock.holder(ctx), Why: gone}
	}
	return l.lock.unreachable(err)
}
