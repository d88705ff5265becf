package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// CertainFrom is how sure a search must be that a description means a memory
// before that memory is deleted without being named by id. The scale is that of
// all scores, from 0, unrelated, to 1, the same statement; see certainty. The
// TypeScript plugin's threshold, 0.9 of 1/(2−cosine), is a cosine of 0.89.
const CertainFrom = 0.9

// ForgetRequest names or describes one memory.
type ForgetRequest struct {
	Who Who
	// ID is the full id or its first eight or more characters; anything else in
	// it answers with candidates.
	ID string
	// Query describes the memory; used when there is no ID.
	Query string
	// Scope narrows where to look; it must be within reach.
	Scope string
}

// ForgetAnswer is what came of it.
type ForgetAnswer struct {
	// Action is Deleted or Candidates.
	Action Action
	// Memory is what was deleted.
	Memory memory.Memory
	// Candidates are what a description may mean; possibly none.
	Candidates []Candidate
}

// Forget deletes a memory for good: the one with the id, or the only one a
// description certainly means. In doubt it deletes nothing and answers with
// candidates.
func (e *Engine) Forget(ctx context.Context, r ForgetRequest) (ForgetAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return ForgetAnswer{}, err
	}
	filter, err := access.Read(r.Scope)
	if err != nil {
		return ForgetAnswer{}, err
	}
	id, query := strings.TrimSpace(r.ID), strings.TrimSpace(r.Query)
	switch {
	case id == "" && query == "":
		return ForgetAnswer{}, &NothingToForgetError{}
	case id == "" && memory.IsUUID(query):
		id = query
	}
	db, err := e.opened(ctx)
	if err != nil {
		return ForgetAnswer{}, err
	}
	row, hits, err := e.lookUpOrSearch(ctx, db, filter, id, query)
	if err != nil {
		return ForgetAnswer{}, err
	}
	if row.ID == "" && id == "" {
		row, _ = certain(query, hits)
	}
	if row.ID == "" {
		return ForgetAnswer{Action: Candidates, Candidates: candidatesOf(hits)}, nil
	}
	ctx = acting(ctx, r.Who, access)
	if id != "" {
		err = db.Write(ctx, "forgetting a memory", func(tx *store.Tx) error { return tx.Delete(row.ID) })
		if err != nil {
			return ForgetAnswer{}, storage("forgetting a memory", err)
		}
		return ForgetAnswer{Action: Deleted, Memory: row}, nil
	}
	return e.forgetFound(ctx, db, filter, row, hits)
}

// forgetFound deletes what a search found, if under the lock it still says the
// same.
func (e *Engine) forgetFound(ctx context.Context, db *store.Store, who scope.Filter, row memory.Memory, hits []retrieve.Hit) (ForgetAnswer, error) {
	answer := ForgetAnswer{Action: Deleted, Memory: row}
	err := db.Write(ctx, "forgetting a memory", func(tx *store.Tx) error {
		current, err := tx.Get(ctx, who, row.ID)
		if err != nil {
			return err
		}
		if current.Text != row.Text || !current.Active(e.now()) {
			answer = ForgetAnswer{Action: Candidates, Candidates: candidatesOf(hits)}
			return nil
		}
		return tx.Delete(row.ID)
	})
	if errors.Is(err, store.ErrNotFound) {
		return ForgetAnswer{Action: Candidates}, nil // somebody else was faster
	}
	if err != nil {
		return ForgetAnswer{}, storage("forgetting a memory", err)
	}
	return answer, nil
}

// certain is the one hit that the description means; ok is false when there
// is none, or more than one.
func certain(query string, hits []retrieve.Hit) (m memory.Memory, ok bool) {
	n := 0
	for _, h := range hits {
		if certainty(query, h) >= CertainFrom {
			m = h.Memory
			n++
		}
	}
	if n != 1 {
		return memory.Memory{}, false
	}
	return m, true
}

// certainty says how sure it is that a description means a memory: the better
// of the calibrated similarity of meaning and the share of common words. It is 0
// whatever the vectors say when the description has a word that the memory has
// not, or the two differ in numbers, signs, operators, the spelling of
// identifiers, negation or the order of the words: models find "the meeting is
// on Monday" and "… on Wednesday" almost the same.
func certainty(query string, h retrieve.Hit) float64 {
	if sameText(query, h.Memory.Text) {
		return 1
	}
	e := compareTexts(h.Memory.Text, query)
	if !e.nothingNew || !e.same() {
		return 0
	}
	// A cosine of 1 between different texts says that the vectors carry no meaning.
	if h.Vector != nil && h.Vector.Raw < sameVector {
		return max(e.overlap, h.Vector.Score)
	}
	return e.overlap
}
