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
	h := &j.head
	before := h.owed
	h.owed = mark{through, version}
	if err := j.ready(); err != nil {
		return err
	}
	if through >= h.next {
		err := fmt.Errorf("entry %d is not in the journal, which ends at %d", through, h.next-1)
		h.owed = before
		return errors.Join(err, j.forget())
	}
	if h.active == nil {
		h.owed = mark{}
		return nil
	}
	h.done = max(h.done, through)
	h.undone = slices.DeleteFunc(h.undone, func(it item) bool { return it.seq <= h.done })
	return j.mark(mark{through, version})
}

// mark writes a done frame.
func (j *Journal) mark(m mark) error {
	h := &j.head
	// Behind what could not be cut off there is no place for it.
	if size, same, err := j.same(); err != nil || !same || size != h.end || h.end == 0 {
		h.owed = m
		return err
	}
	buf := appendDone(nil, seed(h.segment), m)
	if err := j.write(h.active, buf, h.end); err != nil {
		h.owed = m
		return j.undo(failure("writing to the journal file", j.path(h.segment), err))
	}
	h.marks = append(h.marks, placed{m, h.segment, h.end})
	h.end += int64(len(buf))
	h.owed, h.noted = mark{}, max(h.noted, m.through)
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
	// What was noted behind the entries goes with them, and is still true.
	var again []placed
	if k := slices.IndexFunc(h.marks, func(p placed) bool { return p.segment > at.segment || (p.segment == at.segment && p.off >= at.off) }); k >= 0 {
		again = slices.Clone(h.marks[k:])
		h.marks, h.owed, h.noted = h.marks[:k], again[len(again)-1].mark, 0
	}
	h.next, h.undone = from, h.undone[:i]
	for h.active != nil && (h.segment > at.segment || (h.segment == at.segment && at.off <= emptySize)) {
		if err := j.drop(); err != nil {
			return errors.Join(fmt.Errorf("%w: %w", ErrInDoubt, err), j.forget())
		}
	}
	if h.active != nil && h.segment == at.segment {
		if err := j.cut(at.off); err != nil {
			return errors.Join(err, j.forget())
		}
		h.end = at.off
	} else if err := errors.Join(j.forget(), j.catch()); err != nil {
		j.o.Logger.Warn("reading the journal after taking entries back", "err", err) // the next use tries again
	}
	for _, p := range again {
		if err := j.mark(p.mark); err != nil {
			j.o.Logger.Warn("noting what is applied", "err", err)
		}
	}
	return nil
}

// drop removes the active segment, which holds nothing but entries to be taken
// back, and goes back to the one before. It is emptied first: empty segments count
// as absent, should a power cut bring it back or removing it fail.
func (j *Journal) drop() error {
	h := &j.head
	if err := j.cut(0); err != nil {
		return err
	}
	if err := j.discard(h.segment); err != nil {
		j.o.Logger.Warn("an empty journal file stays", "err", err)
	}
	all, err := j.segments()
	if err != nil {
		return err
	}
	if i, _ := slices.BinarySearch(all, h.segment); i > 0 {
		return j.activate(all[i-1])
	}
	return j.drain()
}
