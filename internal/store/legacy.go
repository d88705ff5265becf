package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// lateColumns came after the first versions of the TypeScript plugin. A table
// without them gets them with the values that plugin gives them.
var lateColumns = []lance.NewColumn{
	{Name: colCategory, Value: string(memory.StoredOther)},
	{Name: colScope, Value: scope.Global},
	{Name: colImportance, Value: memory.DefaultImportance},
	{Name: colTime, Value: 0.0},
	{Name: colMetadata, Value: "{}"},
}

// addColumns adds what an early table lacks, in one commit.
func (s *Store) addColumns(ctx context.Context, missing []string) error {
	return s.locked(ctx, "adding columns to an early table", func() error {
		if err := s.table.CheckoutLatest(ctx); err != nil {
			return err
		}
		schema, err := s.table.Schema(ctx)
		if err != nil {
			return fmt.Errorf("opening the database %s: %w", s.path, err)
		}
		var add []lance.NewColumn
		for _, c := range lateColumns {
			if len(schema.FieldIndices(c.Name)) == 0 {
				add = append(add, c)
			}
		}
		if len(add) == 0 {
			return nil // another process was faster
		}
		if err := s.table.AddColumns(ctx, add...); err != nil {
			return fmt.Errorf("adding the columns %s to the early table in %s: %w", quoted(missing), s.path, err)
		}
		s.log.Info("the table comes from an early version and got the columns it lacked", "path", s.path, "columns", missing)
		return nil
	})
}

// inSeconds are the timestamps of early rows. They read right as they are; only
// the order of lists is by the stored number.
func (s *Store) inSeconds() lance.Predicate {
	if s.layout().timeIsInteger() {
		return lance.And(lance.Gt(colTime, 0), lance.Lt(colTime, int64(secondsBelow)))
	}
	return lance.And(lance.Gt(colTime, 0.0), lance.Lt(colTime, float64(secondsBelow)))
}

// beyond no timestamp lies; NaN compares as greater than any number.
const beyond = 1e300

// notFinite are the timestamps that are no number one could order by.
func (s *Store) notFinite() lance.Predicate {
	if s.layout().timeIsInteger() {
		return lance.False()
	}
	return lance.Or(lance.Gt(colTime, beyond), lance.Lt(colTime, -beyond))
}

// correctTimes turns timestamps in seconds into milliseconds and NaN into none,
// once in a table's life, in commits that touch only the rows concerned. Whoever
// wrote seconds later is read right, and listed as very old.
func (s *Store) correctTimes(ctx context.Context) error {
	n, err := s.notes.read()
	if err != nil || !n.Milliseconds.IsZero() {
		return nil
	}
	return s.locked(ctx, "correcting timestamps in seconds", func() error {
		n, err := s.notes.read()
		if err != nil || !n.Milliseconds.IsZero() {
			return err
		}
		for _, fix := range []struct {
			where lance.Predicate
			what  string
			do    func(*lance.Table) (int64, error)
		}{
			{s.inSeconds(), "timestamps that stated seconds are milliseconds now",
				func(t *lance.Table) (int64, error) { return t.Scale(ctx, colTime, 1000, s.inSeconds()) }},
			{s.notFinite(), "timestamps that were no number are none now",
				func(t *lance.Table) (int64, error) { return t.Zero(ctx, colTime, s.notFinite()) }},
		} {
			err := s.attempt(func(t *lance.Table) error {
				if err := t.CheckoutLatest(ctx); err != nil {
					return err
				}
				count, err := t.Count(ctx, fix.where)
				if err != nil || count == 0 {
					return err
				}
				if count, err = fix.do(t); err == nil {
					s.log.Info(fix.what, "path", s.path, "rows", count)
				}
				return err
			})
			if err != nil {
				return fmt.Errorf("correcting timestamps in %s: %w", s.path, err)
			}
		}
		n.Milliseconds = s.now().UTC()
		return s.notes.write(n)
	})
}

// settle does what an opened table needs once. None of it is worth failing for:
// until it succeeds lists are in another order, or vectors are not used.
func (s *Store) settle(ctx context.Context) error {
	for _, step := range []func(context.Context) error{s.endSwap, s.correctTimes, s.settleVectors} {
		if err := step(ctx); err != nil {
			if ctx.Err() != nil {
				return err
			}
			s.log.Warn("the database could not be brought up to date; the next start tries again", "path", s.path, "error", err)
		}
	}
	if err := s.CheckVectors(); err != nil {
		var width *WidthError
		if !errors.As(err, &width) { // adopt told it
			s.log.Warn("vector search is off", "error", err)
		}
	}
	return nil
}
