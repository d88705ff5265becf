package engine

import (
	"context"
	"errors"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Names of the links between two versions of a statement.
const (
	relationNewer = "supersedes"
	relationOlder = "superseded_by"
)

// supersede links the two versions and ends the old one when the new begins. It
// returns the old one as it has to be stored.
func supersede(fresh *memory.Memory, old memory.Memory) memory.Memory {
	ends := fresh.Metadata.ValidFrom
	if ends.Before(old.Metadata.ValidFrom) {
		// The clock went back. An end before the beginning reads as no end at all,
		// and both versions would be current.
		ends = old.Metadata.ValidFrom
	}
	if fresh.Kind() == old.Kind() {
		fresh.Metadata.FactKey = old.FactKey()
	} else {
		fresh.Metadata.FactKey = memory.FactKey(fresh.Kind(), fresh.Text)
	}
	fresh.Metadata.Supersedes = old.ID
	fresh.Metadata.Relations = link(fresh.Metadata.Relations, relationNewer, old.ID)
	old.Metadata.InvalidatedAt = ends
	old.Metadata.SupersededBy = fresh.ID
	old.Metadata.Relations = link(old.Metadata.Relations, relationOlder, fresh.ID)
	return old
}

// link puts a version link in front, where the cap on relations does not reach it.
func link(list []memory.Relation, kind, id string) []memory.Relation {
	out := []memory.Relation{{Type: kind, Target: id}}
	for _, r := range list {
		if r != out[0] {
			out = append(out, r)
		}
	}
	return out
}

// otherRelations are those that do not link versions.
func otherRelations(list []memory.Relation) (out []memory.Relation) {
	for _, r := range list {
		if r.Type != relationNewer && r.Type != relationOlder {
			out = append(out, r)
		}
	}
	return out
}

// getter reads one memory; *store.Store and *store.Tx are such.
type getter interface {
	Get(ctx context.Context, who scope.Filter, id string) (memory.Memory, error)
}

// newest follows the versions of m to the last one there is.
func newest(ctx context.Context, from getter, who scope.Filter, m memory.Memory) (memory.Memory, error) {
	later, err := follow(ctx, from, who, m, func(m memory.Memory) string { return m.Metadata.SupersededBy })
	if err != nil || len(later) == 0 {
		return m, err
	}
	return later[len(later)-1], nil
}

// maxVersions bounds a walk along versions.
const maxVersions = 1000

// follow walks from m along next, not counting m. It ends where the next
// version was deleted, is out of reach, or closes a circle.
func follow(ctx context.Context, from getter, who scope.Filter, m memory.Memory, next func(memory.Memory) string) ([]memory.Memory, error) {
	seen := map[string]bool{m.ID: true}
	var list []memory.Memory
	for id := next(m); id != "" && !seen[id] && len(list) < maxVersions; id = next(m) {
		seen[id] = true
		var err error
		m, err = from.Get(ctx, who, id)
		if errors.Is(err, store.ErrNotFound) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// Standing says in words whether m holds at t, and why not.
func Standing(m memory.Memory, t time.Time) string {
	d := m.Metadata
	day := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	ended := !d.InvalidatedAt.IsZero() && !d.InvalidatedAt.After(t)
	switch {
	case ended && d.SupersededBy != "":
		return "replaced by " + d.SupersededBy + " at " + day(d.InvalidatedAt)
	case ended:
		return "ended at " + day(d.InvalidatedAt)
	case !d.ValidUntil.IsZero() && !d.ValidUntil.After(t):
		return "expired at " + day(d.ValidUntil)
	case d.ValidFrom.After(t):
		return "holds only from " + day(d.ValidFrom)
	}
	text := "current"
	if !d.ValidFrom.IsZero() {
		text += " since " + day(d.ValidFrom)
	}
	if !d.ValidUntil.IsZero() {
		text += ", until " + day(d.ValidUntil)
	}
	return text
}
