package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/distlock"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

func TestFaultOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Fault
	}{
		{&BadInputError{}, FaultBadParams},
		{&AmbiguousError{}, FaultBadParams},
		{&TooLargeError{}, FaultTooLarge},
		{&scope.NoAgentError{}, FaultNoAgent},
		{&scope.DeniedError{}, FaultDenied},
		{&config.Error{}, FaultConfig},
		{store.ErrNotFound, FaultNotFound},
		{store.ErrCursor, FaultBadParams},
		// Giving up on the lock is "busy", whatever ended the wait.
		{&store.LockedError{Err: context.DeadlineExceeded}, FaultStoreBusy},
		{&distlock.HeldError{}, FaultStoreBusy},
		{&distlock.LostError{}, FaultStoreBusy},
		{&store.AmbiguousError{Err: &distlock.LostError{}}, FaultConflict},
		{&store.UnsettledError{Err: context.DeadlineExceeded}, FaultConflict},
		{&distlock.UnreachableError{Err: context.DeadlineExceeded}, FaultStoreUnavailable},
		{embed.ErrBadVector, FaultBadVector},
		{embed.ErrUnavailable, FaultProvider},
		{embed.ErrRejected, FaultProvider},
		{&UnavailableError{Err: errors.New("no disk")}, FaultStoreUnavailable},
		{&UnavailableError{Err: context.DeadlineExceeded}, FaultStoreUnavailable},
		{&store.PathError{}, FaultStoreUnavailable},
		{&store.WidthError{}, FaultStoreUnavailable},
		{&store.SchemaError{}, FaultStoreUnavailable},
		{&store.DamageError{Files: []string{"data/x.lance is missing"}}, FaultStoreUnavailable},
		{store.ErrClosed, FaultStoreUnavailable},
		{context.DeadlineExceeded, FaultDeadline},
		{context.Canceled, FaultCancelled},
		{errors.New("a native panic"), FaultInternal},
	} {
		if got := FaultOf(c.err); got != c.want {
			t.Errorf("FaultOf(%T %v) = %s, want %s", c.err, c.err, got, c.want)
		}
		if c.want == FaultInternal {
			c.want = FaultStoreUnavailable // what the store could not do
		}
		if got := FaultOf(storage("reading", fmt.Errorf("deeper: %w", c.err))); got != c.want {
			t.Errorf("FaultOf(wrapped %T) = %s, want %s", c.err, got, c.want)
		}
	}
	if err := storage("reading", nil); err != nil {
		t.Errorf("no error became %v", err)
	}
}
