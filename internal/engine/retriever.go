package engine

import (
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// retriever is cheap to make: it only holds settings. foreign is what
// foreignVectors says of db; such vectors are left alone.
func (e *Engine) retriever(db *store.Store, foreign error) *retrieve.Retriever {
	return e.retrieverOf(e.cfg, db, foreign)
}

// retrieverOf is one with the settings of another configuration, for a recall that
// is run again with them. Database and embedder are the engine's.
func (e *Engine) retrieverOf(c config.Config, db *store.Store, foreign error) *retrieve.Retriever {
	o := retrieve.Options{
		Searcher: db, Calibration: e.profile(),
		VectorWeight: c.Retrieval.VectorWeight, BM25Weight: c.Retrieval.BM25Weight,
		MinScore: retrieve.DefaultMinScore, HardMinScore: retrieve.DefaultHardMinScore,
		PoolSize: c.Retrieval.CandidatePoolSize, Mode: c.Retrieval.Mode, Logger: e.log,
	}
	if e.embedder != nil && foreign == nil {
		o.Embedder = e.embedder
	} else {
		o.Mode = retrieve.ModeKeyword
	}
	if v := c.Retrieval.MinScore; v != nil {
		o.MinScore = *v
	}
	if v := c.Retrieval.HardMinScore; v != nil {
		o.HardMinScore = *v
	}
	return retrieve.New(o)
}
