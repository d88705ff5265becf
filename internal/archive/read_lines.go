package archive

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
)

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
