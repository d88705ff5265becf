package store

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// JournalState describes the record of changes for its operator.
type JournalState struct {
	// Present is false while nothing has ever been recorded.
	Present bool
	// Entries are on record, Unsettled of them not known to be in the table yet;
	// Pending of them came after the checkpoint and are compared with the table
	// when it is opened after a crash.
	Entries, Unsettled, Pending int
	Bytes                       int64
	// Oldest and Newest are times of entries.
	Oldest, Newest time.Time
	// Checkpoint is when the table itself was last known to be safe on the disk,
	// in Version.
	Checkpoint time.Time
	Version    int64
	// Damage says which parts cannot be read, Gaps which are not there.
	Damage, Gaps []string
	// Gone is set when there is no journal and there was one.
	Gone bool
}

// journalPatience bounds reading the journal: 64 MB take half a second.
const journalPatience = 2 * time.Second

// besides looks at what lies beside the table, in the state directory.
func (x *Examination) besides(ctx context.Context, state string) (err error) {
	x.Reembedded = keptVectors(filepath.Join(state, vectorsFile))
	if x.SetAside, err = asides(state); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, journalPatience)
	defer cancel()
	return x.Journal.read(ctx, filepath.Join(state, journalDir))
}

// read reads the whole journal, or as much of it as there is time for.
func (s *JournalState) read(ctx context.Context, dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	j, err := journal.Open(dir, journal.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	stats, err := j.Stats()
	if err != nil {
		s.Damage = append(s.Damage, err.Error())
	}
	s.Present, s.Bytes, s.Checkpoint, s.Version = true, stats.Bytes, stats.Checkpoint.At, stats.Checkpoint.Version
	s.gap(stats.Bytes < sureBytes, 0, stats.First)
	last := uint64(0)
	for e, err := range j.Since(0) {
		if ctx.Err() != nil {
			s.Entries = int(stats.Last - stats.First + 1) // about: some may have been taken back
			break
		}
		if err != nil {
			s.Damage = append(s.Damage, err.Error())
			if part := (*journal.Damage)(nil); errors.As(err, &part) {
				last = part.Last
			}
			continue
		}
		s.gap(last > 0, last, e.Seq)
		last = e.Seq
		if s.Entries++; s.Oldest.IsZero() {
			s.Oldest = e.At
		}
		s.Newest = e.At
		if e.Version == 0 {
			s.Unsettled++
		}
		if e.Seq > stats.Checkpoint.Seq {
			s.Pending++
		}
	}
	if ctx.Err() == nil {
		s.gap(true, stats.Last, stats.Checkpoint.Seq+1)
	}
	return nil
}

// shortfall looks whether the table is missing, or older than the record.
func (x *Examination) shortfall(path string) (missing bool, err error) {
	versions, err := manifest.List(tableDir(path))
	if err != nil {
		return false, err
	}
	if why := shortfall(journal.Mark{Version: x.Journal.Version}, x.Journal.Entries > 0, versions); why != "" {
		x.Damage = append(x.Damage, why)
		return len(versions) == 0, nil
	}
	return false, nil
}

// damage looks at the files of the table's newest version. With damage the library
// is not asked any more: it might not answer.
func (x *Examination) damage(path string) (bool, error) {
	f, err := lookAt(tableDir(path))
	if err != nil || f.whole() {
		return false, err
	}
	x.Damage = append(x.Damage, f.named()...)
	if x.Made = f.head != nil; !x.Made {
		return true, nil
	}
	x.Version = int64(f.head.Number)
	if rows := rowFaults(f.faults); len(rows) > 0 {
		_, lost := fragmentsOf(f.head, rows)
		x.Unreadable = int64(lost)
	}
	x.Rows = int64(f.head.Rows())
	return true, nil
}
