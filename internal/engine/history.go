package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Record is one recorded change: what one caller asked for, all of it or
// nothing, as far as the reader may see it.
type Record struct {
	// Seq is its number, from 1; a later change has a higher one.
	Seq uint64
	At  time.Time
	// Actor is one of the Actor constants, "import", or empty if nobody said.
	Actor string
	// Agent and Session are on whose behalf, if known. A session is told only to
	// the operator and to the agent itself.
	Agent, Session string
	// Operation says in words what was done.
	Operation string
	// Applied is false for a change that is not known to have reached the table.
	Applied bool
	Changes []Change
}

// Change is what a record did to one memory.
type Change struct {
	ID string
	// Before and After come without vectors. nil: there was no such memory, or
	// none that the reader may see, which is the same to it.
	Before, After *memory.Memory
	// Erased is set when the text was erased for good, and the record of it with it.
	Erased bool
	// Fields are what differs between two versions, text first.
	Fields []FieldChange
}

// FieldChange is a field of a memory, or a key of its metadata, with its values
// as text; empty for none.
type FieldChange struct{ Name, Before, After string }

// HistoryRequest names one memory, which need not exist any more.
type HistoryRequest struct {
	Who Who
	// ID is the full id or its first eight or more characters.
	ID string
}

// HistoryAnswer is everything recorded of a memory and of the versions before
// and after it.
type HistoryAnswer struct {
	// ID is the memory's, Versions are it and its other versions, in no order.
	ID       string
	Versions []string
	// Memory is the row as it is now; nil if it is gone.
	Memory *memory.Memory
	// Records are oldest first, with the changes of Versions only.
	Records []Record
	// Unreadable says what of the record cannot be read, and why.
	Unreadable []string
}

// History tells what happened to a memory.
func (e *Engine) History(ctx context.Context, r HistoryRequest) (HistoryAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return HistoryAnswer{}, err
	}
	ref, err := memory.ParseRef(r.ID)
	if err != nil {
		return HistoryAnswer{}, &BadInputError{Problem: err.Error()}
	}
	db, err := e.opened(ctx)
	if err != nil {
		return HistoryAnswer{}, err
	}
	book, err := bookOf(db)
	if err != nil {
		return HistoryAnswer{}, err
	}
	reader := reader{access: access, filter: access.Filter()}
	past, err := reader.survey(ctx, book, ref)
	if err != nil {
		return HistoryAnswer{}, err
	}
	now, err := lookUp(ctx, db, reader.filter, r.ID)
	answer := HistoryAnswer{Unreadable: past.unreadable}
	switch {
	case err == nil:
		answer.ID, answer.Memory = now.ID, &now
		past.link(now)
	case !errors.Is(err, store.ErrNotFound):
		return HistoryAnswer{}, err
	case len(past.named) == 0:
		return HistoryAnswer{}, err
	case len(past.named) > 1:
		return HistoryAnswer{}, past.ambiguous(r.ID)
	default:
		for id := range past.named {
			answer.ID = id
		}
	}
	answer.Versions = past.chain(answer.ID)
	wanted := map[string]bool{}
	for _, id := range answer.Versions {
		wanted[id] = true
	}
	for rec, err := range book.Since(0) {
		if ctx.Err() != nil {
			return HistoryAnswer{}, ctx.Err()
		}
		if err != nil {
			continue // told by survey
		}
		if seen, ok := reader.see(rec, func(id string) bool { return wanted[id] }); ok {
			answer.Records = append(answer.Records, seen)
		}
	}
	return answer, nil
}

// past is what one reading of the record tells about who belongs together.
type past struct {
	// named are the ids that the reference may mean, each as it was last.
	named map[string]memory.Memory
	// links lead from each id to the versions beside it.
	links      map[string][]string
	unreadable []string
}

// survey reads the record once.
func (r reader) survey(ctx context.Context, book *journal.Journal, ref memory.Ref) (past, error) {
	p := past{named: map[string]memory.Memory{}, links: map[string][]string{}}
	for rec, err := range book.Since(0) {
		if ctx.Err() != nil {
			return past{}, ctx.Err()
		}
		if err != nil {
			p.unreadable = append(p.unreadable, err.Error())
			continue
		}
		for _, c := range rec.Changes {
			for _, row := range []*journal.Row{c.Before, c.After} {
				named := row != nil && (row.ID == ref.Text || (ref.Prefix && strings.HasPrefix(row.ID, ref.Text)))
				if row == nil || !(named || linked(row)) {
					continue // the most of a long record: nothing to take apart
				}
				if m := r.side(row); m != nil {
					p.link(*m)
					if named {
						p.named[m.ID] = *m
					}
				}
			}
		}
	}
	return p, nil
}

// linked reports whether a row may name another version.
func linked(row *journal.Row) bool { return strings.Contains(row.Metadata, "supersede") }

// link notes which versions m names.
func (p past) link(m memory.Memory) {
	for _, other := range []string{m.Metadata.Supersedes, m.Metadata.SupersededBy} {
		if other != "" && !slices.Contains(p.links[m.ID], other) {
			p.links[m.ID] = append(p.links[m.ID], other)
			p.links[other] = append(p.links[other], m.ID)
		}
	}
}

// chain is id and all versions linked to it.
func (p past) chain(id string) []string {
	list, seen := []string{id}, map[string]bool{id: true}
	for i := 0; i < len(list) && len(list) < maxVersions; i++ {
		for _, other := range p.links[list[i]] {
			if !seen[other] {
				seen[other] = true
				list = append(list, other)
			}
		}
	}
	return list
}

func (p past) ambiguous(reference string) *AmbiguousError {
	e := &AmbiguousError{Reference: reference}
	for _, m := range p.named {
		if len(e.Matches) < maxCandidates {
			e.Matches = append(e.Matches, Candidate{Memory: m})
		}
	}
	slices.SortFunc(e.Matches, func(a, b Candidate) int { return strings.Compare(a.Memory.ID, b.Memory.ID) })
	return e
}
