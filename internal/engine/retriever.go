package engine

import (
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// retrieverOf is one with the settings of another configuration, for a recall that
// is run again with them. Database, embedder and reranker are the engine's. foreign
// is what foreignVectors says of db; such vectors are left alone. It is cheap to
// make: it only holds settings.
func (e *Engine) retrieverOf(c config.Config, db *store.Store, foreign error, source string) *retrieve.Retriever {
	o := e.retrieval(c, db, foreign)
	o.Rerank = e.rerankOptions(c, source)
	return retrieve.New(o)
}

// matcher compares a description with memories: how well one fits decides, not its
// age or length, or what else is like it.
func (e *Engine) matcher(db *store.Store, foreign error) *retrieve.Retriever {
	o := e.retrieval(e.cfg, db, foreign)
	o.Decay, o.Age, o.LengthNormAnchor, o.FilterNoise, o.Diversity, o.Neighbours = nil, nil, 0, false, 0, 0
	return retrieve.New(o)
}

// retrieval is the settings as package retrieve takes them.
func (e *Engine) retrieval(c config.Config, db *store.Store, foreign error) retrieve.Options {
	o := retrieve.Options{
		Searcher: db, Calibration: e.profile(),
		VectorWeight: c.Retrieval.VectorWeight, BM25Weight: c.Retrieval.BM25Weight,
		MinScore: retrieve.DefaultMinScore, HardMinScore: retrieve.DefaultHardMinScore,
		// A cut of the user's own takes the place of the product's judgement.
		Evidence: c.AutoRecall.MinScore == nil,
		PoolSize: c.Retrieval.CandidatePoolSize, Mode: c.Retrieval.Mode, Logger: e.log,
		TagPrefixes: c.Retrieval.TagPrefixes, QueryExpansion: c.Retrieval.QueryExpansion,
		LengthNormAnchor: c.Retrieval.LengthNormAnchor, Diversity: retrieve.DefaultDiversity,
		FilterNoise: c.Retrieval.FilterNoise, Noise: noisy,
	}
	if o.TagPrefixes == nil { // not an empty list, which is no tags
		o.TagPrefixes = retrieve.DefaultTagPrefixes
	}
	if c.Retrieval.Neighbours.Enabled {
		o.Neighbours = c.Retrieval.Neighbours.MaxPerResult
	}
	o.Decay, o.Age = ageing(c)
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
	return o
}

func noisy(text string) bool {
	_, noise := screen.Noise(text)
	return noise
}

// ageing is how the settings let memories fade: by tier, or by their age alone.
func ageing(c config.Config) (*rank.Decay, *rank.Age) {
	if d := c.Decay; d.Enabled {
		return &rank.Decay{
			RecencyHalfLifeDays: d.RecencyHalfLifeDays, RecencyWeight: d.RecencyWeight,
			FrequencyWeight: d.FrequencyWeight, IntrinsicWeight: d.IntrinsicWeight,
			StaleThreshold: d.StaleThreshold, SearchBoostMin: d.SearchBoostMin, ImportanceModulation: d.ImportanceModulation,
			BetaCore: d.BetaCore, BetaWorking: d.BetaWorking, BetaPeripheral: d.BetaPeripheral,
			CoreFloor: d.CoreFloor, WorkingFloor: d.WorkingFloor, PeripheralFloor: d.PeripheralFloor,
		}, nil
	}
	r := c.Retrieval
	return nil, &rank.Age{
		RecencyHalfLifeDays: r.RecencyHalfLifeDays, RecencyWeight: r.RecencyWeight,
		TimeDecayHalfLifeDays: r.TimeDecayHalfLifeDays, ReinforcementFactor: r.ReinforcementFactor,
		MaxHalfLifeMultiplier: r.MaxHalfLifeMultiplier,
	}
}
