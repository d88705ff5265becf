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

// Keeps reports whether m passes all that n asks for. Every search answers as if
// it had looked at each row with this function; what a query sifts out beforehand
// is only there to be faster.
func (n Narrow) Keeps(m Memory) bool {
	d := m.Metadata
	switch {
	case !MatchesCategory(m, n.Category),
		len(n.Categories) > 0 && !slices.ContainsFunc(n.Categories, func(c string) bool { return strings.TrimSpace(c) != "" && MatchesCategory(m, c) }),
		!n.ActiveAt.IsZero() && !m.Active(n.ActiveAt),
		n.HideArchived && (d.State == StateArchived || m.Layer() == LayerArchive),
		n.ConfirmedOnly && d.State != StateConfirmed && d.State != "",
		len(n.HideLayers) > 0 && slices.Contains(n.HideLayers, m.Layer()),
		n.HideReflections && m.Category == StoredReflection,
		!n.Since.IsZero() && m.Time.Before(n.Since),
		!n.UnsuppressedAt.IsZero() && d.SuppressedUntil().After(n.UnsuppressedAt):
		return false
	}
	return true
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
	if json.Unmarshal(d.Extra[suppressedKey], &ms) != nil || !(ms > 0) {
		return time.Time{}
	}
	return time.UnixMilli(int64(min(ms, lastMilli))).UTC()
}
