package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"
	"strings"
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

// prologue looks for a list of memories in the first object. It consumes all
// before the list's first row; if there is no list, nothing.
func (f *Reader) prologue() error {
	head := map[string]json.RawMessage{}
	in := f.in
	skip := func(i int, also string) int {
		for c, ok := in.at(i); ok && (isSpace(c) || strings.IndexByte(also, c) >= 0); c, ok = in.at(i) {
			i++
		}
		return i
	}
	for i := 1; ; {
		i = skip(i, ",")
		if c, ok := in.at(i); !ok || c != '"' {
			break
		}
		n, err := in.value(i)
		if err != nil {
			break
		}
		key := string(in.buf[in.pos+i+1 : in.pos+i+n-1])
		i = skip(i+n, ":")
		if key == "memories" {
			if c, _ := in.at(i); c != '[' {
				return fmt.Errorf("its %q is no list: %w", key, ErrNoRows)
			}
			in.take(i + 1)
			f.format = JSON
			f.head(head)
			return nil
		}
		n, err = in.value(i)
		if err != nil {
			break
		}
		head[key] = bytes.Clone(in.buf[in.pos+i : in.pos+i+n])
		i += n
	}
	// Without a text it is no row either, and a document without memories in it.
	for _, key := range []string{"version", "exportedAt"} {
		if _, ok := head[key]; ok && head["text"] == nil {
			return ErrNoRows
		}
	}
	return nil
}

// head takes what a JSON document says before its rows, or after them.
func (f *Reader) head(members map[string]json.RawMessage) {
	var h struct {
		ExportedAt, Fingerprint string
		Dimensions              int
		Filters                 Filters
		Count                   *int
	}
	for key, raw := range members {
		// Member by member: one of a type nobody expects is left aside alone.
		one, _ := json.Marshal(map[string]json.RawMessage{key: raw})
		_ = json.Unmarshal(one, &h)
	}
	f.header = Header{At: unstamp(h.ExportedAt), Filters: h.Filters, Fingerprint: h.Fingerprint, Dimensions: h.Dimensions, Vectors: h.Fingerprint != ""}
	if h.Count != nil {
		f.stated = *h.Count
	}
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

// element gives the next element of the list of a JSON document. False means
// that there was none at this place.
func (f *Reader) element() (Item, bool) {
	in := f.in
	if f.lost {
		n, found := in.resync()
		in.take(len(in.ahead(n)))
		f.lost = !found && n >= maxElement
		return Item{}, false
	}
	in.space(",")
	c, ok := in.at(0)
	switch {
	case !ok:
		f.done = true
		if in.failure() == nil {
			f.note("the file ends before its list does: it was cut off")
		}
		return Item{}, false
	case c == ']':
		in.take(1)
		f.epilogue()
		return Item{}, false
	}
	n, err := in.value(0)
	if err == nil {
		return f.item(n), true
	}
	if in.failure() != nil {
		f.done = true // not the file's fault
		return Item{}, false
	}
	at, found := in.resync()
	f.lost = !found && at >= maxElement
	if found && errors.Is(err, errUnfinished) {
		err = errShape // rows follow, so it is not the file that ends
	}
	return f.broken(at, err), true
}

// epilogue reads what follows the list, and compares the count.
func (f *Reader) epilogue() {
	f.done = true
	rest := bytes.TrimSpace(f.in.ahead(readAhead))
	var after struct{ Count *int }
	if len(rest) > 1 && rest[0] == ',' {
		if json.Unmarshal(append([]byte{'{'}, rest[1:]...), &after) == nil && after.Count != nil {
			f.stated = *after.Count
		}
	}
	if f.stated >= 0 && f.stated != f.items {
		f.note("the file says that it holds %d memories; it holds %d", f.stated, f.items)
	}
}

// nextLine gives the row on the next line. False means that the line holds none.
func (f *Reader) nextLine() (Item, bool) {
	in := f.in
	in.space("")
	n := in.lineLength()
	switch {
	case n == 0:
		f.ended()
		return Item{}, false
	case n > maxElement:
		first := !f.lost
		f.lost = true
		return f.broken(n, errTooLong), first
	case f.lost: // the rest of a line that was too long
		f.lost = false
		in.take(n)
		return Item{}, false
	}
	if _, whole := in.at(n); !whole && in.failure() != nil {
		f.done = true // cut by what reads it, not by what wrote it
		return Item{}, false
	}
	if bytes.HasPrefix(in.ahead(len(markPrefix)), []byte(markPrefix)) && f.mark(n) {
		return Item{}, false
	}
	it := f.item(n)
	it.Raw = bytes.TrimRight(it.Raw, "\r")
	f.sum.Write(it.Raw)
	f.sum.Write([]byte{'\n'})
	return it, true
}

// mark reads a header or a trailer of ours. Two files one after the other are
// two sections.
func (f *Reader) mark(n int) bool {
	line := f.in.ahead(n)[:n]
	var t trailerLine
	if json.Unmarshal(line, &t) != nil || (t.Format != exportMark && t.Format != backupMark) {
		return false
	}
	if t.Version > formatVersion {
		f.note("line %d was written by a newer version; what this one knows of it is read", f.in.line)
	}
	if !t.End {
		var h headerLine
		_ = json.Unmarshal(line, &h) // it did as a trailer; what does not fit stays zero
		f.format = NDJSON
		f.header = Header{At: unstamp(h.At), Filters: h.Filters, Vectors: h.Vectors, Fingerprint: h.Fingerprint, Dimensions: h.Dimensions}
		f.items, f.trailer = 0, nil
		f.sum.Reset()
		f.in.take(n)
		return true
	}
	if t.Format == backupMark {
		f.format = Backup
		f.header.At, f.header.Database = unstamp(t.At), t.Database
	}
	switch sum := hex.EncodeToString(f.sum.Sum(nil)); {
	case t.Count != f.items:
		f.note("line %d says that %d memories come before it; there are %d", f.in.line, t.Count, f.items)
	case t.SHA256 != sum:
		f.note("the checksum on line %d does not match: rows were changed since they were written", f.in.line)
	}
	f.trailer = &t
	f.items = 0
	f.sum.Reset()
	f.in.take(n)
	return true
}

// ended is called once no line is left.
func (f *Reader) ended() {
	f.done = true
	if f.in.failure() == nil && f.trailer == nil && f.format == NDJSON {
		f.note("the file's last line is missing: it was cut off")
	}
}
