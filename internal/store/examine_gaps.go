package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// sureBytes: a journal smaller than this has never dropped its oldest part by
// itself, for it keeps twice as much.
const sureBytes = 32 << 20

// gap notes the changes between two numbers, if there are any. Not all of a
// journal's parts may be there, and each is whole for itself.
func (s *JournalState) gap(sure bool, last, next uint64) {
	switch {
	case !sure || next <= last+1:
	case next == last+2:
		s.Gaps = append(s.Gaps, fmt.Sprintf("change %d", last+1))
	default:
		s.Gaps = append(s.Gaps, fmt.Sprintf("changes %d to %d", last+1, next-1))
	}
}

// unrecorded sees whether a journal that is not there was there once. It is made
// with the first change of ours; a table that only others wrote has none.
func (x *Examination) unrecorded(path string) {
	if x.Journal.Present || x.Rows == 0 {
		return
	}
	for _, a := range x.SetAside {
		if a.What == "uncertain" || (a.Repair != nil && a.Repair.BroughtBack > 0) {
			x.Journal.Gone = true
		}
	}
	n, err := newNotebook(tableDir(path)).read()
	if err == nil && n.Fingerprint != "" && !n.Adopted {
		x.Journal.Gone = true // our first memory made the table
	}
	// Maintenance makes a checkpoint, which lies in the journal.
	if _, err := os.Stat(filepath.Join(path, upkeepFile)); !errors.Is(err, fs.ErrNotExist) {
		x.Journal.Gone = true
	}
}
