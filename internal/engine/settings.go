package engine

import (
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// CheckEmbedding says why no embedder can be made of these settings, for whoever looks
// at settings and has no database. Nobody is asked, and nothing is kept.
func CheckEmbedding(c config.Config) error {
	if c.EmbeddingFault != "" || c.Local() {
		return nil // Parse has said what is wrong, if anything
	}
	made, err := newEmbedder(*c.Embedding, "")
	if err != nil {
		return err
	}
	return made.Close()
}

// CheckReranker is CheckEmbedding for reranking. An address is looked at also where the
// key is missing that would make it count.
func CheckReranker(c config.Config) error {
	r := c.Retrieval.Rerank
	if r.Fault != "" || !wantsReranker(r) && (r.Mode != retrieve.RerankCrossEncoder || r.Endpoint == "") {
		return nil
	}
	if len(r.APIKeys) == 0 {
		r.APIKeys = []string{"-"} // never sent: nobody is asked
	}
	made, err := newReranker(r)
	if err != nil {
		return err
	}
	made.Close()
	return nil
}
