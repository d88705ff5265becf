package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Catch is called after taking the lock. It reads what other processes appended
// since the last time, cuts a tail that a dying one left torn, and returns the
// entries that are not known to be applied, oldest first.
func (j *Journal) Catch() ([]Entry, error) {
	j.held.Lock()
	defer j.held.Unlock()
	if err := j.catch(); err != nil {
		return nil, errors.Join(err, j.forget())
	}
	return j.unapplied()
}

func (j *Journal) catch() error {
	all, err := j.segments()
	if err != nil {
		return err
	}
	h := &j.head
	if i, found := slices.BinarySearch(all, h.segment); h.known && found && j.unchanged() {
		err = j.follow(all, i)
	} else {
		err = j.learn(all)
	}
	if err != nil {
		return err
	}
	h.undone = slices.DeleteFunc(h.undone, func(it item) bool { return it.seq <= h.done })
	if h.owed.through <= h.done {
		h.owed = mark{}
	}
	h.done = max(h.done, h.owed.through)
	h.caught, h.known = h.next, true
	return nil
}

// unchanged tells whether the segment known as the newest is still the same file
// and not shorter. Rewrite puts another file in its place.
func (j *Journal) unchanged() bool {
	h := &j.head
	if h.active == nil {
		return false
	}
	now, err := j.fs.stat(j.path(h.segment))
	if err != nil {
		return false
	}
	then, err := h.active.Stat()
	return err == nil && os.SameFile(now, then) && now.Size() >= h.end
}

// follow reads on from what is known; all[i] is the segment known as the newest.
func (j *Journal) follow(all []uint64, i int) error {
	for ; i < len(all); i++ {
		from := int64(0)
		if all[i] == j.head.segment {
			from = j.head.end
		} else if err := j.activate(all[i]); err != nil {
			return err
		}
		c, err := j.survey(j.head.active, all[i], all, from, j.head.next-1)
		if err != nil {
			return err
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
	h.next, h.done = next, cp.Seq
	if len(all) == 0 {
		return nil
	}
	if err := j.sweep(); err != nil {
		return err
	}
	last := len(all) - 1
	if err := j.activate(all[last]); err != nil {
		return err
	}
	c, err := j.survey(h.active, all[last], all, 0, 0)
	if err != nil {
		return err
	}
	h.next = max(h.next, all[last])
	if err := j.take(c, true); err != nil {
		return err
	}
	for i := last - 1; i >= 0 && all[i+1] > h.done+1; i-- {
		c, err := j.surveyClosed(all[i], all)
		if err != nil {
			return err
		}
		newer := h.undone
		h.undone = nil
		j.note(c)
		h.undone = append(h.undone, newer...)
	}
	return nil
}

// activate makes a segment the one that is appended to.
func (j *Journal) activate(segment uint64) error {
	f, err := j.fs.open(j.path(segment), os.O_RDWR)
	if err != nil {
		return failure("opening the journal file", j.path(segment), err)
	}
	if j.head.active != nil {
		err = j.head.active.Close()
	}
	j.head.active, j.head.segment, j.head.end, j.head.suspect = f, segment, 0, false
	return err
}

// take makes what was read of the active segment known. The newest one's tail is cut.
func (j *Journal) take(c content, newest bool) error {
	h := &j.head
	h.end = c.end
	j.note(c)
	if !newest || !c.torn {
		return nil
	}
	path := j.path(h.segment)
	fi, err := h.active.Stat()
	if err != nil {
		return failure("reading the journal file", path, err)
	}
	if err := h.active.Truncate(c.end); err != nil {
		return failure("cutting the torn end of the journal file", path, err)
	}
	j.o.Logger.Warn("cut what was not written to its end when its process died", "file", path, "offset", c.end, "bytes", fi.Size()-c.end)
	return nil
}

func (j *Journal) note(c content) {
	h := &j.head
	h.next = max(h.next, c.last+1)
	for _, m := range c.marks {
		h.done = max(h.done, m.through)
	}
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

// sweep removes files that a process left half made when it died.
func (j *Journal) sweep() error {
	names, err := j.fs.list(j.dir)
	if err != nil {
		return failure("reading the journal directory", j.dir, err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, tempSuffix) {
			continue
		}
		path := filepath.Join(j.dir, name)
		if err := j.fs.remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failure("removing the unfinished file", path, err)
		}
	}
	return nil
}

// unapplied reads the entries of head.undone.
func (j *Journal) unapplied() ([]Entry, error) {
	var entries []Entry
	var open file
	var s *scanner
	for _, it := range j.head.undone {
		if s == nil || s.path != j.path(it.segment) {
			if open != nil {
				_ = open.Close()
			}
			var err error
			if open, err = j.openSegment(it.segment); err != nil {
				return nil, err
			}
			defer open.Close()
			if s, err = j.scan(open, it.segment, nil); err != nil {
				return nil, err
			}
		}
		e, err := s.entryAt(it.off)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// entryAt reads the entry that a survey found at off.
func (s *scanner) entryAt(off int64) (Entry, error) {
	f, ok, err := s.frameAt(off)
	if err != nil {
		return Entry{}, err
	}
	if !ok {
		return Entry{}, errGone
	}
	e, err := decodeEntry(f)
	if err != nil {
		return Entry{}, &Damage{File: s.path, Offset: off, Bytes: f.end - f.off}
	}
	return e, nil
}
