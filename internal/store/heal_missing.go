package store

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// A table that is missing, has lost its newest manifests or was replaced by an older
// copy looks whole. But the checkpoint names a version that was on the disk for
// certain, so one that ends before it is not the table it was. Then the checkpoint
// goes back to what is there, and the journal is replayed from that version on.

// goingBack lasts from the moment the checkpoint is set back to the end of the replay.
type goingBack struct {
	note *SetAside
	why  string // what was found
	seq  uint64 // entries after it are compared, whatever others note as checkpoint meanwhile
	// since is the oldest change on record if older ones are not, else 0.
	since uint64
	rows  int // so many were brought back
}

// shortfall says what is wrong with a table that ends before the checkpoint; empty
// if nothing is. entries tells whether anything is on record. The mark has to be
// read before the versions are: others go on meanwhile.
func shortfall(mark journal.Mark, entries bool, versions []manifest.Version) string {
	switch {
	case len(versions) == 0 && (mark != journal.Mark{} || entries):
		return "the table was missing"
	case len(versions) > 0 && int64(versions[0].Number) < mark.Version:
		return fmt.Sprintf("the table was older than the record: its newest version was %d, and %d was safe on the disk once",
			versions[0].Number, mark.Version)
	}
	return ""
}

// goBack notices a table that ends before the checkpoint and prepares the replay.
func (s *Store) goBack(ctx context.Context) error {
	if !s.local || s.journal == nil {
		return nil
	}
	_, why, err := s.short()
	if err != nil {
		s.log.Warn("whether the table is as new as the record could not be found out", "path", s.path, "error", err)
		return nil
	}
	if why == "" {
		return nil
	}
	if s.readOnly != nil {
		s.log.Error(why+"; what is on record cannot be put back because nothing may be written", "path", s.path, "error", s.readOnly)
		return nil
	}
	return s.locked(ctx, "putting back what is on record", func() error {
		if err := s.goBackLocked(ctx); err != nil {
			return fmt.Errorf("putting back what is on record in %s: %w; nothing was deleted", s.path, err)
		}
		return nil
	})
}

func (s *Store) short() (f findings, why string, err error) {
	j, err := s.journalReach()
	if err != nil {
		return f, "", err
	}
	if f.versions, err = manifest.List(tableDir(s.path)); err != nil {
		return f, "", err
	}
	return f, shortfall(j.mark, !j.none, f.versions), nil
}

func (s *Store) goBackLocked(ctx context.Context) error {
	f, why, err := s.short()
	if err != nil || why == "" {
		return err
	}
	if fi, err := os.Lstat(tableDir(s.path)); len(f.versions) == 0 && err == nil && !fi.IsDir() {
		return blocked(s.path) // a link to a disk that is not there, for one
	}
	if _, err := s.journal.Catch(); err != nil {
		return err
	}
	b := &goingBack{why: why, note: &SetAside{At: s.now().UTC(), What: "table", Reason: why + "; what is on record is put back"}}
	if len(f.versions) > 0 {
		b.note.Version, b.note.Instead = f.versions[0].Number, f.versions[0].Number
	}
	width := b.look(s.journal, b.note.Instead)
	if !s.begunAnew { // healing has left a note of its own
		err := b.note.begin(s.state)
		if err == nil {
			err = b.note.write()
		}
		if err != nil {
			return err
		}
		s.log.Warn(why+"; the journal is replayed", "path", s.path, "from", b.seq+1, "aside", b.note.Dir)
	}
	if len(f.versions) > 0 {
		if err := s.olderVectors(b.note.Instead); err != nil {
			return err
		}
	}
	if err := s.journal.SetBack(journal.Mark{Seq: b.seq, Version: int64(b.note.Instead)}); err != nil {
		return err
	}
	s.back = b
	if len(f.versions) > 0 {
		return nil
	}
	return s.makeAgain(ctx, b.note, width)
}

// look reads the whole journal for where to replay from: before the first entry that
// is not for certain part of a version. It returns the width of the vectors on record.
func (b *goingBack) look(j *journal.Journal, version uint64) (width int) {
	first, last, from := uint64(0), uint64(0), uint64(0)
	for e, err := range j.Since(0) {
		if err != nil {
			continue // what lies behind damage is still worth having
		}
		if last = e.Seq; first == 0 {
			first = e.Seq
		}
		if from == 0 && (e.Version <= 0 || uint64(e.Version) > version) {
			from = e.Seq
		}
		for _, c := range e.Changes {
			if c.After != nil && c.After.Vector != nil {
				width = len(c.After.Vector)
			}
		}
	}
	if first > 1 && from == first {
		b.since = first
	}
	if b.seq = last; from > 0 {
		b.seq = from - 1
	}
	return width
}

// makeAgain makes the table that is missing, under the same lock, with the note
// beside its rows. What is left of the old one is set aside.
func (s *Store) makeAgain(ctx context.Context, a *SetAside, width int) error {
	n, err := s.notes.read()
	if err != nil || n == (notes{}) {
		if n, err = parseNotes(s.notes.copy); err != nil {
			n = notes{}
		}
	}
	if _, err := os.Lstat(tableDir(s.path)); err == nil {
		if a.Dir == "" {
			if err := errors.Join(a.begin(s.state), a.write()); err != nil {
				return err
			}
		}
		if err := a.moveTable(s.path); err != nil {
			return err
		}
	}
	dimensions := s.dimensions
	if s.dimensions == 0 {
		s.dimensions = width
	}
	err = s.create(ctx)
	s.dimensions = dimensions
	if err != nil {
		return err
	}
	err = s.table.Close()
	s.table = nil
	if err != nil || n == (notes{}) || (dimensions > 0 && width > 0 && dimensions != width) {
		return err // vectors of another width are not put back, so nothing made any
	}
	n.From = 0 // versions begin anew
	return s.notes.write(n)
}

// cameBack ends a going back, after the replay. A note that cannot be completed
// says that the changes are put back, which they are.
func (s *Store) cameBack() {
	b := s.back
	if b == nil {
		return
	}
	s.back = nil
	if b.note.Dir == "" {
		return
	}
	b.note.Reason = fmt.Sprintf("%s; %d changes on record were put back", b.why, b.rows)
	if b.since > 0 {
		b.note.Reason += fmt.Sprintf("; what is older than the record, which begins at change %d, can only come from a backup: memory-pro backup restore latest", b.since)
	}
	if err := b.note.write(); err != nil {
		s.log.Warn("the note of what was put back could not be completed", "path", s.path, "error", err)
	}
	s.log.Warn(b.note.Reason, "path", s.path, "aside", b.note.Dir)
}

// forgetVersion is for a table that is about to be replaced by an empty one, whose
// versions begin anew. What is on record led to an empty table and is not replayed.
func (s *Store) forgetVersion() error {
	if !s.local || s.journal == nil {
		return nil
	}
	mark, err := s.journal.Checkpointed()
	if err != nil || mark.Version == 0 {
		return err
	}
	return s.journal.SetBack(journal.Mark{Seq: mark.Seq})
}
