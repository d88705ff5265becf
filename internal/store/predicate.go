package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// where is the condition a read runs under. It is false for a filter that
// admits nothing, which must not become a query without a filter.
//
// The scope part is exact. The narrowing part keeps every row that n.Keeps does,
// and hardly any other: odd ones (not begun yet, a time written as text, one of
// two categories that share a column value) are left to n.Keeps.
func (s *Store) where(who scope.Filter, n memory.Narrow) (lance.Predicate, bool, error) {
	p, ok, err := s.byColumns(who, n)
	return lance.And(p, byMetadata(n)), ok, err
}

// byColumns is the part of where that costs nearly nothing: it looks at short
// columns alone.
func (s *Store) byColumns(who scope.Filter, n memory.Narrow) (lance.Predicate, bool, error) {
	p := lance.True()
	if !who.All() {
		names := who.Names()
		if len(names) == 0 {
			return lance.False(), false, nil
		}
		p = lance.In(colScope, names...) // a row without a scope is in none
	}
	asked := [][]string{n.Categories}
	if strings.TrimSpace(n.Category) != "" {
		asked = append(asked, []string{n.Category})
	}
	for _, some := range asked {
		values, err := categoryColumns(some)
		if err != nil {
			return lance.False(), false, err
		}
		if len(values) > 0 {
			p = lance.And(p, lance.In(colCategory, values...))
		}
	}
	if n.HideReflections {
		p = lance.And(p, lance.NotTrue(lance.Eq(colCategory, string(memory.StoredReflection))))
	}
	if !n.Since.IsZero() {
		p = lance.And(p, s.since(n.Since))
	}
	return p, true, nil
}

// categoryColumns is in which values of the column rows of any of these
// categories lie; none for no category at all.
func categoryColumns(categories []string) ([]string, error) {
	var values []string
	for _, c := range categories {
		stored, err := memory.ColumnsOf(c)
		if err != nil {
			return nil, fmt.Errorf("narrowing to a category: %w", err)
		}
		for _, v := range stored {
			values = append(values, string(v))
		}
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

// since keeps rows of t and later, whose column may hold seconds.
func (s *Store) since(t time.Time) lance.Predicate {
	ms := t.UnixMilli()
	ge := func(v int64) lance.Predicate {
		if s.layout().timeIsInteger() {
			return lance.Ge(colTime, v)
		}
		return lance.Ge(colTime, float64(v))
	}
	seconds := lance.And(ge(ms/1000), lance.NotTrue(ge(secondsBelow)))
	return lance.Or(ge(ms), seconds)
}

// byMetadata is the part of where that reads the JSON texts.
func byMetadata(n memory.Narrow) lance.Predicate {
	p := lance.True()
	hide := func(q lance.Predicate) { p = lance.And(p, lance.NotTrue(q)) }
	if !n.ActiveAt.IsZero() {
		p = activeAt(n.ActiveAt)
	}
	if n.ConfirmedOnly {
		hide(says("state", memory.StatePending, memory.StateArchived))
	} else if n.HideArchived {
		hide(says("state", memory.StateArchived))
	}
	layers := n.HideLayers
	if n.HideArchived {
		layers = append(slices.Clone(layers), memory.LayerArchive)
	}
	// A layer that is not stated is derived (memory.Memory.Layer), but all who write
	// state it.
	if layers = slices.DeleteFunc(slices.Clone(layers), unknownLayer); len(layers) > 0 {
		hide(says("memory_layer", layers...))
	}
	if !n.UnsuppressedAt.IsZero() {
		hide(lance.JSONInt(colMetadata, "suppressed_until_ms").GT(n.UnsuppressedAt.UnixMilli()))
	}
	return p
}

// says keeps rows whose metadata surely say so. Every program that writes
// memories counts their uses, which proves that the metadata can be read.
func says(key string, values ...string) lance.Predicate {
	return lance.JSONSays(colMetadata, key, "access_count", values...)
}

func unknownLayer(name string) bool {
	return !slices.Contains([]string{memory.LayerDurable, memory.LayerWorking, memory.LayerReflection, memory.LayerArchive}, name)
}

// activeAt keeps rows that have neither ended nor expired at t. That they have
// begun is left to keep: every row states when, nearly always in the past, and
// reading it out of ten thousand JSON texts would cost more than the search.
//
// An end before the beginning is none (memory.Metadata); that rare row is read for.
func activeAt(t time.Time) lance.Predicate {
	ms := t.UnixMilli()
	from, end := lance.JSONInt(colMetadata, "valid_from"), lance.JSONInt(colMetadata, "invalidated_at")
	return lance.And(
		lance.NotTrue(lance.And(over(end, ms), lance.NotTrue(lance.Or(end.Below(from), from.LE(secondsBelow-1))))),
		lance.NotTrue(over(lance.JSONInt(colMetadata, "valid_until"), ms)),
	)
}

// secondsBelow separates seconds from milliseconds, as memory.FromEpoch does.
const secondsBelow = 1e12

// over keeps rows whose moment lies at or before ms. Those that state none, or
// state it in seconds, it does not.
func over(moment lance.JSONField, ms int64) lance.Predicate {
	return lance.And(moment.LE(ms), moment.GT(secondsBelow-1))
}

// ids is the condition of being one of these rows.
func ids(list []string) lance.Predicate { return lance.In(colID, list...) }
