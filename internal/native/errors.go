package native

/*
#include "mlp.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
)

// Kind says what sort of failure an Error is; the values are those of mlp_kind.
type Kind int32

// The kinds of failure, in the order of mlp_kind in include/mlp.h.
const (
	Other Kind = iota + 1
	Invalid
	NotFound
	Exists
	Schema
	IO
	Corrupt
	Conflict
	Timeout
	Cancelled
	Closed
	Unsupported
	Panic
)

var kindNames = map[Kind]string{
	Other: "other", Invalid: "invalid", NotFound: "not_found", Exists: "exists",
	Schema: "schema", IO: "io", Corrupt: "corrupt", Conflict: "conflict",
	Timeout: "timeout", Cancelled: "cancelled", Closed: "closed",
	Unsupported: "unsupported", Panic: "panic",
}

func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("kind %d", int32(k))
}

// Error is a failure inside the library.
type Error struct {
	Kind    Kind
	Message string

	cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the context's error when the call ended with its context.
func (e *Error) Unwrap() error { return e.cause }

// take turns a C error into a Go one and frees it. The result is nil or an *Error.
func take(c *C.mlp_error) error {
	if c == nil {
		return nil
	}
	defer C.mlp_error_free(c)
	err := &Error{Kind: Kind(c.kind), Message: C.GoString(c.message)}
	if err.Kind == Timeout {
		err.cause = context.DeadlineExceeded
	}
	return err
}

// ended is the error of a call whose context was over.
func ended(cause error) error {
	if errors.Is(cause, context.DeadlineExceeded) {
		return &Error{Kind: Timeout, Message: "the deadline has passed", cause: cause}
	}
	return &Error{Kind: Cancelled, Message: "the call was cancelled", cause: cause}
}
