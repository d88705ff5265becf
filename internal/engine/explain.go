package engine

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// What no search lists can be told of all the same; see RecallRequest.Watch.
var _ retrieve.Getter = (*store.Store)(nil)

// Explain recalls as Recall does and leaves no trace: nothing is counted or recorded.
// It is for whoever wants to know how a recall goes.
func (e *Engine) Explain(ctx context.Context, r RecallRequest) (RecallAnswer, error) {
	answer, err := e.ask(ctx, e.cfg, r)
	if err != nil {
		return RecallAnswer{}, err
	}
	return answer, nil
}
