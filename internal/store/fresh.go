package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// LanceDB keeps what it has read of an index open until its cache is full, and a
// small index hardly fills it: a process that searches, and be it only that, would
// collect one descriptor for every fold of the text index by any process, and with
// it the room of the deleted file. So the table is opened anew now and then, which
// gives all of it back: it costs some milliseconds and a cold cache.
const (
	// freshFor is after how many commits of any process: about 22 folds.
	freshFor = 256
	// freshLook is every how many reads it is looked whether there were so many.
	freshLook = 16
)

// freshness knows when the table was opened.
type freshness struct {
	reads  atomic.Int64
	opened atomic.Int64 // the version then; 0: not known yet
}

var errLost = errors.New("the table could not be opened again")

// freshen opens the table anew if it has seen many commits.
func (s *Store) freshen(ctx context.Context) {
	f := &s.fresh
	if f.reads.Add(1)%freshLook != 0 {
		return
	}
	version, err := s.version(ctx)
	if err != nil {
		return // the next read will tell
	}
	opened := f.opened.Load()
	if opened == 0 || version < opened { // the first look, or a table that was made anew
		f.opened.CompareAndSwap(opened, version)
		return
	}
	if version-opened < freshFor || !f.opened.CompareAndSwap(opened, version) {
		return
	}
	if err := s.reopen(false); err != nil {
		s.log.Warn("the table could not be opened again; the next use tries it", "path", s.path, "error", err)
	}
}

// reopen waits for those who use the table, closes it and opens it. LanceDB shares
// one cache among all who have a database open, so it has to be closed first.
// With onlyLost it does so only if nobody else has put a lost table back.
func (s *Store) reopen(onlyLost bool) error {
	s.alive.Lock()
	defer s.alive.Unlock()
	switch {
	case s.table == nil && !s.lost:
		return ErrClosed
	case onlyLost && !s.lost:
		return nil
	}
	if s.table != nil {
		if err := errors.Join(s.table.Close(), s.db.Close()); err != nil {
			s.log.Warn("closing the table to open it anew", "path", s.path, "error", err)
		}
		s.table, s.lost = nil, true
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitPatience)
	defer cancel()
	db, err := lance.Connect(ctx, s.path, lance.Options{StorageOptions: s.storage})
	if err != nil {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	table, err := db.OpenTable(ctx, tableName)
	if err != nil {
		return errors.Join(fmt.Errorf("%w: %w", errLost, err), db.Close())
	}
	s.db, s.table, s.lost = db, table, false
	return nil
}
