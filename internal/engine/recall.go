package engine

import (
	"context"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
)

// RecallRequest is one question to memory.
type RecallRequest struct {
	Who   Who
	Query string
	// Limit is brought into 1–20; 0 means 3.
	Limit int
	// Scope narrows the search; one out of reach is left aside.
	Scope string
	// Category, in either spelling, keeps one kind.
	Category string
	// Deliberate is set when somebody asked, and counts as use of what is found;
	// what is put before a turn unasked does not.
	Deliberate bool
	// Source says who asks: retrieve.SourceManual, SourceHook or SourceCLI.
	Source string
	// Narrow leaves out more; its Category and ActiveAt are set here.
	Narrow memory.Narrow
	// Prefer lifts memories of these categories, among what is relevant.
	Prefer []memory.StoredCategory
	// Without drops these ids before the limit, each for the reason given.
	Without map[string]string
	// Watch names ids whose fate the answer tells, found or not.
	Watch []string
}

// RecallAnswer is what was found, and how.
type RecallAnswer struct {
	retrieve.Result
	// Query is what was searched for, without the host's wrapping.
	Query string
	// Scopes were searched, Accessible could have been; both are empty for the
	// operator, who sees all.
	Scopes, Accessible []string
	// IgnoredScope was asked for but is out of reach.
	IgnoredScope string
	// Agent is on whose behalf; empty for the operator.
	Agent string
	// begun is when the search began, once the database was open.
	begun time.Time
}

// Recall finds memories. The steps, in order:
//
//	who asks → the question without wrapping → [embed the query, cache first →
//	vector and keyword candidates in parallel → fuse → cut → limit → explain]
//
// What is in brackets is package retrieve. Nothing here takes the write lock or
// waits for a language model; a half that fails is reported in Degraded.
func (e *Engine) Recall(ctx context.Context, r RecallRequest) (RecallAnswer, error) {
	begun := time.Now()
	answer, err := e.ask(ctx, e.cfg, r)
	if !answer.begun.IsZero() {
		begun = answer.begun // a process that has just started opens its database first
	}
	e.noteRecall(r, answer, err, time.Since(begun))
	if err != nil {
		if !answer.begun.IsZero() && ctx.Err() == nil {
			e.complaints.fresh("recall", err.Error())
		}
		return RecallAnswer{}, err
	}
	e.complaints.settled("recall")
	e.noteDegraded(answer.Degraded)
	if r.Deliberate {
		e.noteTouches(answer.Hits)
	}
	return answer, nil
}

// ask is a recall that leaves no trace: nothing is counted, recorded or complained
// of. It runs with the settings of c.
func (e *Engine) ask(ctx context.Context, c config.Config, r RecallRequest) (RecallAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return RecallAnswer{}, err
	}
	filter, ignored := readable(access, r.Scope)
	if r.Category = strings.TrimSpace(r.Category); r.Category != "" {
		if _, _, err := category(r.Category); err != nil {
			return RecallAnswer{}, err
		}
	}

	query := screen.StripEnvelope(r.Query)
	if query == "" {
		query = r.Query // nothing but wrapping: then that is what is asked
	}
	answer := RecallAnswer{
		Query: query, Agent: access.Agent,
		Scopes: filter.Names(), Accessible: access.Accessible(), IgnoredScope: ignored,
	}

	db, err := e.opened(ctx)
	if err != nil {
		return answer, err
	}
	foreign := e.foreignVectors(db)
	answer.begun = time.Now()
	r.Narrow.HideArchived = true
	unsearchable := e.unsearchable(db, foreign)
	answer.Result, err = e.retrieverOf(c, db, unsearchable, r.Source).Recall(ctx, retrieve.Request{
		Query: query, Limit: r.Limit, Who: filter, Category: r.Category, Now: e.now(),
		Source: r.Source, Narrow: r.Narrow, Prefer: r.Prefer, Without: r.Without, Watch: r.Watch,
	})
	if err != nil {
		return answer, storage("recalling memories", err)
	}
	flagSuspicious(answer.Hits)
	switch {
	case unsearchable != nil:
		answer.Degraded = append(answer.Degraded, retrieve.Degraded{Half: retrieve.HalfVector, Reason: foreign.Error()})
	case foreign != nil && len(answer.Degraded) == 0:
		answer.Degraded = append(answer.Degraded, retrieve.Degraded{Half: retrieve.HalfVector, Reason: partlyEmbedded, Partly: true})
	}
	return answer, nil
}

// noteDegraded tells the operator once of each half that fails, and when it works
// again. One that a recall did not try tells nothing.
func (e *Engine) noteDegraded(failed []retrieve.Degraded) {
	reasons := map[string]string{}
	for _, d := range failed {
		reasons[d.Half] = d.Reason
	}
	for _, half := range []struct{ name, does string }{
		{retrieve.HalfVector, "the search by meaning failed, words alone decide until it works again"},
		{retrieve.HalfKeyword, "the search by words failed, meaning alone decides until it works again"},
		{retrieve.HalfRerank, "reranking failed, results keep their order until it works again"},
		{retrieve.HalfNeighbours, "looking for related memories failed, results come without them until it works again"},
	} {
		reason, failed := reasons[half.name]
		switch {
		case failed && e.complaints.fresh(half.name, reason):
			e.log.Warn(half.does, "half", half.name, "reason", reason)
		case !failed && e.complaints.settled(half.name):
			e.log.Info("the search works again", "half", half.name)
		}
	}
}
