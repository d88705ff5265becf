package journal

import (
	"errors"
	"io/fs"
)

// Stats describes a journal.
type Stats struct {
	Dir        string
	Segments   int
	Bytes      int64
	First      uint64 // a lower bound of the oldest entry's number; 0 for an empty journal
	Last       uint64 // number of the newest entry; 0 for an empty journal
	Checkpoint Mark
}

// Stats reads the directory and the newest segment. It takes no lock.
func (j *Journal) Stats() (Stats, error) {
	st := Stats{Dir: j.dir}
	var err error
	if st.Checkpoint, err = j.Checkpointed(); err != nil {
		return st, err
	}
	all, err := j.segments()
	if err != nil || len(all) == 0 {
		return st, err
	}
	for _, segment := range all {
		fi, err := j.fs.stat(j.path(segment))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return st, failure("reading the journal file", j.path(segment), err)
		}
		st.Segments++
		st.Bytes += fi.Size()
	}
	newest := all[len(all)-1]
	c, err := j.surveyClosed(newest, all)
	if err != nil {
		return st, err
	}
	st.Last = max(c.last, newest-1)
	if st.Last > 0 {
		st.First = all[0]
	}
	return st, nil
}
