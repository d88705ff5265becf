package engine

import "github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"

// While the vectors in the database are of another model than the configured
// one, memories are found by keywords alone and new ones wait for their vector
// (see store.Vectors). Nothing is embedded meanwhile.

// foreignVectors is why the vectors there are not used, nil if they are. Without
// an embedder nobody compares any.
func (e *Engine) foreignVectors(db *store.Store) error {
	if e.embedder == nil {
		return nil
	}
	return db.CheckVectors()
}

// unsearchable is foreignVectors for a search: while the database is embedded anew
// those done so far are found by their new vectors.
func (e *Engine) unsearchable(db *store.Store, foreign error) error {
	if foreign != nil && db.PartlyEmbedded() {
		return nil
	}
	return foreign
}

// partlyEmbedded is what a search then says of itself.
const partlyEmbedded = "the database is being embedded anew: what is done has a vector of the configured model, " +
	"the other memories are found by their words; `memory-pro reembed` goes on if it was stopped"

// Fingerprint names everything that decides what a vector means; empty for an
// embedder that does not say.
func (w *watched) Fingerprint() string {
	if model, ok := w.Embedder.(interface{ Fingerprint() string }); ok {
		return model.Fingerprint()
	}
	return ""
}
