package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Candidate is a memory that a reference may mean.
type Candidate struct {
	Memory memory.Memory
	// Score is that of the search, in [0,1]; 0 for an id prefix, which has none.
	Score float64
	// Reason says why the search found it.
	Reason string
}

// maxCandidates is how many memories a reference that fits several lists.
const maxCandidates = 5

// AmbiguousError is a reference that fits several memories. Nothing was done.
type AmbiguousError struct {
	Reference string
	// Matches are some of the memories, at most five.
	Matches []Candidate
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%.80q fits several memories; use the full id of one of them", e.Reference)
}

// isReference reports whether s has the form of an id or of the start of one.
func isReference(s string) bool {
	_, err := memory.ParseRef(s)
	return err == nil
}

// lookUp finds the memory with an id, or the only one whose id begins so. A
// memory that who may not see does not exist for it, and does not make a prefix
// ambiguous either.
func lookUp(ctx context.Context, db *store.Store, who scope.Filter, reference string) (memory.Memory, error) {
	ref, err := memory.ParseRef(reference)
	if err != nil {
		return memory.Memory{}, &BadInputError{Problem: err.Error()}
	}
	if !ref.Prefix {
		m, err := db.Get(ctx, who, ref.Text)
		return m, storage("looking up a memory", err)
	}
	found, err := db.FindPrefix(ctx, who, ref.Text, maxCandidates)
	switch {
	case err != nil:
		return memory.Memory{}, storage("looking up a memory", err)
	case len(found) == 0:
		return memory.Memory{}, storage("looking up id prefix "+ref.Text, store.ErrNotFound)
	case len(found) == 1:
		return found[0], nil
	}
	// Old ids may be the beginning of others; written in full they are meant.
	if m, err := db.Get(ctx, who, ref.Text); err == nil {
		return m, nil
	} else if !errors.Is(err, store.ErrNotFound) {
		return memory.Memory{}, storage("looking up a memory", err)
	}
	ambiguous := &AmbiguousError{Reference: ref.Text}
	for _, m := range found {
		ambiguous.Matches = append(ambiguous.Matches, Candidate{Memory: m})
	}
	return memory.Memory{}, ambiguous
}

// lookUpOrSearch finds the memory that is meant by an id or else by a
// description. A description never selects by itself: it answers with
// candidates, possibly none, whoever asks picks one by id. A word that could be
// an old id but is none is a description too.
func (e *Engine) lookUpOrSearch(ctx context.Context, db *store.Store, who scope.Filter, id, query string) (memory.Memory, []retrieve.Hit, error) {
	id = strings.TrimSpace(id)
	if isReference(id) {
		m, err := lookUp(ctx, db, who, id)
		if !errors.Is(err, store.ErrNotFound) || isHex(id) {
			return m, nil, err
		}
	}
	if id != "" {
		query = id
	}
	hits, err := e.search(ctx, db, who, query)
	return memory.Memory{}, hits, err
}

// isHex reports whether a reference is a UUID or the start of one, and so no word.
func isHex(reference string) bool {
	ref, err := memory.ParseRef(reference)
	return err == nil && (ref.Prefix || memory.IsUUID(ref.Text))
}

// search finds what a description may mean, as a recall would.
func (e *Engine) search(ctx context.Context, db *store.Store, who scope.Filter, query string) ([]retrieve.Hit, error) {
	found, err := e.matcher(db, e.unsearchable(db, e.foreignVectors(db))).Recall(ctx, retrieve.Request{
		Query: firstRunes(query, maxPromptRunes), Limit: maxCandidates, Who: who, Now: e.now(),
	})
	if err != nil {
		return nil, storage("looking for the memory that is meant", err)
	}
	e.noteDegraded(found.Degraded)
	return found.Hits, nil
}

func candidatesOf(hits []retrieve.Hit) []Candidate {
	list := make([]Candidate, 0, len(hits))
	for _, h := range hits {
		list = append(list, Candidate{Memory: h.Memory, Score: h.Score, Reason: h.Reason})
	}
	return list
}
