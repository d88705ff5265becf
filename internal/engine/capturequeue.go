package engine

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// captureDrain bounds the waiting at Close.
	captureDrain = 2 * time.Second
	// maxSessions and maxReceived bound what is held of sessions.
	maxSessions = 2000
	maxReceived = 8
	// longestReceived bounds one received message, in bytes.
	longestReceived = 4 << 10
	// maxQueue bounds the turns waiting; more than this means that nothing works.
	maxQueue = 1000
)

// capturer is the queue and what is known of sessions. It is safe for
// concurrent use; the worker runs while there is something to do.
type capturer struct {
	mu       sync.Mutex
	sessions *simplelru.LRU[string, *conversation]
	received *simplelru.LRU[string, []string] // by session key
	told     *simplelru.LRU[string, []string] // by session key: what the agent stored itself
	// floor is where the cursor of a session met for the first time begins.
	floor   time.Time
	queue   []*endedTurn
	running bool
	closed  bool
	// pending counts queued and running turns by session; changed is closed, and
	// replaced, whenever one is done.
	pending map[string]int
	changed chan struct{}
}

// conversation is what is known of one session.
type conversation struct {
	cursor
	// last is what the person said before, for "remember this".
	last string
	// failed are turns that could not be stored, to be tried with the next one.
	failed []*endedTurn
}

// endedTurn is one piece of work.
type endedTurn struct {
	session  string
	request  CaptureRequest
	messages []heard
	told     []string
	attempts int
}

// heard is a new message and the turn it belongs to.
type heard struct {
	Message
	turn int
}

func newCapturer(now time.Time) *capturer {
	c := &capturer{floor: now, pending: map[string]int{}, changed: make(chan struct{})}
	// The size is a constant, so there is no error.
	c.sessions, _ = simplelru.NewLRU[string, *conversation](maxSessions, func(_ string, gone *conversation) {
		if gone.high.After(c.floor) {
			c.floor = gone.high
		}
	})
	c.received, _ = simplelru.NewLRU[string, []string](maxSessions, nil)
	c.told, _ = simplelru.NewLRU[string, []string](maxSessions, nil)
	return c
}

// SessionEnd is a session that ends, or begins anew under the same id.
type SessionEnd struct {
	AgentID, SessionKey, SessionID string
	// Reason is the host's: new, reset, compaction, shutdown, …
	Reason string
}

// EndSession tries those turns of the session again that could not be stored, waits
// until everything heard in it is stored, as long as ctx allows, and forgets where in
// its history we were and what it was shown. A compaction ends nothing: the same turn
// goes on afterwards.
func (e *Engine) EndSession(ctx context.Context, r SessionEnd) error {
	e.chats.end(r)
	c := e.captures
	key := sessionID(CaptureRequest{AgentID: r.AgentID, SessionKey: r.SessionKey, SessionID: r.SessionID})
	e.captureFailed(key)
	err := c.wait(ctx, func() bool { return c.pending[key] == 0 })
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.sessions.Peek(key); ok && r.Reason != "compaction" {
		// Messages from before stay behind us even if the host still shows them.
		*at = conversation{cursor: cursor{since: e.now(), high: at.high}, failed: at.failed}
	}
	c.received.Remove(r.SessionKey)
	return err
}

// captureFailed tries turns again for which there is no next turn to wait for.
func (e *Engine) captureFailed(key string) {
	c := e.captures
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.sessions.Peek(key); ok && !c.closed {
		c.enqueue(at.failed...)
		at.failed = nil
		e.runCaptures()
	}
}

// enqueue takes turns in, under the lock.
func (c *capturer) enqueue(turns ...*endedTurn) {
	for _, t := range turns {
		if len(t.messages) > 0 && len(c.queue) < maxQueue {
			c.queue = append(c.queue, t)
			c.pending[t.session]++
		}
	}
}

// runCaptures starts the worker if there is work for it, under the lock.
func (e *Engine) runCaptures() {
	if c := e.captures; len(c.queue) > 0 && !c.running {
		c.running = true
		e.work.Go(e.captureQueued)
	}
}

// drain ends the accepting of turns and waits for those accepted.
func (c *capturer) drain(within time.Duration) {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	_ = c.wait(ctx, func() bool { return len(c.pending) == 0 }) // what is late is given up
}

// wait returns when done, called under the lock, is true.
func (c *capturer) wait(ctx context.Context, done func() bool) error {
	for {
		c.mu.Lock()
		ok, changed := done(), c.changed
		c.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *capturer) conversation(key string) *conversation {
	if at, ok := c.sessions.Get(key); ok {
		return at
	}
	at := &conversation{cursor: cursor{since: c.floor}}
	c.sessions.Add(key, at)
	return at
}

// captureQueued is the worker; it ends when the queue is empty.
func (e *Engine) captureQueued() {
	c := e.captures
	for {
		c.mu.Lock()
		if len(c.queue) == 0 || e.background.Err() != nil {
			c.running = false
			c.mu.Unlock()
			return
		}
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.mu.Unlock()

		err := e.captureTurn(next)

		c.mu.Lock()
		if err != nil {
			if next.attempts++; next.attempts < captureAttempts {
				at := c.conversation(next.session)
				at.failed = append(at.failed, next)
			}
		}
		if c.pending[next.session]--; c.pending[next.session] == 0 {
			delete(c.pending, next.session)
		}
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
	}
}
