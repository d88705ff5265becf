package store

import (
	"fmt"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// where is the condition a read runs under. It is false for a filter that
// admits nothing, which must not become a query without a filter.
//
// The scope part is exact. The narrowing part keeps every row that keep does,
// and hardly any other: odd ones (not begun yet, a time written as text, one of
// two categories that share a column value) are left to keep.
func where(who scope.Filter, n memory.Narrow) (lance.Predicate, bool, error) {
	p := lance.True()
	if !who.All() {
		names := who.Names()
		if len(names) == 0 {
			return nil, false, nil
		}
		p = lance.In(colScope, names...) // a row without a scope is in none
	}
	if n.Category != "" {
		stored, err := memory.ColumnsOf(n.Category)
		if err != nil {
			return nil, false, fmt.Errorf("narrowing to a category: %w", err)
		}
		var values []string
		for _, c := range stored {
			values = append(values, string(c))
		}
		p = lance.And(p, lance.In(colCategory, values...))
	}
	if !n.ActiveAt.IsZero() {
		p = lance.And(p, activeAt(n.ActiveAt))
	}
	return p, true, nil
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

// keep is the exact form of the narrowing.
func keep(m memory.Memory, n memory.Narrow) bool {
	return memory.MatchesCategory(m, n.Category) && (n.ActiveAt.IsZero() || m.Active(n.ActiveAt))
}

// ids is the condition of being one of these rows.
func ids(list []string) lance.Predicate { return lance.In(colID, list...) }
