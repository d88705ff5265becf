package journal

import (
	"errors"
	"io/fs"
)

// Trim removes the oldest segments beyond KeepBytes, only such as lie wholly
// before the checkpoint. Append calls it for each new segment.
func (j *Journal) Trim() error {
	j.held.Lock()
	defer j.held.Unlock()
	return j.trim()
}

func (j *Journal) trim() error {
	all, err := j.segments()
	if err != nil || len(all) < 2 {
		return err
	}
	cp, err := j.Checkpointed()
	if err != nil {
		return err
	}
	sizes := make([]int64, len(all))
	total := int64(0)
	for i, segment := range all {
		fi, err := j.fs.stat(j.path(segment))
		if err != nil {
			return failure("reading the journal file", j.path(segment), err)
		}
		sizes[i] = fi.Size()
		total += sizes[i]
	}
	removed := false
	for i := 0; i < len(all)-1 && total > j.o.KeepBytes && all[i+1] <= cp.Seq+1; i++ {
		if !removed {
			// What is removed on the word of a checkpoint must not be gone before it is durable.
			if err := j.fs.syncDir(j.dir); err != nil {
				return failure("making the journal directory durable", j.dir, err)
			}
		}
		if err := j.fs.remove(j.path(all[i])); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failure("removing the journal file", j.path(all[i]), err)
		}
		total -= sizes[i]
		removed = true
	}
	if !removed {
		return nil
	}
	return failure("making the journal directory durable", j.dir, j.fs.syncDir(j.dir))
}
