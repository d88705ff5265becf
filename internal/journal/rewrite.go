package journal

import (
	"bufio"
	"errors"
	"io"
)

// Rewrite gives every entry to edit, oldest first, and writes the segments in which
// edit changed something anew; it returns how many entries those were. edit may get
// an entry twice, each time as it was. Numbers and done notes stay.
//
// It is for erasing: a segment with bytes that are no frame of it, damaged ones or
// what could not be taken back once, is written anew without them, for what they
// hold cannot be edited. Readers see a segment as it was or as it is. After an
// error some segments may be done and others not; repeating does the rest.
func (j *Journal) Rewrite(edit func(*Entry) (changed bool)) (int, error) {
	j.held.Lock()
	defer j.held.Unlock()
	if err := j.ready(); err != nil {
		return 0, err
	}
	all, err := j.segments()
	if err != nil {
		return 0, err
	}
	total := 0
	for _, segment := range all {
		n, err := j.rewrite(segment, all, edit)
		total += n
		if err != nil {
			return total, errors.Join(err, j.forget())
		}
	}
	if len(all) > 0 {
		// Also what an earlier call replaced, and could not make durable.
		err = failure("making the journal directory durable", j.dir, j.fs.syncDir(j.dir))
	}
	// The active file may have been replaced.
	return total, errors.Join(err, j.forget(), j.catch())
}

func (j *Journal) rewrite(segment uint64, all []uint64, edit func(*Entry) bool) (changed int, err error) {
	f, err := j.openSegment(segment)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	count := func(e *Entry) bool {
		if edit(e) {
			changed++
			return true
		}
		return false
	}
	// First only look: most segments need no writing.
	whole, err := j.copy(io.Discard, f, segment, all, count)
	if err != nil {
		return 0, err
	}
	if whole && changed == 0 {
		return 0, nil
	}
	err = j.replace(j.path(segment), func(w io.Writer) error {
		b := bufio.NewWriterSize(w, window)
		if _, err := j.copy(b, f, segment, all, edit); err != nil {
			return err
		}
		return b.Flush()
	})
	if err != nil {
		return 0, err
	}
	if !whole {
		j.o.Logger.Warn("left out what nobody could read when a journal file was written anew", "file", j.path(segment))
	}
	return changed, nil
}

// copy writes the segment with every entry edited. whole tells that no byte had to
// be left out.
func (j *Journal) copy(w io.Writer, f file, segment uint64, all []uint64, edit func(*Entry) bool) (whole bool, err error) {
	s, err := j.scan(f, segment, all)
	if err != nil {
		return false, err
	}
	if _, err := io.WriteString(w, magic); err != nil {
		return false, err
	}
	taken := emptySize
	var buf []byte
	for {
		fr, err := s.next()
		switch hole := (*Damage)(nil); {
		case errors.As(err, &hole):
			continue
		case errors.Is(err, io.EOF), errors.Is(err, errTorn):
			return taken == s.size, nil
		case err != nil:
			return false, err
		}
		body := fr.body
		if fr.kind.entry() {
			e, err := decodeEntry(fr)
			if err != nil {
				continue // nobody can read it
			}
			if edit(&e) {
				e.Seq = fr.seq
				if body, err = encodeEntry(&e); err != nil {
					return false, err
				}
			}
		}
		taken += fr.end - fr.off
		buf = appendFrame(buf[:0], s.seed, fr.kind, fr.seq, body)
		if _, err := w.Write(buf); err != nil {
			return false, err
		}
	}
}
