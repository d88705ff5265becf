package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// A table that is being made shows as a directory without a version. Our own
// programs make it under the write lock, so whoever has the lock never sees one
// of theirs; other programs take no lock of ours, and get this long to finish.
const (
	unfinishedPatience = 2 * time.Second
	unfinishedPoll     = 25 * time.Millisecond
)

// findOrCreate opens the table, or makes it if there is none. Several processes
// may do so at once in an empty directory: what the first look, without the lock,
// takes for missing, unfinished or damaged is looked at again under it.
func (s *Store) findOrCreate(ctx context.Context) error {
	patience := min(unfinishedPatience, s.lockTimeout)
	for start := time.Now(); ; {
		found, err := s.find(ctx)
		var schema *SchemaError
		if found || (err != nil && (s.readOnly != nil || !errors.As(err, &schema))) {
			return err
		}
		err = s.locked(ctx, "creating the table", func() error {
			if found, err := s.find(ctx); err != nil || found {
				return err
			}
			if s.local {
				if err := blocked(s.path); err != nil {
					return err
				}
			}
			return s.create(ctx)
		})
		if unfinished(err) && time.Since(start) >= patience && s.local {
			if err := s.locked(ctx, "setting an unfinished table aside", s.leaveUnfinished); err != nil {
				return err
			}
			if found, err := s.find(ctx); err != nil || found {
				return err
			}
			return s.locked(ctx, "creating the table", func() error {
				if found, err := s.find(ctx); err != nil || found {
					return err
				}
				return s.create(ctx)
			})
		}
		if !unfinished(err) || time.Since(start) >= patience {
			return err
		}
		select { // without the lock, which other processes need
		case <-ctx.Done():
			return fmt.Errorf("opening the database %s: %w", s.path, ctx.Err())
		case <-time.After(unfinishedPoll):
		}
	}
}

// unfinished reports whether err is what one meets while another program makes
// the table.
func unfinished(err error) bool {
	return errors.Is(err, lance.ErrNotFound) || errors.Is(err, lance.ErrExists)
}

// unfinishedError does not call the table damaged: it may be whole in a moment.
func unfinishedError(path string, err error) error {
	return &SchemaError{
		Path: path, Problem: "is not a whole LanceDB table yet: another program is making it, or was stopped while it did", Err: err,
		Fix: "try again in a moment; if it stays so, restore the directory from a backup, or move it away to begin anew",
	}
}

// find opens the table if there is one.
func (s *Store) find(ctx context.Context) (bool, error) {
	names, err := s.db.TableNames(ctx)
	if err != nil {
		return false, fmt.Errorf("opening the database %s: %w", s.path, err)
	}
	if !slices.Contains(names, tableName) {
		return false, nil
	}
	s.table, err = s.db.OpenTable(ctx, tableName)
	switch {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		return false, fmt.Errorf("opening the database %s: %w", s.path, err)
	case unfinished(err):
		return false, unfinishedError(s.path, err)
	}
	return false, &SchemaError{
		Path: s.path, Problem: fmt.Sprintf("cannot be read as a LanceDB table (%v)", err), Err: err,
		Fix: "restore the directory from a backup, or move it away to begin anew",
	}
}

// create makes an empty table. The caller holds the write lock.
func (s *Store) create(ctx context.Context) error {
	width := s.dimensions
	if width == 0 {
		width = DefaultWidth
	}
	var err error
	if s.table, err = s.db.CreateTable(ctx, tableName, newSchema(width)); err != nil {
		return fmt.Errorf("creating the table in %s: %w", s.path, err)
	}
	return nil
}
