package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

// ReembedRequest asks for vectors of the configured model: for the database itself,
// or for a copy of another one.
type ReembedRequest struct {
	Who Who
	// Source is another database, which is read and never changed. Empty embeds the
	// configured one in place.
	Source string
	// Replace puts the source's memories in the place of those that are there already
	// under the same ids; otherwise these stay as they are. For a source only.
	Replace bool
	// Force embeds in place what has vectors of the configured model already.
	Force bool
	// Batch is how many texts go into one request; 0 is ReembedBatch.
	Batch int
	// Limit ends the run after so many texts, or rows of a source; 0 is no limit.
	Limit  int
	DryRun bool
	// Progress is told now and then, Step what begins, in a sentence.
	Progress func(done, of int)
	Step     func(string)
}

// How many texts one request holds.
const (
	ReembedBatch    = 32
	MaxReembedBatch = 128
)

// ReembedAnswer says what came of it.
type ReembedAnswer struct {
	// InPlace tells the database itself from a copy.
	InPlace bool
	// From and To are fingerprints of models, From empty if nothing is known. Widths
	// are in numbers per vector.
	From, To           string
	FromWidth, ToWidth int
	// Rows are in the database, or of the source.
	Rows int
	// Embedded are texts that got a vector in this run, Kept those that had theirs from
	// one before that did not get to its end.
	Embedded, Kept int
	// Left are texts that a dry run in place would embed.
	Left int
	// Needed is false if all had vectors of the configured model already. Adopted is set
	// if that was only assumed, since nothing was noted about them.
	Needed, Adopted bool
	// Complete is set once the database has the new vectors; a copy also has to be whole.
	Complete bool
	// Pending have no vector; Waiting names the first of them.
	Pending int
	Waiting []Waiting
	// PendingBecause is what kept them from it, if the provider failed as such. Refused
	// is set if it works and would not embed some of them, which Waiting says.
	PendingBecause string
	Refused        bool
	// Import is what came of the rows of a source.
	Import ImportAnswer
	// Interrupted is set when ctx ended it, Limited when Limit did. In place the same
	// again goes on from there; of a source the limit takes the same rows again.
	Interrupted, Limited bool
}

// Waiting is a memory without a vector, and why, if that is known.
type Waiting struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"`
}

// shownWaiting bounds the list of them.
const shownWaiting = 20

// ReembedStoppedError says that the provider failed. What was made is kept, and the
// database is as it was.
type ReembedStoppedError struct {
	Done, Of int
	// IDs are the memories that were being embedded.
	IDs []string
	Err error
}

func (e *ReembedStoppedError) Error() string {
	list := e.IDs
	more := ""
	if len(list) > 3 {
		list, more = list[:3], fmt.Sprintf(" and %d more", len(list)-3)
	}
	return fmt.Sprintf("embedding stopped after %d of %d memories, at %s%s: %v; what is done is kept and the database is as it was: run `memory-pro reembed` again to go on",
		e.Done, e.Of, strings.Join(list, ", "), more, e.Err)
}

func (e *ReembedStoppedError) Unwrap() error { return e.Err }

// Reembed gives every memory a vector of the configured model. In place:
//
//	what is there → texts without a vector in the file of vectors → embed, keep, again
//	until none is missing → build the table beside → lock → take over → those stored
//	meanwhile
//
// The database is read and written by everybody until then, and found by words. A run
// that ends early, however it ends, is gone on with by the next.
func (e *Engine) Reembed(ctx context.Context, r ReembedRequest) (ReembedAnswer, error) {
	if _, err := e.access(r.Who); err != nil {
		return ReembedAnswer{}, err
	}
	r.Batch = cmp.Or(r.Batch, ReembedBatch)
	if r.Batch < 1 || r.Batch > MaxReembedBatch || r.Limit < 0 {
		return ReembedAnswer{}, &BadInputError{Problem: fmt.Sprintf("embedding anew: a batch has 1 to %d texts, and a limit is no negative number", MaxReembedBatch)}
	}
	if e.embedder == nil {
		why := cmp.Or(e.keywordsBecause, "the embedding is switched off")
		return ReembedAnswer{}, &BadInputError{Problem: "embedding anew: no embedding model can be used: " + why}
	}
	if r.Replace && r.Source == "" {
		return ReembedAnswer{}, &BadInputError{Problem: "embedding anew: which memories replace others is a question only with --source-db; nothing was done"}
	}
	if r.Source != "" {
		same, err := e.isThisDatabase(r.Source)
		switch {
		case err != nil:
			return ReembedAnswer{}, err
		case same && !r.Force:
			return ReembedAnswer{}, &BadInputError{Problem: fmt.Sprintf(
				"embedding anew: %s is the configured database itself; to embed it in place leave out --source-db, or add --force; to write another database name it with --db", r.Source)}
		case !same:
			return e.reembedFrom(ctx, r)
		}
	}
	db, err := e.opened(ctx)
	if err != nil {
		return ReembedAnswer{}, err
	}
	p := &inPlace{e: e, db: db, r: r, reasons: map[string]string{}}
	if err := p.look(ctx); err != nil || r.DryRun {
		return p.answer, err
	}
	err = p.run(ctx)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		p.answer.Interrupted, err = true, nil
	}
	return p.answer, err
}
