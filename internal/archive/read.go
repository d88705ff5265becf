package archive

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"
)

// Reader reads a file of any of the formats, row by row. It is for one goroutine.
type Reader struct {
	in     *input
	format Format
	header Header
	rows   rowReader
	lost   bool // what comes next is the rest of something broken
	done   bool

	items   int // rows and what should have been one, of the section
	sum     hash.Hash
	trailer *trailerLine
	stated  int // the count a JSON document states; -1 without
	notes   []string
}

// Item is one row of a file, or what stands in its place.
type Item struct {
	// Line is where it begins, from 1.
	Line int
	// Raw is what the file has there, valid until the next call of Next.
	Raw []byte
	Row Row
	// Err is why there is no row; nil if there is one.
	Err error
}

// ErrNoRows says that a file holds no list of memories.
var ErrNoRows = errors.New("no memories in it: it is neither rows on lines nor a JSON document with a list of them")

// oldScale finds an importance of the scale from 1 to 5 as a member of a row.
var oldScale = regexp.MustCompile(`"importance"\s*:\s*[2-5]\s*[,}]`)

// NewReader looks at the beginning of a file. What its header says is known then.
func NewReader(r io.Reader) (*Reader, error) {
	f := &Reader{in: newInput(r), sum: sha256.New(), stated: -1}
	if bytes.HasPrefix(f.in.ahead(3), []byte("\xef\xbb\xbf")) {
		f.in.take(3)
	}
	f.rows.legacy = oldScale.Match(f.in.ahead(readAhead))
	f.in.space("")
	first, ok := f.in.at(0)
	if !ok {
		return f, f.in.failure()
	}
	switch first {
	case '[':
		f.format = JSON
		f.in.take(1)
		return f, nil
	case '{':
		f.format = Lines
		if bytes.HasPrefix(f.in.ahead(len(markPrefix)), []byte(markPrefix)) && f.mark(f.in.lineLength()) {
			return f, nil
		}
		return f, f.prologue()
	}
	return f, ErrNoRows
}

// UseVectors makes rows come with their vectors.
func (f *Reader) UseVectors() { f.rows.vectors = true }

// Format is Lines until a header or a trailer was read.
func (f *Reader) Format() Format { return f.format }

// Header is what the file says about itself.
func (f *Reader) Header() Header { return f.header }

// Offset is how many bytes were read, for telling progress.
func (f *Reader) Offset() int64 { return f.in.offset() }

// Notes are remarks about the file as a whole, complete after the last row.
func (f *Reader) Notes() []string { return f.notes }

func (f *Reader) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// Next gives the next row. At the end it is io.EOF; any other error is of
// reading the file, and nothing comes after it.
func (f *Reader) Next() (Item, error) {
	for !f.done {
		next := f.nextLine
		if f.format == JSON {
			next = f.element
		}
		if item, ok := next(); ok {
			f.items++
			return item, nil
		}
	}
	if err := f.in.failure(); err != nil {
		return Item{}, err
	}
	return Item{}, io.EOF
}

// item decodes n bytes.
func (f *Reader) item(n int) Item {
	it := Item{Line: f.in.line}
	it.Raw = f.in.take(n)
	it.Row, it.Err = f.rows.decode(it.Raw)
	return it
}

// broken is n bytes that cannot be read.
func (f *Reader) broken(n int, why error) Item {
	it := Item{Line: f.in.line, Err: why}
	it.Raw = bytes.TrimRight(f.in.take(n), " \t\r\n,")
	return it
}
