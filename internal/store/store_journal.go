package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
)

// journalDir is where the journal lies, in the state directory.
const journalDir = ".memory-pro.journal"

// openJournal prepares the record of changes. Without it nothing can be written,
// and everything can be read.
func (s *Store) openJournal(boot string) {
	if boot == "" {
		id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // without it every run counts as the same
		boot = strings.TrimSpace(string(id))
	}
	s.boot = boot
	s.journal, s.journalProblem = journal.Open(s.journalPath(), journal.Options{Now: s.now, Boot: boot, Logger: s.log})
	if s.journalProblem != nil {
		s.log.Error("nothing can be stored: the journal cannot be opened", "path", s.path, "error", s.journalProblem)
	}
}

func (s *Store) journalPath() string { return filepath.Join(s.state, journalDir) }

// Journal is the record of changes, for reading. It is nil if it could not be
// opened; JournalProblem says why.
func (s *Store) Journal() *journal.Journal { return s.journal }

// JournalProblem is why nothing can be recorded, and so nothing be written; nil if
// all is well.
func (s *Store) JournalProblem() error { return s.journalProblem }

// History is what the journal still knows of one memory, oldest first. What can be
// read comes with the error about what cannot.
func (s *Store) History(id string) ([]journal.Recorded, error) {
	list, err := s.Log(0, func(e journal.Entry) bool {
		return slices.ContainsFunc(e.Changes, func(c journal.Change) bool { return c.ID == id })
	})
	slices.Reverse(list)
	return list, err
}

// Log is what keep picks of the journal, newest first, at most limit entries; 0 is
// no limit. What can be read comes with the error about what cannot.
func (s *Store) Log(limit int, keep func(journal.Entry) bool) (list []journal.Recorded, err error) {
	if s.journal == nil {
		return nil, s.journalProblem
	}
	for r, problem := range s.journal.Newest() {
		if problem != nil {
			err = errors.Join(err, problem)
			continue
		}
		if keep(r.Entry) {
			if list = append(list, r); len(list) == limit {
				break
			}
		}
	}
	return list, err
}
