package distlock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-redsync/redsync/v4"
)

// Holder is who has the lock. It is the value of the key, as JSON. The zero value
// means that nobody has it.
type Holder struct {
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	Command string    `json:"command"`
	Who     string    `json:"who"` // the operation
	Since   time.Time `json:"since"`
	Nonce   string    `json:"nonce"`
}

func (h Holder) String() string {
	if h.PID == 0 {
		return "a program that left no name"
	}
	return fmt.Sprintf("process %d on %s (%s: %s) since %s", h.PID, h.Host, h.Command, h.Who, h.Since.UTC().Format(time.RFC3339))
}

// signature names this process and what it does.
func (l *Lock) signature(who string) string {
	command := filepath.Base(os.Args[0])
	if len(os.Args) > 1 && len(os.Args[1]) > 0 && os.Args[1][0] != '-' {
		command += " " + os.Args[1]
	}
	host, _ := os.Hostname()
	text, _ := json.Marshal(Holder{Host: host, PID: os.Getpid(), Command: command, Who: who, Since: time.Now(), Nonce: nonce()})
	return string(text)
}

func parseHolder(value string) Holder {
	var h Holder
	_ = json.Unmarshal([]byte(value), &h) // others may hold it under any value
	return h
}

func (l *Lock) holder(ctx context.Context) Holder {
	value, _ := l.client.Get(ctx, l.o.KeyPrefix).Result()
	return parseHolder(value)
}

// HeldError says that another process has the lock.
type HeldError struct {
	Server string // host:port/database
	Holder Holder
	Waited time.Duration
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("waited %s for the lock between machines (Redis at %s), held by %s: try again, or end that process if it hangs",
		e.Waited.Round(time.Millisecond), e.Server, e.Holder)
}

// UnreachableError says that Redis gave no answer, or one that is none.
type UnreachableError struct {
	Server string
	Err    error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the lock between machines cannot be asked for: Redis at %s: %v; start it or correct locking.redis.url, "+
		"or set locking.redis.enabled to false if no other machine writes", e.Server, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// unreachable leaves out what redsync wraps around the cause.
func (l *Lock) unreachable(err error) error {
	var node *redsync.RedisError
	if errors.As(err, &node) {
		err = node.Err
	}
	return &UnreachableError{Server: l.server, Err: err}
}

// LostError says that a lease is not ours any more.
type LostError struct {
	Server string
	Holder Holder // who has the lock now; zero if nobody has, or that is not known
	Why    string
}

func (e *LostError) Error() string {
	now := ""
	if e.Holder.PID != 0 {
		now = ", and " + e.Holder.String() + " has it now"
	}
	return fmt.Sprintf("the lock between machines (Redis at %s) was lost: %s%s; try again, and raise locking.redis.ttlMs if this repeats", e.Server, e.Why, now)
}

func quoted(s string) string {
	if s == "" {
		return "gone"
	}
	return strconv.Quote(s)
}
