package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/distlock"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Fault is a kind of failure. The protocol gives it a code, the command line an
// exit status.
type Fault string

// The faults.
const (
	FaultBadParams        Fault = "bad_params"
	FaultNoAgent          Fault = "no_agent"
	FaultDenied           Fault = "denied"
	FaultNotFound         Fault = "not_found"
	FaultTooLarge         Fault = "too_large"
	FaultConfig           Fault = "config"
	FaultStoreUnavailable Fault = "store_unavailable"
	FaultStoreBusy        Fault = "store_busy"
	FaultProvider         Fault = "provider"
	FaultBadVector        Fault = "bad_vector"
	FaultDeadline         Fault = "deadline"
	FaultCancelled        Fault = "cancelled"
	FaultConflict         Fault = "conflict"
	FaultInternal         Fault = "internal"
)

// BadInputError is something the caller can correct.
type BadInputError struct{ Problem string }

func (e *BadInputError) Error() string { return e.Problem }

// TooLargeError is a text over the maximum. Nothing was stored.
type TooLargeError struct{ Bytes int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("storing a memory: the text has %d bytes, at most %d are kept in one memory; split it into single statements", e.Bytes, memory.MaxTextBytes)
}

// NoMatchError is a description that fits no memory.
type NoMatchError struct{ Description string }

func (e *NoMatchError) Error() string {
	return fmt.Sprintf("no memory fits %.80q; search for it, and use its id", e.Description)
}

// NothingToUpdateError is an update without a change.
type NothingToUpdateError struct{}

func (*NothingToUpdateError) Error() string {
	return "updating a memory: no change was given; give at least one of text, importance, category"
}

// NothingToForgetError is a request to forget that names nothing.
type NothingToForgetError struct{}

func (*NothingToForgetError) Error() string {
	return "forgetting a memory: nothing was named; give a memoryId or a query"
}

// faults is the one table from errors to kinds. The first row that fits counts:
// a lock that was not had in time is also a passed deadline.
var faults = []struct {
	is    func(error) bool
	fault Fault
}{
	{as[*BadInputError], FaultBadParams},
	{as[*AmbiguousError], FaultBadParams},
	{as[*NothingToUpdateError], FaultBadParams},
	{as[*NothingToForgetError], FaultBadParams},
	{as[*ChangedSinceError], FaultConflict},
	{as[*ErasedError], FaultConflict},
	{as[*CarriedError], FaultConflict},
	{as[*NoRecordError], FaultNotFound},
	{as[*NoRecallError], FaultNotFound},
	{as[*TooLargeError], FaultTooLarge},
	{as[*scope.NoAgentError], FaultNoAgent},
	{as[*scope.DeniedError], FaultDenied},
	{as[*config.Error], FaultConfig},
	{is(store.ErrNotFound), FaultNotFound},
	{as[*NoMatchError], FaultNotFound},
	{as[*NoBackupError], FaultNotFound},
	{is(store.ErrCursor), FaultBadParams},
	{as[*store.LockedError], FaultStoreBusy},
	{is(store.ErrReembedding), FaultStoreBusy},
	{as[*distlock.HeldError], FaultStoreBusy},
	// Before their causes: they are not to be repeated unseen.
	{as[*store.AmbiguousError], FaultConflict},
	{as[*store.UnsettledError], FaultConflict},
	{as[*distlock.LostError], FaultStoreBusy},
	{as[*distlock.UnreachableError], FaultStoreUnavailable},
	{is(embed.ErrBadVector), FaultBadVector},
	{is(embed.ErrInput), FaultBadParams},
	{is(embed.ErrUnavailable), FaultProvider},
	{is(embed.ErrRejected), FaultProvider},
	{as[*UnavailableError], FaultStoreUnavailable},
	{as[*store.PathError], FaultStoreUnavailable},
	{as[*store.SchemaError], FaultStoreUnavailable},
	{as[*store.DamageError], FaultStoreUnavailable},
	{as[*store.WidthError], FaultStoreUnavailable},
	{is(store.ErrClosed), FaultStoreUnavailable},
	{is(context.DeadlineExceeded), FaultDeadline},
	{is(context.Canceled), FaultCancelled},
	{as[*storageError], FaultStoreUnavailable},
}

// FaultOf classifies an error of this package.
func FaultOf(err error) Fault {
	for _, row := range faults {
		if row.is(err) {
			return row.fault
		}
	}
	return FaultInternal
}

// Faults lists the kinds, so that a test can hold other tables against them.
func Faults() []Fault {
	all := []Fault{FaultInternal}
	seen := map[Fault]bool{}
	for _, row := range faults {
		if !seen[row.fault] {
			seen[row.fault] = true
			all = append(all, row.fault)
		}
	}
	return all
}

// storageError is any other failure of the store: reading or writing the table.
type storageError struct{ err error }

func (e *storageError) Error() string { return e.err.Error() }

func (e *storageError) Unwrap() error { return e.err }

// storage marks an error of the store, wrapping it with what was being done unless
// it says so itself: "importing" is said in "importing memories: …" too.
func storage(doing string, err error) error {
	if err == nil {
		return nil
	}
	if rest, said := strings.CutPrefix(err.Error(), doing); said && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, " ")) {
		return &storageError{err}
	}
	return &storageError{fmt.Errorf("%s: %w", doing, err)}
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func as[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}
