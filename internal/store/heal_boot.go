package store

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// After a power cut a file may be as long as it should be, end as it should, and
// have a hole in the middle. So what this program wrote and had not made durable
// when the machine went down is not used at all, however whole it looks: the table
// goes on from the version of the last checkpoint, and the journal is replayed.
//
// That has to happen once, by the first to open the database after the machine
// came up, which then notes the checkpoint anew.

// cutOff reports whether the machine went down since the last checkpoint and nobody
// has looked after the table since.
func (s *Store) cutOff() (mark journal.Mark, cut bool, err error) {
	if s.journal == nil || s.boot == "" {
		return mark, false, nil
	}
	mark, err = s.journal.Checkpointed()
	return mark, err == nil && mark.Version > 0 && mark.Boot != s.boot, err
}

// lookedAfter notes the checkpoint anew, as one of this run of the machine.
func (s *Store) lookedAfter() error {
	mark, err := s.journal.Checkpointed()
	if err == nil {
		err = s.journal.Checkpoint(journal.Mark{Seq: mark.Seq, Version: mark.Version})
	}
	if err != nil {
		return fmt.Errorf("noting the checkpoint: %w", err)
	}
	return nil
}

// planCutOff leaves out what came after the checkpoint, if this program wrote it.
// What another program wrote there has no journal to come back from, and is used
// like everything else that looks whole.
func (s *Store) planCutOff(f findings, mark journal.Mark) (remedy, bool, error) {
	after := func(v manifest.Version) bool { return v.Number > uint64(mark.Version) }
	if len(f.versions) == 0 || !after(f.versions[0]) {
		return remedy{}, false, nil
	}
	at := slices.IndexFunc(f.versions, func(v manifest.Version) bool { return v.Number == uint64(mark.Version) })
	if at < 0 || (f.head != nil && after(f.head.Version) && !ours(f.head)) {
		return remedy{}, false, nil
	}
	base, err := manifest.Read(tableDir(s.path), f.versions[at])
	if errors.Is(err, manifest.ErrDamaged) {
		return remedy{}, false, nil
	}
	if err != nil {
		return remedy{}, false, err
	}
	return remedy{
		what: "uncertain", leave: f.versions[:at], base: base, replay: true,
		reason: fmt.Sprintf("the machine went down before the versions after %d were safe on the disk", mark.Version),
	}, true, nil
}

// oursFrom is the first version of the library that this program came with. The
// packages for Node that the TypeScript plugin uses are older.
const oursFrom = 14

func ours(m *manifest.Manifest) bool {
	major, _, _ := strings.Cut(m.Writer, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= oursFrom
}
