package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// checkPatience bounds the round trip, the opening of the database included.
const checkPatience = 30 * time.Second

// roundTrip is the proof that a memory can be stored, found and deleted.
type roundTrip struct {
	OK      bool   `json:"ok"`
	FoundBy string `json:"foundBy"`
	Millis  int64  `json:"tookMs"`
	Pending string `json:"withoutVector,omitempty"`
}

// check stores a memory in a scope of its own, which no agent reads, finds it by
// its words and deletes it.
func (a *app) check(ctx context.Context, loaded config.Loaded) (proof roundTrip, err error) {
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	e, err := a.open(loaded, a.logger(), true)
	if err != nil {
		return proof, err
	}
	defer func() {
		if closing := e.Close(); err == nil {
			err = closing
		}
	}()
	begun := time.Now()
	mark := memory.NewID()[:8]
	where := "setup:check-" + mark
	text := fmt.Sprintf("The setup of memory-pro keeps the probe %s for a moment", mark)
	stored, err := e.Store(ctx, engine.StoreRequest{Who: engine.Operator(), Text: text, Scope: where, Importance: memory.DefaultImportance, Force: true})
	if err != nil {
		return proof, err
	}
	// Whatever happens next, the probe does not stay.
	defer func() {
		_, deleting := e.Delete(context.WithoutCancel(ctx), engine.DeleteRequest{Who: engine.Operator(), ID: stored.Memory.ID})
		if err == nil {
			err = deleting
		}
		proof.OK, proof.Millis = err == nil, time.Since(begun).Milliseconds()
	}()
	found, err := e.Recall(ctx, engine.RecallRequest{Who: engine.Operator(), Query: text, Scope: where, Limit: 1})
	if err != nil {
		return proof, err
	}
	for _, h := range found.Hits {
		if h.Memory.ID == stored.Memory.ID {
			proof.FoundBy, proof.Pending = halves(h.Vector != nil, h.BM25 != nil), stored.Pending
			return proof, nil
		}
	}
	return proof, errors.New("a memory was stored but not found again")
}
