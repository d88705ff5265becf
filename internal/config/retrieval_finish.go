package config

import (
	"path/filepath"
)

// finishRetrieval settles what depends on several keys or on the environment.
func (p *parser) finishRetrieval() {
	if v, _ := p.env.Lookup("MEMORY_LANCEDB_DISABLE_NATIVE_COSINE"); v == "1" || v == "true" {
		p.c.Retrieval.DisableNativeCosine = true
	}
	r := &p.c.Retrieval.Rerank
	if _, asked := p.given["retrieval.rerank"]; asked && r.Mode == "cross-encoder" && r.Fault == "" {
		switch {
		case r.Provider == "tei" && r.Endpoint == "":
			p.c.notice("retrieval.rerank: cross-encoder with tei needs retrieval.rerankEndpoint; results are not reranked without it")
		case r.Provider != "tei" && len(r.APIKeys) == 0:
			p.c.notice("retrieval.rerank: cross-encoder needs retrieval.rerankApiKey; results are not reranked without it")
		}
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
