package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Append adds entries, sets their Seq, At and Boot, and returns when all of them are
// on the disk: one write and one sync, however many they are. After an error none
// of them is in the journal, unless the error is ErrInDoubt; a later call works
// again once the cause is gone.
func (j *Journal) Append(entries ...*Entry) (err error) {
	if len(entries) == 0 {
		return nil
	}
	j.held.Lock()
	defer j.held.Unlock()
	if err := j.ready(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			for _, e := range entries {
				e.Seq = 0
			}
		}
	}()
	bodies, err := j.bodies(entries)
	if err != nil {
		return err
	}
	h := &j.head
	size := h.end
	for _, b := range bodies {
		size += int64(fixedLen + len(b))
	}
	if h.active == nil || h.suspect || (size > j.o.SegmentBytes && h.end > int64(len(magic))) {
		return j.begin(bodies)
	}
	buf, places := j.group(h.segment, h.end, bodies)
	if err := j.write(h.active, buf, h.end); err != nil {
		return j.undo(failure("writing to the journal file", j.path(h.segment), err))
	}
	if err := h.active.Sync(); err != nil {
		h.suspect = true
		return j.undo(failure("making the journal file durable", j.path(h.segment), err))
	}
	j.appended(h.end+int64(len(buf)), places)
	return nil
}

func (j *Journal) bodies(entries []*Entry) ([][]byte, error) {
	now := j.o.Now().UTC()
	bodies := make([][]byte, len(entries))
	for i, e := range entries {
		e.Seq, e.At, e.Boot = j.head.next+uint64(i), now, j.o.Boot
		var err error
		if bodies[i], err = encodeEntry(e); err != nil {
			return nil, err
		}
	}
	return bodies, nil
}

// group is what one Append writes at an offset of a segment.
func (j *Journal) group(segment uint64, at int64, bodies [][]byte) ([]byte, []item) {
	var buf []byte
	if at == 0 {
		buf = append(buf, magic...)
	}
	check := seed(segment)
	if j.head.owed != (mark{}) {
		buf = appendDone(buf, check, j.head.owed)
	}
	places := make([]item, len(bodies))
	k := first
	for i, b := range bodies {
		seq := j.head.next + uint64(i)
		places[i] = item{seq: seq, segment: segment, off: at + int64(len(buf))}
		buf = appendFrame(buf, check, k, seq, b)
		k = further
	}
	return buf, places
}

func (j *Journal) appended(end int64, places []item) {
	h := &j.head
	h.end, h.owed = end, mark{}
	h.next += uint64(len(places))
	h.undone = append(h.undone, places...)
}

func (j *Journal) write(f file, buf []byte, at int64) error {
	n, err := f.WriteAt(buf, at)
	if err == nil && n < len(buf) {
		err = fmt.Errorf("only %d of %d bytes were written", n, len(buf))
	}
	return err
}

// undo makes the active segment end where it did. The cut is synced too, or a
// power cut could bring back what the caller was told had failed.
func (j *Journal) undo(cause error) error {
	h := &j.head
	if err := h.active.Truncate(h.end); err != nil {
		h.suspect = true
		return errors.Join(cause, fmt.Errorf("%w: %w", ErrInDoubt, failure("cutting the journal file", j.path(h.segment), err)))
	}
	if err := h.active.Sync(); err != nil {
		h.suspect = true
	}
	return cause
}

// begin starts a new segment with a group.
func (j *Journal) begin(bodies [][]byte) error {
	h := &j.head
	if err := makeDir(j.fs, j.dir); err != nil {
		return failure("creating the journal directory", j.dir, err)
	}
	if h.active != nil && !h.suspect {
		// What it holds of others, or of done frames, was perhaps never synced, and
		// nobody will after this.
		if err := h.active.Sync(); err != nil {
			h.suspect = true
			return failure("making the journal file durable", j.path(h.segment), err)
		}
	}
	path := j.path(h.next)
	if h.active != nil && h.segment == h.next {
		// The suspect segment holds no entry.
		if err := j.fs.remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failure("removing the journal file", path, err)
		}
	}
	f, err := j.fs.open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("creating the journal file %s: %w", path, ErrNotHeld)
	}
	if err != nil {
		return failure("creating the journal file", path, err)
	}
	segment := h.next
	buf, places := j.group(segment, 0, bodies)
	if err := j.fill(f, path, buf); err != nil {
		return err
	}
	if h.active != nil {
		if err := h.active.Close(); err != nil {
			j.o.Logger.Warn("closing a journal file", "file", j.path(h.segment), "err", err)
		}
	}
	h.active, h.segment, h.suspect = f, segment, false
	j.appended(int64(len(buf)), places)
	if err := j.trim(); err != nil {
		j.o.Logger.Warn("the journal could not be shortened", "err", err)
	}
	return nil
}

// fill writes a new segment and makes it and its name durable, or removes it.
func (j *Journal) fill(f file, path string, buf []byte) error {
	cause := failure("writing to the journal file", path, j.write(f, buf, 0))
	if cause == nil {
		cause = failure("making the journal file durable", path, f.Sync())
	}
	if cause == nil {
		cause = failure("making the journal directory durable", j.dir, j.fs.syncDir(j.dir))
	}
	if cause == nil {
		return nil
	}
	_ = f.Close()
	if err := j.fs.remove(path); err != nil {
		return errors.Join(cause, fmt.Errorf("%w: %w", ErrInDoubt, failure("removing the journal file", path, err)), j.forget())
	}
	_ = j.fs.syncDir(j.dir)
	return cause
}

// ready makes sure that the head is known and nobody else moved it.
func (j *Journal) ready() error {
	h := &j.head
	if !h.known {
		return j.catch()
	}
	if h.active == nil || h.suspect {
		return nil
	}
	fi, err := h.active.Stat()
	if err != nil {
		return failure("reading the journal file", j.path(h.segment), err)
	}
	if !j.unchanged() || fi.Size() != h.end {
		return errors.Join(fmt.Errorf("journal file %s: %w", j.path(h.segment), ErrNotHeld), j.forget())
	}
	return nil
}

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
	if h.suspect || h.end == 0 {
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
	path := j.path(h.segment)
	err := h.active.Truncate(at.off)
	if err == nil {
		err = h.active.Sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%w: %w", ErrInDoubt, failure("cutting the journal file", path, err)), j.forget())
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
