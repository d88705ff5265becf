package store

import (
	"context"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// settleSwap finds out whether a re-embed's version was published, and notes what
// the table's vectors are accordingly. The caller holds the write lock. Without one
// under way it does nothing.
func (s *Store) settleSwap(ctx context.Context) error {
	n, err := s.notes.read()
	if err != nil || n.Swap == nil || s.readOnly != nil {
		return nil // unreadable notes leave the vectors unused
	}
	if err := s.refresh(ctx); err != nil {
		return err
	}
	was := *n.Swap
	happened, known, err := s.swapped(ctx, was)
	if err != nil {
		return fmt.Errorf("finding out whether new vectors were taken over: %w", err)
	}
	switch {
	case happened:
		if err := s.reinspect(ctx); err != nil {
			return err
		}
		// Before anything relies on it. A power cut until here leads back to the version before.
		if err := s.checkpoint(ctx); err != nil {
			return err
		}
		if err := s.beginSpan(was.Mark, was.After); err != nil {
			return err
		}
		n.Fingerprint, n.Adopted, n.Mark, n.From, n.Since = was.Fingerprint, false, was.Mark, was.Version, s.now().UTC()
	case !known:
		// Nothing tells what made the vectors, so nobody uses them until all are made anew.
		n.Fingerprint, n.Adopted = UnknownModel, false
	}
	n.Swap = nil
	if err := s.at(stepReembedSettle); err != nil {
		return err
	}
	if err := s.notes.write(n); err != nil {
		return err
	}
	s.follow(n)
	s.log.Info("a re-embed came to its end", "path", s.path, "taken over", happened, "version", was.Version)
	return nil
}

// endSwap is settleSwap for who opens the table.
func (s *Store) endSwap(ctx context.Context) error {
	if n, err := s.notes.read(); err != nil || n.Swap == nil {
		return nil
	}
	return s.lockedWithin(ctx, openingTurn, "ending a re-embed", func() error { return s.settleSwap(ctx) })
}

// UnknownModel is noted when nobody can tell what made a table's vectors: it was put
// back to a version from before a re-embed.
const UnknownModel = "unknown"

// swapped reports whether the version of a re-embed is part of the table, and
// whether that can be told.
func (s *Store) swapped(ctx context.Context, was swap) (happened, known bool, err error) {
	if !s.local {
		return s.swappedRemote(ctx, was)
	}
	table := tableDir(s.path)
	versions, err := manifest.List(table)
	if err != nil || len(versions) == 0 || versions[0].Number < was.Version {
		return false, err == nil, err
	}
	for _, v := range versions {
		if v.Number != was.Version {
			continue
		}
		m, err := manifest.Read(table, v)
		if err != nil {
			return false, false, nil
		}
		return m.Named(was.Mark), true, nil
	}
	// Another program has pruned it. The width may still tell.
	if l := s.layout(); l.schema != nil && l.width != was.Width {
		return false, true, nil
	}
	return false, false, nil
}
