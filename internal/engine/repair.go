package engine

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/archive"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Repair brings back memories that were lost with damaged files, from the journal
// and from backups that verify. Opening the database has mended the table before;
// what is brought back without a vector gets one in the background.
func (e *Engine) Repair(ctx context.Context) (store.Repaired, error) {
	db, err := e.opened(ctx)
	if err != nil {
		return store.Repaired{}, err
	}
	backups, err := e.verifiedBackups()
	if err != nil {
		// The journal alone may hold everything.
		e.log.Warn("backups cannot be looked at", "error", err)
	}
	return db.Repair(ctx, backups)
}

// verifiedBackups are the backups of this database that can be read whole, newest
// first.
func (e *Engine) verifiedBackups() ([]store.Backup, error) {
	dir, database := e.backupPlace()
	found, err := archive.List(dir, database)
	var list []store.Backup
	for _, f := range found {
		if !f.Stated {
			continue
		}
		if _, bad := archive.Verify(f.Path); bad != nil {
			continue
		}
		list = append(list, store.Backup{Name: f.Path, At: f.At, Each: func(_ context.Context, fn func(memory.Memory) error) error {
			for m, err := range archive.Rows(f.Path) {
				if err == nil {
					err = fn(m)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}})
	}
	return list, err
}
