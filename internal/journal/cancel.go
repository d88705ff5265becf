package journal

import (
	"errors"
	"fmt"
	"slices"
)

// Done notes that every entry up to through is in a version of the table. It is
// written, not synced: what is lost of it is found to be applied by the next
// holder. A note that cannot be written is kept and written by the next Append.
func (j *Journal) Done(through uint64, version int64) error {
	j.held.Lock()
	defer j.held.Unlock()
	if err := j.ready(); err != nil {
		return err
	}
	h := &j.head
	if through >= h.next {
		return fmt.Errorf("entry %d is not in the journal, which ends at %d", through, h.next-1)
	}
	if h.active == nil {
		return nil
	}
	h.done = max(h.done, through)
	h.undone = slices.DeleteFunc(h.undone, func(it item) bool { return it.seq <= h.done })
	m := mark{through, version}
	if h.suspect == h.segment || h.end == 0 {
		h.owed = m
		return nil
	}
	buf := appendDone(nil, seed(h.segment), m)
	if err := j.write(h.active, buf, h.end); err != nil {
		h.owed = m
		return j.undo(failure("writing to the journal file", j.path(h.segment), err))
	}
	h.end += int64(len(buf))
	h.owed = mark{}
	return nil
}

// Cancel takes back the entries from a number on that were appended since the last
// Catch and are not done. When it fails they may still take effect.
func (j *Journal) Cancel(from uint64) error {
	j.held.Lock()
	defer j.held.Unlock()
	if err := j.ready(); err != nil {
		return fmt.Errorf("%w: %w", ErrInDoubt, err)
	}
	h := &j.head
	if from >= h.next {
		return nil
	}
	i := slices.IndexFunc(h.undone, func(it item) bool { return it.seq == from })
	if from < h.caught || i < 0 {
		return fmt.Errorf("entry %d cannot be taken back: it is done, or was not appended by this holder of the lock", from)
	}
	at := h.undone[i]
	for h.segment > at.segment {
		if err := j.drop(at.segment); err != nil {
			return errors.Join(fmt.Errorf("%w: %w", ErrInDoubt, err), j.forget())
		}
	}
	if err := j.cut(at.off); err != nil {
		return errors.Join(err, j.forget())
	}
	h.end, h.next, h.undone = at.off, from, h.undone[:i]
	return nil
}

// drop removes the active segment, which holds nothing but entries to be taken
// back, and goes back to the one before, at the latest to the segment given.
func (j *Journal) drop(back uint64) error {
	h := &j.head
	all, err := j.segments()
	if err != nil {
		return err
	}
	i, found := slices.BinarySearch(all, h.segment)
	if !found || i == 0 || all[i-1] < back {
		return fmt.Errorf("journal file %s: %w", j.path(h.segment), ErrNotHeld)
	}
	if err := j.fs.remove(j.path(h.segment)); err != nil {
		return failure("removing the journal file", j.path(h.segment), err)
	}
	if err := j.fs.syncDir(j.dir); err != nil {
		return failure("making the journal directory durable", j.dir, err)
	}
	return j.activate(all[i-1])
}
