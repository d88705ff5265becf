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
	if h.active == nil || h.suspect == h.segment || size > j.o.SegmentBytes {
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
	size := 128 // the header and a done frame
	for _, b := range bodies {
		size += fixedLen + len(b)
	}
	buf := make([]byte, 0, size)
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
		from := at + int64(len(buf))
		buf = appendFrame(buf, check, k, seq, b)
		places[i] = item{seq: seq, segment: segment, off: from, end: at + int64(len(buf))}
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

// begin starts a new segment with a group. It is complete and on the disk before it
// gets its name, so that there never is a name with something half made behind it.
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
	if fi, err := j.fs.stat(path); err == nil && fi.Size() > emptySize && h.segment != h.next {
		return errors.Join(fmt.Errorf("journal file %s: %w", path, ErrNotHeld), j.forget())
	}
	buf, places := j.group(h.next, 0, bodies)
	f, id, err := j.make(path, buf)
	if err != nil {
		return err
	}
	j.enter(f, id, h.next)
	if err := j.fs.syncDir(j.dir); err != nil {
		return errors.Join(failure("making the journal directory durable", j.dir, err), j.cut(0), j.forget())
	}
	h.suspect, h.named = 0, true
	j.appended(int64(len(buf)), places)
	if err := j.trim(); err != nil {
		j.o.Logger.Warn("the journal could not be shortened", "err", err)
	}
	return nil
}

// make writes and syncs a file under another name and renames it. After an error
// there is nothing new under its name.
func (j *Journal) make(path string, buf []byte) (file, fs.FileInfo, error) {
	temp := path + tempSuffix
	f, err := j.fs.open(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, nil, failure("creating the journal file", path, err)
	}
	id, err := j.fillIn(f, temp, path, buf)
	if err != nil {
		_ = f.Close()
		_ = j.fs.remove(temp) // else the next Catch does
		return nil, nil, err
	}
	return f, id, nil
}

func (j *Journal) fillIn(f file, temp, path string, buf []byte) (fs.FileInfo, error) {
	if err := j.write(f, buf, 0); err != nil {
		return nil, failure("writing to the journal file", path, err)
	}
	if err := f.Sync(); err != nil {
		return nil, failure("making the journal file durable", path, err)
	}
	id, err := f.Stat()
	if err != nil {
		return nil, failure("reading the journal file", path, err)
	}
	return id, failure("naming the journal file", path, j.fs.rename(temp, path))
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
