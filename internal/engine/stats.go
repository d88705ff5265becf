package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/recalls"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// StatsRequest asks how much is remembered.
type StatsRequest struct {
	Who   Who
	Scope string
}

// StatsAnswer counts memories and says how they can be found.
type StatsAnswer struct {
	store.Stats
	// Unscoped rows have no scope, or a blank one: only the operator sees them.
	Unscoped int64
	// Scopes within reach; empty for the operator, who sees all.
	Accessible   []string
	IgnoredScope string
	// RetrievalMode is what a recall would use: hybrid, vector or keyword.
	RetrievalMode string
	// TextIndex counts rows for the operator alone.
	TextIndex store.IndexState
	Path      string
	// Dimensions is the width of the stored vectors; 0 before the first provider.
	Dimensions int
	// Recalls are the newest of this process, Recorded those on disk, of any
	// process. An agent gets its own. The latter is nil where none are recorded.
	Recalls  recalls.Summary
	Recorded *recalls.Summary
}

// Stats counts.
func (e *Engine) Stats(ctx context.Context, r StatsRequest) (StatsAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return StatsAnswer{}, err
	}
	filter, ignored := readable(access, r.Scope)
	db, err := e.opened(ctx)
	if err != nil {
		return StatsAnswer{}, err
	}
	counts, err := db.Stats(ctx, filter)
	if err != nil {
		return StatsAnswer{}, storage("counting memories", err)
	}
	index, err := db.TextIndex(ctx)
	if err != nil {
		return StatsAnswer{}, storage("reading the state of the text index", err)
	}
	if !access.Filter().All() {
		index.Indexed, index.Unindexed = 0, 0 // of everybody's rows
	}
	var unscoped int64
	for name, n := range counts.ByScope {
		if strings.TrimSpace(name) == "" {
			unscoped += n
		}
	}
	answer := StatsAnswer{
		Stats: counts, Unscoped: unscoped, Accessible: access.Accessible(), IgnoredScope: ignored,
		RetrievalMode: e.mode(db), TextIndex: index, Path: db.Path(), Dimensions: db.Dimensions(),
	}
	own, _ := e.recalls.ring.Entries()
	answer.Recalls = recalls.Summarize(onlyOf(own, access))
	if !e.cfg.RecallLog {
		return answer, nil
	}
	recorded, err := e.recallsOf(db).Read(ctx)
	if err != nil {
		return StatsAnswer{}, storage("counting recalls", err)
	}
	all := recalls.Summarize(onlyOf(recorded, access))
	answer.Recorded = &all
	return answer, nil
}

// onlyOf keeps the recalls that a caller may know of: all for the operator, its own
// for an agent.
func onlyOf(list []recalls.Entry, access scope.Access) []recalls.Entry {
	if access.Filter().All() {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(e recalls.Entry) bool { return e.Agent != access.Agent })
}

func (e *Engine) mode(db *store.Store) string {
	if e.embedder == nil || e.foreignVectors(db) != nil {
		return "keyword"
	}
	return e.cfg.Retrieval.Mode
}
