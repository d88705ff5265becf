package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// The steps of taking the new vectors over, in their order; tests have them fail, or
// end the process.
const (
	stepReembedBuilt   = "reembed: built"   // the table beside is there
	stepReembedNote    = "reembed: note"    // under the lock, about to note what is coming
	stepReembedPublish = "reembed: publish" // about to publish the version
	stepReembedDone    = "reembed: done"    // it is published
	stepReembedSettle  = "reembed: settle"  // it is durable, about to note the model
	stepReembedSettled = "reembed: settled" // all is done but clearing up
)

// Reembedded says what a re-embed has made of the table, in rows.
type Reembedded struct {
	// Rows are in the table, before as after. Pending of them have no vector.
	Rows, Pending int64
	// Version of the table, made by it.
	Version int64
}

// buildRounds is how often the copy follows the table before the lock is taken.
const buildRounds = 4

// Finish takes the new vectors over. Rows whose text has none in the file wait for
// theirs. After an error the table is as it was, or the next use of it ends what was
// begun.
func (r *Reembedding) Finish(ctx context.Context) (done Reembedded, err error) {
	s := r.s
	if !s.local {
		return r.finishRemote(ctx)
	}
	b, err := s.newBeside(ctx, r.vectors)
	if err != nil {
		return done, fmt.Errorf("building the table with the new vectors: %w", err)
	}
	defer func() { err = errors.Join(err, b.close()) }()
	for range buildRounds {
		if err := b.round(ctx); err != nil {
			return done, fmt.Errorf("building the table with the new vectors: %w", err)
		}
		if now, err := s.version(ctx); err == nil && now == b.seen {
			break
		}
	}
	if err := b.table.CreateTextIndex(ctx, colText, textIndex); err != nil {
		return done, fmt.Errorf("building the table with the new vectors: %w", err)
	}
	if err := s.at(stepReembedBuilt); err != nil {
		return done, err
	}
	free, err := s.noUpkeep(ctx)
	if err != nil {
		return done, err
	}
	defer free()
	// The less is left for the time under the lock.
	if err := errors.Join(b.round(ctx), b.flush()); err != nil {
		return done, fmt.Errorf("building the table with the new vectors: %w", err)
	}
	// From here on it runs to its end: it takes moments, and half of it nobody wants.
	ctx = As(context.WithoutCancel(ctx), Actor{Kind: "maintenance"})
	err = s.Write(ctx, "taking new vectors over", func(tx *Tx) error {
		if err := tx.settle(); err != nil {
			return err
		}
		if err := s.lock.check(ctx); err != nil {
			return err
		}
		done, err = s.takeOver(ctx, b)
		return err
	})
	return done, err
}

// takeOver publishes the table beside as the next version. The caller holds the lock.
func (s *Store) takeOver(ctx context.Context, b *beside) (done Reembedded, err error) {
	if err := b.round(ctx); err != nil {
		return done, err
	}
	if done, err = b.prove(ctx); err != nil {
		return done, err
	}
	made, err := newestManifest(filepath.Join(b.dir, tableName+".lance"))
	if err != nil {
		return done, err
	}
	if err := b.flush(); err != nil {
		return done, err
	}
	table := tableDir(s.path)
	if err := made.Link(table); err != nil {
		return done, err
	}
	head, err := newestManifest(table)
	if err != nil {
		return done, err
	}
	n, err := s.notes.read()
	if err != nil {
		n = notes{} // unreadable notes are replaced
	}
	n.Swap = &swap{
		Mark: manifest.NewMark(), Version: head.Number + 1, Fingerprint: s.fingerprint,
		Width: b.from.width, After: s.journal.Last(),
	}
	if err := s.at(stepReembedNote); err != nil {
		return done, err
	}
	if err := s.notes.write(n); err != nil {
		return done, err
	}
	err = s.at(stepReembedPublish)
	if err == nil {
		_, err = made.Succeed(head, n.Swap.Mark, s.now())
	}
	if err == nil {
		err = s.at(stepReembedDone)
	}
	if err == nil {
		err = s.settleSwap(ctx)
	}
	if err != nil {
		return done, fmt.Errorf("taking new vectors over: %w", err)
	}
	done.Version = int64(n.Swap.Version)
	return done, s.at(stepReembedSettled)
}

// prove compares the copy with the table: every row is there, and has its vector if
// the file has one.
func (b *beside) prove(ctx context.Context) (done Reembedded, err error) {
	rows, err := b.s.count(ctx, nil)
	if err != nil {
		return done, err
	}
	if done.Rows, err = b.table.Count(ctx, nil); err != nil {
		return done, err
	}
	if done.Pending, err = b.table.Count(ctx, lance.IsNull(colVector)); err != nil {
		return done, err
	}
	if done.Rows != rows {
		return done, fmt.Errorf("the table has %d rows and its copy with the new vectors %d: it is not taken over, and nothing was changed; try again", rows, done.Rows)
	}
	return done, nil
}

func newestManifest(table string) (*manifest.Manifest, error) {
	versions, err := manifest.List(table)
	if err == nil && len(versions) == 0 {
		err = fmt.Errorf("the table in %s has no version: %w", table, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return manifest.Read(table, versions[0])
}
