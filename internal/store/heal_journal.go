package store

import (
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
)

// reach says how far back the journal goes, for healing. It reads no more of it
// than it needs: a journal of 64 MB takes a second to read whole.
type reach struct {
	journal *journal.Journal
	mark    journal.Mark
	none    bool // there never was a journal, so nothing can be replayed
}

func (s *Store) journalReach() (r reach, err error) {
	if s.journal == nil {
		return reach{none: true}, nil
	}
	r.journal = s.journal
	if r.mark, err = s.journal.Checkpointed(); err != nil {
		return r, err
	}
	r.none = r.mark == journal.Mark{}
	for range s.journal.Newest() {
		r.none = false
		break
	}
	return r, nil
}

// covers reports whether every change after a version is on record, or on the disk
// for certain because the version is not older than the checkpoint.
func (r reach) covers(version uint64) bool {
	if r.none {
		return false
	}
	if r.mark.Version > 0 && version >= uint64(r.mark.Version) {
		return true
	}
	_, ok := r.last(version)
	return ok
}

// last is the number of the last entry that is part of a version, and false if the
// journal does not go back that far without a gap.
func (r reach) last(version uint64) (seq uint64, ok bool) {
	oldest := journal.Recorded{}
	for e, err := range r.journal.Newest() {
		if err != nil {
			return 0, false
		}
		if e.Version > 0 && uint64(e.Version) <= version {
			return e.Seq, true
		}
		oldest = e
	}
	if oldest.Seq == 0 {
		return 0, false
	}
	// The first change on record may be the first one after the version.
	return oldest.Seq - 1, oldest.Version > 0 && uint64(oldest.Version) <= version+1
}

// setBack moves the checkpoint back with the table, to the last entry that is part
// of a version, so that everything after it is replayed.
func (r reach) setBack(version uint64) error {
	if r.none || r.mark.Version <= int64(version) {
		return nil
	}
	seq, _ := r.last(version) // 0 if nobody knows: then everything is compared
	return r.journal.SetBack(journal.Mark{Seq: min(seq, r.mark.Seq), Version: int64(version)})
}

// recordedFromTheStart reports whether the journal holds every change there ever
// was: it was there when the table had nothing but its columns and an empty index.
func (s *Store) recordedFromTheStart() bool {
	const prepared = 4 // versions that making a table takes at most
	if s.journal == nil {
		return false
	}
	start, first := false, true
	for e, err := range s.journal.Since(0) {
		if err != nil {
			return false
		}
		if first {
			start, first = e.Seq == 1 && e.Version > 0 && e.Version <= prepared, false
		}
	}
	return start
}
