package archive

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Writer writes one file, row by row. It is for one goroutine.
type Writer struct {
	out    *bufio.Writer
	size   counted
	format Format
	header Header
	vector func([]byte, []float32) []byte
	count  int
	sum    hash.Hash
	row    []byte // reused
}

// counted counts what went through.
type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// NewWriter begins a file. A file without what Finish writes is an incomplete one.
func NewWriter(w io.Writer, format Format, h Header) (*Writer, error) {
	f := &Writer{size: counted{w: w}, format: format, header: h, sum: sha256.New()}
	f.out = bufio.NewWriterSize(&f.size, 1<<18)
	if h.Vectors {
		f.vector = appendPacked
		if format == JSON {
			f.vector = appendNumbers
		}
	}
	var err error
	switch format {
	case NDJSON:
		err = f.line(headerLine{
			Format: exportMark, Version: formatVersion, At: stamp(h.At), Filters: h.Filters,
			Vectors: h.Vectors, Fingerprint: h.Fingerprint, Dimensions: h.Dimensions,
		})
	case JSON:
		err = f.open()
	}
	return f, err
}

// open writes the JSON document up to its first row. The count follows the rows,
// because they are not counted before.
func (f *Writer) open() error {
	h := f.header
	head := struct {
		Version     string  `json:"version"`
		At          string  `json:"exportedAt"`
		Filters     Filters `json:"filters"`
		Fingerprint string  `json:"fingerprint,omitempty"`
		Dimensions  int     `json:"dimensions,omitempty"`
	}{"1.0", stamp(h.At), h.Filters, h.Fingerprint, h.Dimensions}
	b, err := plain(head)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.out, "%s,\"memories\":[", b[:len(b)-1])
	return err
}

// plain is the JSON of v without HTML escapes and line end.
func plain(v any) ([]byte, error) {
	var b limited
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b[:len(b)-1], nil
}

type limited []byte

func (b *limited) Write(p []byte) (int, error) { *b = append(*b, p...); return len(p), nil }

func (f *Writer) line(v any) error {
	b, err := plain(v)
	if err != nil {
		return err
	}
	_, err = f.out.Write(append(b, '\n'))
	return err
}

// Write adds rows.
func (f *Writer) Write(ms ...memory.Memory) error {
	for _, m := range ms {
		f.row = appendRow(f.row[:0], m, f.vector)
		if err := f.raw(f.row); err != nil {
			return err
		}
	}
	return nil
}

// raw adds a row that is JSON on one line already.
func (f *Writer) raw(row []byte) error {
	if f.format == JSON {
		before := "\n"
		if f.count > 0 {
			before = ",\n"
		}
		if _, err := f.out.WriteString(before); err != nil {
			return err
		}
	}
	f.count++
	f.sum.Write(row)
	f.sum.Write([]byte{'\n'})
	if _, err := f.out.Write(row); err != nil {
		return err
	}
	if f.format == JSON {
		return nil
	}
	return f.out.WriteByte('\n')
}

// Finish ends the file: without it, a reader sees that something is missing.
func (f *Writer) Finish() (Summary, error) {
	s := Summary{Count: f.count, SHA256: hex.EncodeToString(f.sum.Sum(nil))}
	var err error
	switch f.format {
	case JSON:
		end := "\n],"
		if f.count == 0 {
			end = "],"
		}
		_, err = fmt.Fprintf(f.out, "%s\"count\":%d}\n", end, f.count)
	case NDJSON:
		err = f.line(trailerLine{Format: exportMark, Version: formatVersion, End: true, Count: s.Count, SHA256: s.SHA256})
	case Backup:
		err = f.line(trailerLine{
			Format: backupMark, Version: formatVersion, End: true, At: stamp(f.header.At), Database: f.header.Database,
			Count: s.Count, SHA256: s.SHA256,
		})
	}
	if err == nil {
		err = f.out.Flush()
	}
	s.Bytes = f.size.n
	return s, err
}
