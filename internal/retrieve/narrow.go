package retrieve

import (
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// notCurrent says why m does not hold at the time, "" if it does.
func notCurrent(m memory.Memory, at time.Time) (reason, detail string) {
	d := m.Metadata
	switch {
	case at.IsZero() || d.ActiveAt(at):
		return "", ""
	case d.ValidFrom.After(at):
		return ReasonNotYetValid, "holds from " + moment(d.ValidFrom)
	case !d.InvalidatedAt.IsZero() && !d.InvalidatedAt.After(at):
		if d.SupersededBy != "" {
			return ReasonSuperseded, "superseded by " + d.SupersededBy
		}
		return ReasonSuperseded, "superseded on " + moment(d.InvalidatedAt)
	}
	return ReasonExpired, "held until " + moment(d.ValidUntil)
}

// keptOut says which part of n keeps m out, "" if none does. It asks Narrow
// itself, one part after the other, so that the two cannot differ.
func keptOut(n memory.Narrow, m memory.Memory) (reason, detail string) {
	if n.Keeps(m) {
		return "", ""
	}
	if reason, detail = notCurrent(m, n.ActiveAt); reason != "" {
		return reason, detail
	}
	for _, part := range []struct {
		narrow         memory.Narrow
		reason, detail string
	}{
		{memory.Narrow{Category: n.Category}, ReasonCategory, "its category is " + string(m.Kind())},
		{memory.Narrow{Categories: n.Categories}, ReasonCategory, "its category is " + string(m.Kind())},
		{memory.Narrow{HideReflections: n.HideReflections}, ReasonCategory, "its category is " + string(m.Category)},
		{memory.Narrow{HideArchived: n.HideArchived}, ReasonArchived, "it is archived"},
		{memory.Narrow{ConfirmedOnly: n.ConfirmedOnly}, ReasonState, "its state is " + m.Metadata.State},
		{memory.Narrow{HideLayers: n.HideLayers}, ReasonLayer, "its layer is " + m.Layer()},
		{memory.Narrow{Since: n.Since}, ReasonTooOld, "it is from " + moment(m.Time)},
		{memory.Narrow{UnsuppressedAt: n.UnsuppressedAt}, ReasonSuppressed, "held back until " + moment(m.Metadata.SuppressedUntil())},
	} {
		if !part.narrow.Keeps(m) {
			return part.reason, part.detail
		}
	}
	return ReasonState, "left out by the search"
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
