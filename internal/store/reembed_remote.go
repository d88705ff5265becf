package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// In object storage no version can be put together out of files. There the old
// vectors are taken out in one commit, which leaves a table of rows that wait for
// theirs, and the new ones, which are made already, are put in by ordinary writes. A
// process that dies between leaves rows that are found by words, and the next run, or
// anybody's filler, does the rest.

func (r *Reembedding) finishRemote(ctx context.Context) (done Reembedded, err error) {
	s := r.s
	ctx = As(ctx, Actor{Kind: "maintenance"})
	err = s.Write(ctx, "taking old vectors out", func(tx *Tx) error {
		if err := tx.settle(); err != nil {
			return err
		}
		n, err := s.notes.read()
		if err != nil {
			n = notes{}
		}
		n.Swap = &swap{Mark: manifest.NewMark(), Fingerprint: s.fingerprint, Width: r.vectors.width, After: s.journal.Last()}
		if err := s.at(stepReembedNote); err != nil {
			return err
		}
		if err := s.notes.write(n); err != nil {
			return err
		}
		if err = s.at(stepReembedPublish); err == nil {
			err = s.known(ctx)
		}
		if err == nil {
			err = s.attempt(func(t *lance.Table) error {
				_, err := t.Clear(ctx, colVector, lance.Not(lance.IsNull(colVector)))
				return err
			})
		}
		if err == nil {
			err = s.at(stepReembedDone)
		}
		if err == nil {
			err = s.settleSwap(ctx)
		}
		return err
	})
	if err != nil {
		return done, err
	}
	if err := r.putIn(ctx); err != nil {
		return done, err
	}
	if done.Rows, err = s.count(ctx, nil); err != nil {
		return done, err
	}
	if done.Pending, err = s.count(ctx, lance.IsNull(colVector)); err != nil {
		return done, err
	}
	done.Version, err = s.version(ctx)
	return done, err
}

// known waits until every machine has read the note again, and writes no vector of
// the old model any more.
func (s *Store) known(ctx context.Context) error {
	if s.pause != nil {
		return s.pause(notesFresh)
	}
	select {
	case <-time.After(notesFresh + time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// putIn gives the rows that wait the vectors that are there for them.
func (r *Reembedding) putIn(ctx context.Context) error {
	all := scope.Operator().Filter()
	return r.s.Each(ctx, all, memory.Narrow{}, false, func(ms []memory.Memory) error {
		ms = slices.DeleteFunc(ms, func(m memory.Memory) bool { return m.ID == "" || !r.vectors.has(keyOf(m.Text)) })
		if len(ms) == 0 {
			return nil
		}
		return r.s.Write(ctx, "filling in vectors", func(tx *Tx) error {
			if err := tx.Load(ctx, idsIn(ms)...); err != nil {
				return err
			}
			for _, m := range ms {
				now, err := tx.current(ctx, m.ID)
				if err != nil {
					return err
				}
				if now.ID == "" || now.Vector != nil {
					continue // gone, or somebody was faster
				}
				now = detached(now)
				if now.Vector, err = r.vectors.get(keyOf(now.Text)); err != nil {
					return err
				}
				if now.Vector == nil {
					continue
				}
				now.Metadata.Embedding = ""
				if err := tx.Update(now); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// swappedRemote: taking the old vectors out is one commit, and while its note is
// there nobody writes new ones.
func (s *Store) swappedRemote(ctx context.Context, was swap) (happened, known bool, err error) {
	had, err := s.hasVectors(ctx)
	if err != nil {
		return false, false, fmt.Errorf("looking whether old vectors are left (%s): %w", was.Mark, err)
	}
	return !had, true, nil
}
