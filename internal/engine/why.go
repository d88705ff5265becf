package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// WhyRequest asks what becomes of one memory in a recall.
type WhyRequest struct {
	// Who asks; what it may not read is not shown to it.
	Who Who
	// For recalls, if that is somebody else: the operator asks what an agent would find.
	For *Who
	// ID is the full id or its first eight or more characters.
	ID string
	// The rest is the recall's own; see RecallRequest.
	Query, Scope, Category string
	Limit                  int
	Source                 string
	// Turn asks about the memories added before a turn: Query is a prompt, and the
	// settings of automatic recall decide. It needs an agent; Scope, Category and
	// Limit mean nothing then.
	Turn bool
}

// WhyAnswer says what becomes of it.
type WhyAnswer struct {
	ID string
	// Memory is nil if there is none, or none that who asks may read.
	Memory  *memory.Memory
	Verdict Verdict
	// Text says it in words, Next what could be done about it; empty for nothing.
	Text, Next string
	// Place among Of results, counted from 1; 0 if it is none.
	Place, Of int
	// Stage is where it ended, with this Score; Threshold is the cut it missed, or
	// the score of the last that did better.
	Stage            string
	Score, Threshold float64
	// By is the memory that stands in its place.
	By string
	// Query is what was searched for, Mode how.
	Query, Mode string
	// Why is how the score came about; nil if there was none.
	Why *rank.Node
}

// Short is by how much the score misses the threshold, to six digits; 0 if it misses
// none.
func (a WhyAnswer) Short() float64 { return math.Round(1e6*max(a.Threshold-a.Score, 0)) / 1e6 }

// Verdict is what became of a memory: one of the constants here, a Reason constant of
// package retrieve, or one of the reasons given in RecallRequest.Without.
type Verdict string

// The verdicts that are not about a candidate.
const (
	Found      Verdict = "found"
	OutOfReach Verdict = "out_of_reach" // in a scope that is not read
	WrongScope Verdict = "wrong_scope"  // read, but left out by the request
	Missing    Verdict = "not_found"
	Gone       Verdict = "deleted"
	NoQuestion Verdict = "nothing_asked"

	// Those of a turn.
	Injected Verdict = "injected"
	NoRecall Verdict = "no_recall" // nothing was searched for
	NoRoom   Verdict = "budget"
	Repeated Verdict = "repeated"
	LeftOut  Verdict = "left_out" // by another setting of automatic recall
)

// Why says what becomes of a memory when something is asked, found or not. Like
// Explain it leaves no trace. A memory out of reach of who asks is told of by its
// full id only, and nothing of it is shown.
func (e *Engine) Why(ctx context.Context, r WhyRequest) (WhyAnswer, error) {
	asker, err := e.access(r.Who)
	if err != nil {
		return WhyAnswer{}, err
	}
	forWho := r.Who
	if r.For != nil {
		forWho = *r.For
	}
	recaller, err := e.access(forWho)
	if err != nil {
		return WhyAnswer{}, err
	}
	if _, err := memory.ParseRef(r.ID); err != nil {
		return WhyAnswer{}, &BadInputError{Problem: err.Error()}
	}
	db, err := e.opened(ctx)
	if err != nil {
		return WhyAnswer{}, err
	}
	m, err := lookUp(ctx, db, asker.Filter(), r.ID)
	if errors.Is(err, store.ErrNotFound) {
		return e.absent(ctx, db, r)
	}
	if err != nil {
		return WhyAnswer{}, err
	}
	answer := WhyAnswer{ID: m.ID, Memory: &m, Query: r.Query}
	if r.Turn {
		r.Scope = ""
	}
	if e.outside(&answer, recaller, r) {
		return answer, nil
	}
	if r.Turn {
		return answer, e.whyTurn(ctx, &answer, forWho)
	}
	found, err := e.ask(ctx, e.cfg, RecallRequest{
		Who: forWho, Query: r.Query, Limit: r.Limit, Scope: r.Scope, Category: r.Category, Source: r.Source, Watch: []string{m.ID},
	})
	if err != nil {
		return WhyAnswer{}, err
	}
	e.judge(&answer, found)
	if found.IgnoredScope != "" {
		answer.Text += fmt.Sprintf(" The question was asked without scope %s, which agent %s does not read.", found.IgnoredScope, recaller.Agent)
	}
	return answer, nil
}

// absent answers for an id without a memory that who asks may read.
func (e *Engine) absent(ctx context.Context, db *store.Store, r WhyRequest) (WhyAnswer, error) {
	answer := WhyAnswer{ID: r.ID, Query: r.Query, Verdict: Missing, Text: "There is no such memory.", Next: "memory-pro search or memory-pro list shows ids."}
	if utf8.RuneCountInString(strings.TrimSpace(r.ID)) < memory.MinPrefix {
		answer.Text = fmt.Sprintf("There is no such memory; a shortened id needs at least %d characters.", memory.MinPrefix)
	}
	ref, err := memory.ParseRef(r.ID)
	if err != nil {
		return WhyAnswer{}, &BadInputError{Problem: err.Error()}
	}
	if !r.Who.operator {
		answer.Next = "memory_recall shows the ids of what you can read."
		// Beginnings are not told of: somebody could try them all.
		if _, err := db.Get(ctx, scope.Operator().Filter(), ref.Text); err == nil && !ref.Prefix {
			answer.Verdict, answer.Text = OutOfReach, "It is in a scope that you do not read."
			answer.Next = "Whoever looks after this memory can let you read it: scopes.agentAccess."
			return answer, nil
		}
	}
	past, err := e.History(ctx, HistoryRequest{Who: r.Who, ID: r.ID})
	if err != nil || past.Memory != nil || len(past.Records) == 0 {
		return answer, nil // no record of it, or none that can be read
	}
	answer.ID, answer.Verdict = past.ID, Gone
	answer.Text = "It was deleted."
	for _, rec := range past.Records {
		for _, c := range rec.Changes {
			if c.ID == past.ID && (c.After == nil || c.Erased) {
				answer.Text = fmt.Sprintf("It was deleted on %s.", day(rec.At))
				answer.Next = fmt.Sprintf("memory-pro undo %d brings it back.", rec.Seq)
				if c.Erased {
					answer.Text, answer.Next = fmt.Sprintf("It was erased on %s.", day(rec.At)), ""
				}
			}
		}
	}
	return answer, nil
}

// outside answers for a memory in a scope that the recall does not search.
func (e *Engine) outside(answer *WhyAnswer, recaller scope.Access, r WhyRequest) bool {
	m := answer.Memory
	searched, _ := readable(recaller, r.Scope)
	if searched.All() || (m.Scope != "" && searched.Allows(m.Scope)) {
		return false
	}
	switch all := recaller.Filter(); {
	case m.Scope == "":
		answer.Verdict, answer.Text = OutOfReach, "It has no scope, so that no agent reads it."
		answer.Next = "memory-pro repair-scopes gives it one."
	case all.All() || all.Allows(m.Scope):
		answer.Verdict, answer.Text = WrongScope, fmt.Sprintf("It is in scope %s, and only %s was searched.", m.Scope, r.Scope)
		answer.Next = "Leave the scope out of the question, or name that one."
	default:
		answer.Verdict = OutOfReach
		answer.Text = fmt.Sprintf("It is in scope %s, which agent %s does not read: it reads %s.", m.Scope, recaller.Agent, listed(all.Names()))
		answer.Next = fmt.Sprintf("Add %s to scopes.agentAccess of %s, or move the memory: memory-pro edit %s --scope %s.", m.Scope, recaller.Agent, m.ID, scope.Global)
	}
	return true
}

// judge finds the memory among hits and dropped rows.
func (e *Engine) judge(answer *WhyAnswer, found RecallAnswer) {
	answer.Query, answer.Mode, answer.Of = found.Query, found.Mode, len(found.Hits)
	if !rank.Searchable(found.Query) {
		answer.Verdict, answer.Text = NoQuestion, "The question holds no letter or digit to search for."
		return
	}
	for i, h := range found.Hits {
		if h.Memory.ID == answer.ID {
			answer.Verdict, answer.Place, answer.Score, answer.Why = Found, i+1, h.Score, h.Why
			answer.Text = fmt.Sprintf("It is found, at place %d of %d: %s.", i+1, len(found.Hits), h.Reason)
			switch h.Behind {
			case retrieve.BehindAlike:
				answer.By = h.LikeID
				if slices.ContainsFunc(found.Hits[:i], func(b retrieve.Hit) bool { return b.Score < h.Score }) {
					answer.Text += fmt.Sprintf(" It stands behind others that score less, for %s says the same.", h.LikeID)
				} else {
					answer.Text += fmt.Sprintf(" It counts half among others, for %s says the same.", h.LikeID)
				}
			case retrieve.BehindUnscored:
				answer.Text += " It stands behind others, for the reranker gave it no score."
			}
			return
		}
	}
	for _, d := range found.Dropped {
		if d.ID == answer.ID {
			answer.Verdict, answer.Stage, answer.By, answer.Why = Verdict(d.Reason), d.Stage, d.By, d.Why
			answer.Score = d.Score
			switch d.Reason {
			case retrieve.ReasonMinScore, retrieve.ReasonHardMinScore, retrieve.ReasonLimit:
				answer.Threshold = d.Threshold
			}
			answer.Text, answer.Next = e.account(*answer.Memory, d, found)
			return
		}
	}
	answer.Verdict, answer.Text = Verdict(retrieve.ReasonPool), "No half of the search listed it."
	for _, half := range found.Degraded {
		answer.Text += fmt.Sprintf(" The %s half failed: %s.", half.Half, half.Reason)
	}
}
