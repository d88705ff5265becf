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
