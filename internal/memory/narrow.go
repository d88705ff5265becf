package memory

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// suppressedKey is until when a memory is held back from being recalled by
// itself, in epoch milliseconds.
const suppressedKey = "suppressed_until_ms"

// Facts is what a Narrow looks at. Moments are epoch milliseconds, 0 for one that
// is not stated, so that those of a whole table can be held in memory.
type Facts struct {
	Category                                              StoredCategory
	Kind                                                  Category
	State, Layer                                          string
	Time, ValidFrom, InvalidatedAt, ValidUntil, HeldUntil int64
}

// Facts are those of m.
func (m Memory) Facts() Facts {
	d := m.Metadata
	return Facts{
		Category: m.Category, Kind: m.Kind(), State: d.State, Layer: m.Layer(), Time: millis(m.Time),
		ValidFrom: millis(d.ValidFrom), InvalidatedAt: millis(d.InvalidatedAt), ValidUntil: millis(d.ValidUntil),
		HeldUntil: millis(d.SuppressedUntil()),
	}
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Keeps reports whether m passes all that n asks for. Every search answers as if
// it had looked at each row with this function; what a query sifts out beforehand
// is only there to be faster.
func (n Narrow) Keeps(m Memory) bool { return n.KeepsFacts(m.Facts()) }

// KeepsFacts is Keeps for a memory of which only the facts are at hand.
func (n Narrow) KeepsFacts(f Facts) bool {
	switch {
	case strings.TrimSpace(n.Category) != "" && !f.in(n.Category),
		len(n.Categories) > 0 && !slices.ContainsFunc(n.Categories, f.in),
		!n.ActiveAt.IsZero() && !f.activeAt(n.ActiveAt.UnixMilli()),
		n.HideArchived && (f.State == StateArchived || f.Layer == LayerArchive),
		n.ConfirmedOnly && f.State != StateConfirmed && f.State != "",
		len(n.HideLayers) > 0 && slices.Contains(n.HideLayers, f.Layer),
		n.HideReflections && f.Category == StoredReflection,
		!n.Since.IsZero() && time.UnixMilli(f.Time).Before(n.Since),
		!n.UnsuppressedAt.IsZero() && f.HeldUntil > n.UnsuppressedAt.UnixMilli():
		return false
	}
	return true
}

// activeAt is Metadata.ActiveAt.
func (f Facts) activeAt(ms int64) bool {
	return f.ValidFrom <= ms && (f.InvalidatedAt == 0 || f.InvalidatedAt > ms) && (f.ValidUntil == 0 || f.ValidUntil > ms)
}

// in is MatchesCategory for a name that says something.
func (f Facts) in(requested string) bool {
	column, kind, err := ParseCategory(requested)
	if err != nil {
		return false
	}
	if byColumn(requested) {
		return f.Category == column
	}
	return f.Kind == kind
}

// Layer is the layer m lies in: the one its metadata name, else that of its
// source, state and category.
func (m Memory) Layer() string {
	if m.Metadata.Layer != "" {
		return m.Metadata.Layer
	}
	d := m.Metadata
	d.Category = m.Kind()
	return layerOf(d)
}

// SuppressedUntil is until when the memory is held back; zero if it is not.
func (d Metadata) SuppressedUntil() time.Time {
	var ms float64
	if raw, ok := d.Extra[suppressedKey]; !ok || json.Unmarshal(raw, &ms) != nil || !(ms > 0) {
		return time.Time{}
	}
	return time.UnixMilli(int64(min(ms, lastMilli))).UTC()
}
