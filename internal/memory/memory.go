// Package memory holds the nouns of the product: a Memory, its category,
// metadata and lifetime. It does no I/O and imports nothing of ours.
//
// Caveats: a Memory read without its vector has a nil Vector; that says
// nothing about whether one is stored.
package memory

import "time"

// Memory is one remembered statement, a row of the table "memories".
type Memory struct {
	ID   string
	Text string
	// Vector is nil when it was not read, or when none is stored yet
	// (Metadata.Embedding then says "pending").
	Vector []float32
	// Category is the value of the storage column (see category.go).
	Category StoredCategory
	// Scope names who may read it: "global", "agent:<id>", …
	Scope string
	// Importance lies in [0,1].
	Importance float64
	// Time is when it was remembered, to the millisecond.
	Time     time.Time
	Metadata Metadata
}

// Active reports whether m is current at t: begun, not invalidated by a newer
// version, and not expired.
func (m Memory) Active(t time.Time) bool { return m.Metadata.ActiveAt(t) }

// Narrow restricts a read beyond its scopes. The zero value restricts nothing.
type Narrow struct {
	// Category keeps memories of one category, in either spelling; empty keeps all.
	Category string
	// Categories keeps memories of any of these; empty keeps all.
	Categories []string
	// ActiveAt, when set, hides memories that are superseded, expired or not yet valid then.
	ActiveAt time.Time
	// HideArchived hides what was archived, by state or by layer.
	HideArchived bool
	// ConfirmedOnly keeps the state "confirmed".
	ConfirmedOnly bool
	// HideLayers hides these layers.
	HideLayers []string
	// HideReflections hides the stored category "reflection".
	HideReflections bool
	// Since, when set, hides memories of an earlier time.
	Since time.Time
	// UnsuppressedAt, when set, hides memories held back beyond it
	// (suppressed_until_ms).
	UnsuppressedAt time.Time
}

// Hit is a candidate with the raw score of the half that found it: a cosine in
// [-1,1] from the vector half, a BM25 score ≥ 0 from the keyword half.
type Hit struct {
	Memory Memory
	Score  float64
}
