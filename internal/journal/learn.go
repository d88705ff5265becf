package journal

import (
	"errors"
	"io/fs"
	"os"
	"slices"
)

// read brings the head up to date.
func (j *Journal) read() error {
	l, err := j.list()
	if err == nil {
		err = j.sweep(l)
	}
	if err != nil {
		return err
	}
	all := l.segments
	i, found := slices.BinarySearch(all, j.head.segment)
	size, same, err := j.same()
	if err != nil {
		return err
	}
	if j.head.known && found && same && size >= j.head.end {
		return j.follow(all, i)
	}
	return j.learn(all)
}

// follow reads on from what is known; all[i] is the segment known as the newest.
func (j *Journal) follow(all []uint64, i int) error {
	h := &j.head
	for ; i < len(all); i++ {
		from, last := h.end, h.next-1
		if all[i] != h.segment {
			from = 0
			if err := j.activate(all[i]); err != nil {
				return err
			}
		}
		c, err := j.survey(h.active, all[i], all, from, last)
		if err != nil {
			return err
		}
		if c.end <= emptySize {
			return j.learn(all)
		}
		if err := j.take(c, i == len(all)-1); err != nil {
			return err
		}
	}
	return nil
}

// learn reads the journal from the newest segment back to where everything is
// known to be applied.
func (j *Journal) learn(all []uint64) error {
	cp, err := j.Checkpointed()
	if err != nil {
		return err
	}
	next := max(j.head.next, cp.Seq+1)
	if err := j.forget(); err != nil {
		return err
	}
	h := &j.head
	h.next, h.noted, h.done = next, cp.Seq, cp.Seq
	for len(all) > 0 && h.end <= emptySize {
		newest := all[len(all)-1]
		if err := j.activate(newest); err != nil {
			return err
		}
		c, err := j.survey(h.active, newest, all, 0, 0)
		if err == nil {
			err = j.take(c, true)
		}
		if err != nil {
			return err
		}
		if h.end <= emptySize {
			if err := j.discard(newest); err != nil {
				return err
			}
			all = all[:len(all)-1]
		}
	}
	if len(all) == 0 {
		return j.drain()
	}
	last := len(all) - 1
	h.next = max(h.next, all[last])
	for i := last - 1; i >= 0 && all[i+1] > h.done+1; i-- {
		c, err := j.surveyClosed(all[i], all)
		if err != nil {
			return err
		}
		newer := h.undone
		h.undone = nil
		j.learned(c)
		h.undone = append(h.undone, newer...)
	}
	return nil
}

// drain forgets the active segment, since there is none.
func (j *Journal) drain() error {
	h := &j.head
	if h.active == nil {
		return nil
	}
	err := h.active.Close()
	h.active, h.segment, h.end = nil, 0, 0
	return err
}

// activate makes a segment the one that is appended to.
func (j *Journal) activate(segment uint64) error {
	f, err := j.fs.open(j.path(segment), os.O_RDWR)
	if err != nil {
		return failure("opening the journal file", j.path(segment), err)
	}
	id, err := f.Stat()
	if err != nil {
		return errors.Join(failure("reading the journal file", j.path(segment), err), f.Close())
	}
	j.enter(f, id, segment)
	return nil
}

func (j *Journal) enter(f file, id fs.FileInfo, segment uint64) {
	h := &j.head
	if h.active != nil {
		if err := h.active.Close(); err != nil {
			j.o.Logger.Warn("closing a journal file", "file", j.path(h.segment), "err", err)
		}
	}
	h.active, h.id, h.segment, h.end, h.named = f, id, segment, 0, false
}

// take makes what was read of the active segment known. The newest one's tail is cut.
func (j *Journal) take(c content, newest bool) error {
	h := &j.head
	h.end = c.end
	j.learned(c)
	if !newest || !c.torn {
		return nil
	}
	path := j.path(h.segment)
	fi, err := h.active.Stat()
	if err != nil {
		return failure("reading the journal file", path, err)
	}
	if c.end <= emptySize {
		h.end = 0
	}
	if err := h.active.Truncate(h.end); err != nil {
		return failure("cutting the torn end of the journal file", path, err)
	}
	j.o.Logger.Warn("cut what was not written to its end when its process died", "file", path, "offset", c.end, "bytes", fi.Size()-c.end)
	return nil
}

func (j *Journal) learned(c content) {
	h := &j.head
	h.next = max(h.next, c.last+1)
	for _, m := range c.marks {
		h.noted = max(h.noted, m.through)
	}
	h.done = max(h.done, h.noted)
	for _, it := range c.items {
		if it.hole != nil {
			j.o.Logger.Error(it.hole.Error())
			continue
		}
		h.undone = append(h.undone, it)
	}
}

func (j *Journal) surveyClosed(segment uint64, all []uint64) (content, error) {
	f, err := j.openSegment(segment)
	if err != nil {
		return content{}, err
	}
	c, err := j.survey(f, segment, all, 0, 0)
	return c, errors.Join(err, f.Close())
}

// sweep removes what a process left when it died or its disk failed: segments half
// made, and such as were emptied.
func (j *Journal) sweep(l listing) error {
	for _, path := range l.temps {
		if err := j.fs.remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failure("removing the unfinished file", path, err)
		}
	}
	for _, segment := range l.empty {
		if err := j.discard(segment); err != nil {
			return err
		}
	}
	return nil
}

// discard removes an empty segment. That it is empty is synced first: a power cut
// may bring the name back, and must not bring back what was in it.
func (j *Journal) discard(segment uint64) error {
	path := j.path(segment)
	f, err := j.fs.open(path, os.O_RDWR)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err == nil {
		err = j.fs.remove(path)
	}
	return failure("removing the empty journal file", path, err)
}
