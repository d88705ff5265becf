package embed

import (
	"context"
	"errors"
	"fmt"
)

// What callers branch on. Every error of this package that comes from a call
// wraps one of them.
var (
	// ErrBadVector: the provider answered with something that is no usable
	// vector (empty, zeros, not finite, wrong width). Asking again will not help.
	ErrBadVector = errors.New("unusable vector")
	// ErrUnavailable: the provider could not be reached or would not serve now
	// (network, time limit, 429, 5xx). Later it may.
	ErrUnavailable = errors.New("embedding provider unavailable")
	// ErrRejected: the provider refused the request as it is configured (wrong
	// key, unknown model, a field it does not take).
	ErrRejected = errors.New("embedding request rejected")
	// ErrInput: the text cannot be embedded at all.
	ErrInput = errors.New("text cannot be embedded")
)

// errWidth is an ErrBadVector that is the fault of the settings.
var errWidth = fmt.Errorf("wrong width: %w", ErrBadVector)

// unavailable is the error of a caller who stopped waiting for a request that
// another started.
func unavailable(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("embedding a text: %w", context.Canceled)
	}
	return fmt.Errorf("embedding a text: no answer within the time limit: %w: %w", ErrUnavailable, context.DeadlineExceeded)
}
