package store

import (
	"errors"
	"fmt"
	"time"
)

// Looking a memory up, or changing it.
var (
	// ErrNotFound means that no readable memory has the id.
	ErrNotFound = errors.New("no such memory")
	// ErrExists means that an inserted id is already in the table.
	ErrExists = errors.New("a memory with this id exists already")
	// ErrInvalid means that a memory handed to Insert or Update cannot be stored as it is.
	ErrInvalid = errors.New("unusable memory")
	// ErrCursor means that a list cursor did not come from List.
	ErrCursor = errors.New("unusable list cursor: start again without one")
)

// Using the store as a whole.
var (
	// ErrClosed means that Close was called before.
	ErrClosed = errors.New("the store is closed")
	// ErrNoTextIndex means that keyword search is off; TextIndex says why.
	ErrNoTextIndex = errors.New("keyword search is off: the text index is missing")
)

// PathError says why the database directory cannot be used, and what to do.
type PathError struct {
	Path    string
	Problem string
	Fix     string
	Err     error // nil unless the operating system said so
}

func (e *PathError) Error() string {
	return fmt.Sprintf("database path %s %s; %s", e.Path, e.Problem, e.Fix)
}

func (e *PathError) Unwrap() error { return e.Err }

// WidthError says that vectors of two lengths meet. Nothing was written.
type WidthError struct {
	Path  string
	Table int // numbers per vector in the table
	Given int // numbers per vector of the configured model, or of the vector at hand
}

func (e *WidthError) Error() string {
	return fmt.Sprintf("the table in %s holds vectors of %d numbers, the configured model gives %d: "+
		"until that changes memories are found by keywords only; run `memory-pro reembed`, "+
		"or set embedding.model and embedding.dimensions to what wrote the table", e.Path, e.Table, e.Given)
}

// ForeignVectorsError says that another model than the configured one wrote the
// table's vectors, or that nobody knows which did.
type ForeignVectorsError struct {
	Path string
	// Recorded and Current are fingerprints; Recorded is empty if nothing is known.
	Recorded, Current string
	Err               error // why what is known could not be read
}

func (e *ForeignVectorsError) Error() string {
	wrote := "were written with " + e.Recorded
	switch {
	case e.Err != nil:
		wrote = fmt.Sprintf("are of unknown origin (%v)", e.Err)
	case e.Recorded == UnknownModel:
		wrote = "are of a time before a re-embed, since the table was damaged and put back"
	case e.Recorded == "":
		wrote = "were written by a program that did not note its model"
	}
	return fmt.Sprintf("the vectors in %s %s, the configured model is %s: until that changes memories are found by "+
		"keywords only; run `memory-pro reembed`, or configure the embedding model that wrote them", e.Path, wrote, e.Current)
}

func (e *ForeignVectorsError) Unwrap() error { return e.Err }

// SchemaError says that a table named "memories" is there but is not one of ours.
type SchemaError struct {
	Path    string
	Problem string
	Fix     string
	Err     error
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("the table %q in %s %s; %s", tableName, e.Path, e.Problem, e.Fix)
}

func (e *SchemaError) Unwrap() error { return e.Err }

// Holder is who has the write lock.
type Holder struct {
	PID     int       `json:"pid"`
	Command string    `json:"command"`
	Who     string    `json:"who"`
	Since   time.Time `json:"since"`
}

func (h Holder) String() string {
	switch {
	case h.PID == 0 && h.Command != "":
		return fmt.Sprintf("%s, last sign of life %s", h.Command, h.Since.UTC().Format(time.RFC3339))
	case h.PID == 0:
		return "a process that left no name"
	}
	return fmt.Sprintf("process %d (%s: %s) since %s", h.PID, h.Command, h.Who, h.Since.UTC().Format(time.RFC3339))
}

// LockedError says that a write gave up waiting for its turn. Nothing was written.
type LockedError struct {
	Path   string
	Who    string // the write that gave up
	Waited time.Duration
	Holder Holder
	Err    error // why waiting ended: the context's error, or context.DeadlineExceeded
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s: waited %s for the write lock of %s, held by %s: nothing was written; try again, or end that process if it hangs",
		e.Who, e.Waited.Round(time.Millisecond), e.Path, e.Holder)
}

func (e *LockedError) Unwrap() error { return e.Err }

// UnsettledError says that a change was accepted and that the table does not hold
// all of it yet, or that this could not be found out.
type UnsettledError struct {
	Path string
	// Recorded is set when the change is in the journal: the next write, or the
	// next opening, completes it.
	Recorded bool
	Err      error // what went wrong
}

func (e *UnsettledError) Error() string {
	what := "whether it was written could not be found out; look before you repeat it"
	if e.Recorded {
		what = "the change is on record and is completed by the next write or the next start; look before you repeat it"
	}
	return fmt.Sprintf("changing the database %s: %v: %s", e.Path, e.Err, what)
}

func (e *UnsettledError) Unwrap() error { return e.Err }
