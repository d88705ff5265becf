package archive

import (
	"bytes"
	"errors"
	"io"
)

const (
	// maxElement bounds one row of a file. A text of a megabyte, three more times
	// in its metadata, quoted twice, stays below.
	maxElement = 32 << 20
	readAhead  = 1 << 20
	readLeast  = 32 << 10
)

// input is a file with as much of it in memory as is looked at.
type input struct {
	r    io.Reader
	buf  []byte
	pos  int   // what comes next is buf[pos:]
	read int64 // bytes taken from r
	line int   // of buf[pos], from 1
	err  error // of r; io.EOF at its end
}

func newInput(r io.Reader) *input { return &input{r: r, line: 1} }

// offset is how many bytes were consumed.
func (in *input) offset() int64 { return in.read - int64(len(in.buf)-in.pos) }

// more reads on; false at the end.
func (in *input) more() bool {
	if in.err != nil {
		return false
	}
	if in.pos > 0 {
		in.buf = in.buf[:copy(in.buf, in.buf[in.pos:])]
		in.pos = 0
	}
	from := len(in.buf)
	if cap(in.buf)-from < readLeast {
		// Doubled, so that a long row costs no more than twice its size.
		in.buf = append(make([]byte, 0, max(4*readLeast, 2*from)), in.buf...)
	}
	for idle := 0; ; idle++ {
		n, err := in.r.Read(in.buf[from:cap(in.buf)])
		in.buf, in.read = in.buf[:from+n], in.read+int64(n)
		switch {
		case err != nil:
			in.err = err
			return n > 0
		case n > 0:
			return true
		case idle > 100:
			in.err = io.ErrNoProgress
			return false
		}
	}
}

// at is the byte i places ahead; false past the end.
func (in *input) at(i int) (byte, bool) {
	for in.pos+i >= len(in.buf) {
		if !in.more() {
			return 0, false
		}
	}
	return in.buf[in.pos+i], true
}

// ahead is up to n bytes of what comes next.
func (in *input) ahead(n int) []byte {
	for len(in.buf)-in.pos < n && in.more() {
	}
	return in.buf[in.pos:min(in.pos+n, len(in.buf))]
}

// take consumes n bytes, which stay valid until the next call of anything else.
func (in *input) take(n int) []byte {
	b := in.buf[in.pos : in.pos+n]
	in.pos += n
	in.line += bytes.Count(b, []byte{'\n'})
	return b
}

// space consumes white space and whatever else is in also.
func (in *input) space(also string) {
	for {
		c, ok := in.at(0)
		if !ok || !(isSpace(c) || bytes.IndexByte([]byte(also), c) >= 0) {
			return
		}
		in.take(1)
	}
}

// lineLength measures the line that comes next, up to a little over maxElement.
func (in *input) lineLength() int {
	for n := 0; ; n++ {
		if c, ok := in.at(n); !ok || c == '\n' || n > maxElement {
			return n
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// failure is why r ended before its end; nil at io.EOF.
func (in *input) failure() error {
	if in.err == nil || errors.Is(in.err, io.EOF) {
		return nil
	}
	return in.err
}
