package journal

import (
	"errors"
	"io/fs"
	"slices"
)

// Catch is called after taking the lock. It reads what other processes appended
// since the last time, cuts a tail that a dying one left torn, and returns the
// entries that are not known to be applied, oldest first.
func (j *Journal) Catch() ([]Entry, error) {
	j.held.Lock()
	defer j.held.Unlock()
	if err := j.catch(); err != nil {
		return nil, err
	}
	undone, err := j.unapplied()
	if errors.Is(err, errGone) || errors.Is(err, fs.ErrNotExist) {
		// A Rewrite by another process moved what this one remembers, or a checkpoint
		// had it removed.
		if err := errors.Join(j.forget(), j.catch()); err != nil {
			return nil, err
		}
		undone, err = j.unapplied()
	}
	if err != nil {
		return nil, err
	}
	j.head.caught, j.head.marks = j.head.next, nil
	return undone, nil
}

func (j *Journal) catch() error {
	h := &j.head
	news := !h.known || !j.still()
	if news {
		if err := j.read(); err != nil {
			return errors.Join(err, j.forget())
		}
	}
	if h.owed.through <= h.noted {
		h.owed = mark{}
	}
	h.done = max(h.done, h.owed.through)
	h.undone = slices.DeleteFunc(h.undone, func(it item) bool { return it.seq <= h.done })
	if news {
		if err := j.secure(); err != nil {
			return errors.Join(err, j.forget())
		}
	}
	if h.caught == 0 {
		h.caught = h.next
	}
	h.known = true
	return nil
}

// secure makes durable what others left undone: a process may have died between
// writing and syncing it, and what is handed out has to stay.
func (j *Journal) secure() error {
	h := &j.head
	if len(h.undone) == 0 || h.undone[len(h.undone)-1].segment != h.segment {
		return nil
	}
	if err := h.active.Sync(); err != nil {
		h.suspect = h.segment
		return failure("making the journal file durable", j.path(h.segment), err)
	}
	return j.name()
}

// name makes the name of the active segment durable, which the process that made
// it may not have lived to do.
func (j *Journal) name() error {
	if j.head.named {
		return nil
	}
	if err := j.makeDir(); err != nil {
		return err
	}
	if err := j.fs.syncDir(j.dir); err != nil {
		return failure("making the journal directory durable", j.dir, err)
	}
	j.head.named = true
	return nil
}

// still tells by two looks at the directory that nothing was appended. A segment
// after this one could only begin with the next number.
func (j *Journal) still() bool {
	h := &j.head
	if size, ok, err := j.same(); err != nil || !ok || size != h.end {
		return false
	}
	if h.segment == h.next {
		return true
	}
	_, err := j.fs.stat(j.path(h.next))
	return errors.Is(err, fs.ErrNotExist)
}

// same tells whether the active segment is still the file of its name, which it is
// not after a Rewrite by another process, and how long it is.
func (j *Journal) same() (size int64, same bool, err error) {
	h := &j.head
	if h.active == nil {
		return 0, false, nil
	}
	fi, err := j.fs.stat(j.path(h.segment))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, failure("reading the journal file", j.path(h.segment), err)
	}
	return fi.Size(), j.fs.same(fi, h.id), nil
}

// unapplied reads the entries of head.undone.
func (j *Journal) unapplied() (entries []Entry, err error) {
	var f file
	var s *scanner
	defer func() {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	for _, it := range j.head.undone {
		if s == nil || s.path != j.path(it.segment) {
			if f != nil {
				_ = f.Close() // it was only read
			}
			if f, err = j.openSegment(it.segment); err != nil {
				return nil, err
			}
			if s, err = j.scan(f, it.segment, nil); err != nil {
				return nil, err
			}
		}
		e, err := s.entryAt(it)
		if unreadable := (*Damage)(nil); errors.As(err, &unreadable) {
			j.o.Logger.Error(err.Error()) // it cannot become better by waiting
			continue
		}
		if err != nil {
			return nil, failure("reading the journal file", s.path, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// entryAt reads an entry that a survey found.
func (s *scanner) entryAt(it item) (Entry, error) {
	if s.back {
		if _, err := s.view(it.off, int(it.end-it.off)); err != nil {
			return Entry{}, err
		}
	}
	f, ok, err := s.frameAt(it.off)
	if err != nil {
		return Entry{}, err
	}
	if !ok || !f.kind.entry() || f.seq != it.seq {
		return Entry{}, errGone
	}
	e, err := decodeEntry(f)
	if err != nil {
		return Entry{}, &Damage{File: s.path, Offset: f.off, Bytes: f.end - f.off, First: f.seq, Last: f.seq}
	}
	return e, nil
}
