package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	if h.active == nil || h.suspect == h.segment || (size > j.o.SegmentBytes && h.end > int64(len(magic))) {
		return j.begin(bodies)
	}
	if err := j.name(); err != nil {
		return err
	}
	buf, places := j.group(h.segment, h.end, bodies)
	if err := j.write(h.active, buf, h.end); err != nil {
		return j.undo(failure("writing to the journal file", j.path(h.segment), err))
	}
	if err := h.active.Sync(); err != nil {
		h.suspect = h.segment
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
	h.noted = max(h.noted, h.owed.through)
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
	if err := j.cut(h.end); err != nil {
		return errors.Join(cause, err)
	}
	return cause
}

func (j *Journal) cut(at int64) error {
	h := &j.head
	err := h.active.Truncate(at)
	if err == nil {
		err = h.active.Sync()
	}
	if err == nil {
		return nil
	}
	h.suspect = h.segment
	return fmt.Errorf("%w: %w", ErrInDoubt, failure("cutting the journal file", j.path(h.segment), err))
}

// begin starts a new segment with a group.
func (j *Journal) begin(bodies [][]byte) error {
	h := &j.head
	if err := j.makeDir(); err != nil {
		return err
	}
	if h.active != nil && h.suspect != h.segment {
		// What it holds of others, or of done frames, was perhaps never synced, and
		// nobody will after this.
		if err := h.active.Sync(); err != nil {
			h.suspect = h.segment
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
		return errors.Join(fmt.Errorf("creating the journal file %s: %w", path, ErrNotHeld), j.forget())
	}
	if err != nil {
		return failure("creating the journal file", path, err)
	}
	segment := h.next
	buf, places := j.group(segment, 0, bodies)
	if err := j.fill(f, path, buf); err != nil {
		return err
	}
	if err := j.enter(f, segment); err != nil {
		return j.discard(f, path, err)
	}
	h.suspect, h.named = 0, true
	j.appended(int64(len(buf)), places)
	if err := j.trim(); err != nil {
		j.o.Logger.Warn("the journal could not be shortened", "err", err)
	}
	return nil
}

// fill writes a new segment and makes it and its name durable, or removes it.
func (j *Journal) fill(f file, path string, buf []byte) error {
	if err := j.write(f, buf, 0); err != nil {
		return j.discard(f, path, failure("writing to the journal file", path, err))
	}
	if err := f.Sync(); err != nil {
		return j.discard(f, path, failure("making the journal file durable", path, err))
	}
	if err := j.fs.syncDir(j.dir); err != nil {
		return j.discard(f, path, failure("making the journal directory durable", j.dir, err))
	}
	return nil
}

// discard removes a new segment. It is emptied first: should its name come back
// with a power cut, nothing is in it.
func (j *Journal) discard(f file, path string, cause error) error {
	emptied := f.Truncate(0)
	if emptied == nil {
		emptied = f.Sync()
	}
	_ = f.Close()
	removed := j.fs.remove(path)
	gone := removed
	if gone == nil {
		gone = j.fs.syncDir(j.dir)
	}
	if emptied != nil && gone != nil {
		cause = errors.Join(cause, fmt.Errorf("%w: %w", ErrInDoubt, failure("removing the journal file", path, gone)))
	}
	if removed != nil {
		cause = errors.Join(cause, j.forget()) // the next call finds it and uses it
	}
	return cause
}

// ready makes sure that the head is known and nobody else moved it.
func (j *Journal) ready() error {
	h := &j.head
	if !h.known {
		return j.catch()
	}
	if h.active == nil || h.suspect == h.segment {
		return nil
	}
	size, same, err := j.same()
	if err != nil {
		return err
	}
	if !same || size != h.end {
		return errors.Join(fmt.Errorf("journal file %s: %w", j.path(h.segment), ErrNotHeld), j.forget())
	}
	return nil
}
