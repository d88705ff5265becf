package config

import (
	"path/filepath"
)

// finishRetrieval settles what depends on several keys or on the environment.
func (p *parser) finishRetrieval() {
	if v, _ := p.env.Lookup("MEMORY_LANCEDB_DISABLE_NATIVE_COSINE"); v == "1" || v == "true" {
		p.c.Retrieval.DisableNativeCosine = true
	}
	p.noteZeros()
	r := &p.c.Retrieval.Rerank
	if asked := p.asksForReranking(); asked != "" && r.Mode == "cross-encoder" && r.Fault == "" {
		switch {
		case r.Provider == "tei" && r.Endpoint == "":
			p.c.notice("%s: reranking with tei needs retrieval.rerankEndpoint; results are not reranked without it", asked)
		case r.Provider != "tei" && len(r.APIKeys) == 0:
			p.c.notice("%s: reranking with %s needs retrieval.rerankApiKey; results are not reranked without it", asked, r.Provider)
		}
	}
}

// asksForReranking is the first key that somebody wrote who wants results reranked by a
// provider, "" if nobody did.
func (p *parser) asksForReranking() string {
	for _, key := range []string{"retrieval.rerank", "retrieval.rerankProvider", "retrieval.rerankEndpoint", "retrieval.rerankModel", "retrieval.rerankApiKey"} {
		if _, set := p.given[key]; set {
			return key
		}
	}
	return ""
}

// noteZeros tells of zeros that cannot be meant as they stand: package retrieve
// takes its defaults for them.
func (p *parser) noteZeros() {
	r := p.c.Retrieval
	if r.VectorWeight == 0 && r.BM25Weight == 0 {
		p.c.notice("retrieval.vectorWeight and retrieval.bm25Weight: both are 0, so that nothing would count; the defaults, 0.7 and 0.3, are used; give one of them a weight")
	}
	if r.CandidatePoolSize == 0 {
		p.c.notice("retrieval.candidatePoolSize: 0 stands for the default; 20 is used")
	}
}

// vectorCache is the directory of vectors kept between runs, beside the database
// or, for object storage, where this machine keeps what belongs to it.
const vectorCache = ".memory-pro.kept-vectors"

func (p *parser) finishCache() {
	switch {
	case p.c.PathFault != "":
	case p.c.StateDir != "":
		p.c.VectorCache = filepath.Join(p.c.StateDir, vectorCache)
	case p.c.DBPath != "":
		p.c.VectorCache = filepath.Join(p.c.DBPath, vectorCache)
	}
}
