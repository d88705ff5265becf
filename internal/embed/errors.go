package embed

import "errors"

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
