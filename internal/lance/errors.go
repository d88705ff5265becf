package lance

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/native"
)

// What a failure was, for errors.Is.
var (
	ErrNotFound = errors.New("not found")                  // no such table, index or column
	ErrExists   = errors.New("already exists")             // a table of that name
	ErrInvalid  = errors.New("invalid request")            // a predicate, name or argument
	ErrSchema   = errors.New("does not fit the schema")    // columns or types
	ErrIO       = errors.New("storage error")              // the disk or bucket refused
	ErrCorrupt  = errors.New("damaged files")              // stored data cannot be read
	ErrConflict = errors.New("lost to a concurrent write") // retries ran out
	ErrTimeout  = errors.New("deadline exceeded")          // also matches context.DeadlineExceeded
	ErrClosed   = errors.New("closed")                     // the table or database was closed
	ErrPanic    = errors.New("internal error")             // a bug in the library, contained
)

// Kind is the sort of failure of an Error.
type Kind = native.Kind

var sentinels = map[Kind]error{
	native.NotFound: ErrNotFound, native.Exists: ErrExists, native.Invalid: ErrInvalid,
	native.Unsupported: ErrInvalid, native.Schema: ErrSchema, native.IO: ErrIO,
	native.Corrupt: ErrCorrupt, native.Conflict: ErrConflict, native.Timeout: ErrTimeout,
	native.Closed: ErrClosed, native.Panic: ErrPanic,
}

// Error is a failed operation on a database or table.
type Error struct {
	Kind    Kind
	Op      string // what was being done, as in "opening table"
	Object  string // what it was done to
	Message string

	cause error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %q: %s", e.Op, e.Object, e.Message)
}

// Is reports whether e is of the kind that a sentinel of this package names.
func (e *Error) Is(target error) bool {
	sentinel, ok := sentinels[e.Kind]
	return ok && sentinel == target
}

// Unwrap returns the context's error when the call ended with its context.
func (e *Error) Unwrap() error { return e.cause }

// lancedb-go hands errors on as text; the library puts the kind into it.
var kindMark = regexp.MustCompile(`\[mlp:(\d+)\] `)

// fail wraps what an operation on object returned; nil stays nil.
func fail(op, object string, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Kind: native.Other, Op: op, Object: object, Message: err.Error(), cause: err}
	var inner *native.Error
	switch {
	case errors.As(err, &inner):
		e.Kind, e.Message, e.cause = inner.Kind, inner.Message, inner.Unwrap()
	case errors.Is(err, context.DeadlineExceeded):
		e.Kind = native.Timeout
	case errors.Is(err, context.Canceled):
		e.Kind = native.Cancelled
	default:
		if at := kindMark.FindStringSubmatchIndex(e.Message); at != nil {
			var kind int32
			fmt.Sscan(e.Message[at[2]:at[3]], &kind) //nolint:errcheck // digits, by the pattern
			e.Kind, e.Message = Kind(kind), e.Message[at[1]:]
		}
	}
	e.Message = remoteMessage(e.Message)
	return e
}

// invalid is the error of a request refused before it reached the library.
func invalid(op, object, format string, args ...any) error {
	return &Error{Kind: native.Invalid, Op: op, Object: object, Message: fmt.Sprintf(format, args...)}
}
