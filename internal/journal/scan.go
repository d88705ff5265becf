package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// errTorn ends the scan of the newest segment at something that was being written
// when its writer died: scanner.off is the end of the last whole frame.
var errTorn = errors.New("torn tail")

const window = 64 << 10

// scanner reads the frames of one segment in order, holding one at a time.
type scanner struct {
	r      io.ReaderAt
	path   string
	size   int64
	seed   uint32
	newest bool   // the segment is the last one: what is unreadable at its end is torn
	limit  uint64 // number the next segment begins with, else the largest; entries from there on were taken back

	off  int64  // of the next frame
	last uint64 // number of the last entry
	buf  []byte
	at   int64 // of buf in the file
	back bool  // what is asked for next lies before what was asked for last
}

// start checks the header. A damaged one becomes part of the first hole: the file's
// name alone says what the frames are checked against.
func (s *scanner) start() error {
	head, err := s.view(0, len(magic))
	if err != nil {
		return err
	}
	if string(head) == magic {
		s.off = int64(len(magic))
		return nil
	}
	if bytes.HasPrefix(head, []byte(magicPrefix)) && len(head) == len(magic) && head[len(magic)-1] == '\n' {
		if _, ok, err := s.frameAt(int64(len(magic))); err != nil {
			return err
		} else if !ok {
			return failure("reading the journal file", s.path, ErrNewer)
		}
	}
	return nil
}

// next returns the next frame; *Damage for a hole, after which it can be called
// again; errTorn or io.EOF at the end; or the error of a read.
func (s *scanner) next() (frame, error) {
	for s.off < s.size {
		f, ok, err := s.frameAt(s.off)
		if err != nil {
			return frame{}, err
		}
		if !ok {
			hole, err := s.skip()
			if err != nil {
				return frame{}, err
			}
			if hole.First > hole.Last {
				continue // no number is missing: nothing in it was ever acknowledged
			}
			return frame{}, hole
		}
		s.off = f.end
		if f.kind.entry() {
			s.last = f.seq
			if f.seq >= s.limit {
				continue
			}
		}
		return f, nil
	}
	return frame{}, io.EOF
}

// skip moves past a hole.
func (s *scanner) skip() (*Damage, error) {
	f, ok, err := s.resume(s.off + 1)
	if err != nil {
		return nil, err
	}
	if !ok {
		if s.newest {
			return nil, errTorn
		}
		f.off = s.size
	}
	next, err := s.nextNumber(f)
	if err != nil {
		return nil, err
	}
	d := &Damage{File: s.path, Offset: s.off, Bytes: f.off - s.off, First: s.last + 1, Last: next - 1}
	s.off = f.off
	return d, nil
}

// nextNumber is the number of the first entry from a frame on, or what it would be.
func (s *scanner) nextNumber(f frame) (uint64, error) {
	next := s.last + 1
	for ok, err := f.kind != 0, error(nil); ok; f, ok, err = s.frameAt(f.end) {
		switch {
		case err != nil:
			return 0, err
		case f.kind.entry():
			return min(f.seq, s.limit), nil
		}
		next = max(next, f.seq+1) // what is done was there
	}
	if !s.newest {
		next = s.limit
	}
	return min(next, s.limit), nil
}

// resume finds the frame to go on with after a hole, if there is one. In the newest
// segment there must be proof that the hole was once synced: a frame that is only
// written after that (see kind). Without it everything from the hole on is torn.
func (s *scanner) resume(from int64) (found frame, ok bool, err error) {
	for {
		f, ok, err := s.find(from)
		if err != nil || !ok {
			return frame{}, false, err
		}
		if found.kind == 0 {
			found = f
		}
		if !s.newest {
			return found, true, nil
		}
		for ok {
			if f.kind != further {
				return found, true, nil
			}
			from = f.end
			if f, ok, err = s.frameAt(from); err != nil {
				return frame{}, false, err
			}
		}
	}
}

// find looks for the next whole frame at or after from.
func (s *scanner) find(from int64) (frame, bool, error) {
	for from+fixedLen < s.size {
		b, err := s.view(from+fixedLen, window)
		if err != nil {
			return frame{}, false, err
		}
		i := indexBody(b)
		if i < 0 {
			// The beginning of a body may lie across the edge of the window.
			from += int64(max(1, len(b)-len(doneStart)+1))
			continue
		}
		from += int64(i)
		if f, ok, err := s.frameAt(from); ok || err != nil {
			return f, ok, err
		}
		from++
	}
	return frame{}, false, nil
}

// indexBody is where the first body begins, -1 for none.
func indexBody(b []byte) int {
	i := bytes.Index(b, []byte(entryStart))
	if i >= 0 {
		b = b[:min(len(b), i+len(doneStart))]
	}
	if k := bytes.Index(b, []byte(doneStart)); k >= 0 && (i < 0 || k < i) {
		return k
	}
	return i
}

// frameAt returns the frame at off, false when there is no whole one.
func (s *scanner) frameAt(off int64) (frame, bool, error) {
	head, err := s.view(off, fixedLen)
	if err != nil || len(head) < fixedLen {
		return frame{}, false, err
	}
	n := int64(binary.LittleEndian.Uint32(head))
	f := frame{kind: kind(head[prefixLen]), seq: binary.LittleEndian.Uint64(head[prefixLen+1:]), off: off, end: off + prefixLen + n}
	if n < minPayload || n > maxFrame || f.end > s.size || f.kind < first || f.kind > done {
		return frame{}, false, nil
	}
	if f.kind.entry() && f.seq <= s.last {
		return frame{}, false, nil
	}
	b, err := s.view(off, int(prefixLen+n))
	if err != nil || int64(len(b)) < prefixLen+n {
		return frame{}, false, err
	}
	if crc32.Update(s.seed, castagnoli, b[prefixLen:]) != binary.LittleEndian.Uint32(b[4:]) {
		return frame{}, false, nil
	}
	f.body = b[fixedLen:]
	return f, true, nil
}

// view returns n bytes at off, fewer at the end of the file. They are valid until
// the next call.
func (s *scanner) view(off int64, n int) ([]byte, error) {
	n = int(min(int64(n), s.size-off))
	if n <= 0 {
		return nil, nil
	}
	if off < s.at || off+int64(n) > s.at+int64(len(s.buf)) {
		if err := s.fill(off, n); err != nil {
			return nil, err
		}
	}
	b := s.buf[min(off-s.at, int64(len(s.buf))):]
	return b[:min(n, len(b))], nil
}

func (s *scanner) fill(off int64, n int) error {
	from := off
	if s.back {
		from = max(0, off+int64(n)-max(int64(n), window))
	}
	want := int(min(max(off-from+int64(n), window), s.size-from))
	if cap(s.buf) < want {
		s.buf = make([]byte, want)
	}
	got, err := s.r.ReadAt(s.buf[:want], from)
	s.buf, s.at = s.buf[:got], from
	// A file that became shorter meanwhile has its end here.
	if err != nil && !errors.Is(err, io.EOF) {
		return failure("reading the journal file", s.path, err)
	}
	return nil
}
