package manifest

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// A file of rows or of an index ends in tables that say where everything in it
// lies, and a footer of forty bytes:
//
//	descriptions of the columns, one message each
//	where each of them lies: position and length (8 bytes each)
//	where each global buffer lies: the same
//	footer: where these three begin (8 each), how many buffers and columns
//	        there are (4 each), format version (2 and 2), magic
//
// The tables follow each other without a gap. Files of the format's first
// generation end otherwise; of them only the magic is looked at.
const (
	fileFooter = 40
	placeSize  = 16
	// maxTables bounds what is read of them; they grow with a file's rows, and of
	// larger ones only the footer is looked at.
	maxTables = 1 << 20
)

const hollow = "does not say where its contents lie"

// lookInside sees whether a file's tables make sense. It reads no row.
func lookInside(at string, size int64) (problem string, err error) {
	f, err := os.Open(at)
	if err != nil {
		return "", fmt.Errorf("looking at %s: %w", at, err)
	}
	defer f.Close() //nolint:errcheck // read only
	// Footer and tables of a small file come in one read.
	tail := make([]byte, min(size, 4096))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return "", fmt.Errorf("looking at %s: %w", at, err)
	}
	if len(tail) < len(magic) || string(tail[len(tail)-len(magic):]) != magic {
		return "does not end as such a file does", nil
	}
	if len(tail) < fileFooter || !modern(tail[len(tail)-8:]) {
		return "", nil
	}
	footer := tail[len(tail)-fileFooter:]
	columns, columnPlaces, bufferPlaces := word(footer), word(footer[8:]), word(footer[16:])
	buffers, count := uint64(binary.LittleEndian.Uint32(footer[24:])), uint64(binary.LittleEndian.Uint32(footer[28:]))
	end := uint64(size - fileFooter)
	if columns > columnPlaces || columnPlaces > bufferPlaces || bufferPlaces > end ||
		bufferPlaces-columnPlaces != count*placeSize || end-bufferPlaces != buffers*placeSize {
		return hollow, nil
	}
	if end-columns > maxTables {
		return "", nil
	}
	tables := make([]byte, end-columns)
	if have := uint64(len(tail) - fileFooter); have >= end-columns {
		copy(tables, tail[have-(end-columns):])
	} else if _, err := f.ReadAt(tables, int64(columns)); err != nil {
		return "", fmt.Errorf("looking at %s: %w", at, err)
	}
	for i := range count {
		place := tables[columnPlaces-columns+i*placeSize:]
		from, n := word(place), word(place[8:])
		if from < columns || n > columnPlaces || from > columnPlaces-n {
			return hollow, nil
		}
		if _, err := split(tables[from-columns : from-columns+n]); err != nil {
			return hollow, nil
		}
	}
	for i := range buffers {
		place := tables[bufferPlaces-columns+i*placeSize:]
		if from, n := word(place), word(place[8:]); n > end || from > end-n {
			return hollow, nil
		}
	}
	return "", nil
}

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// modern reports whether the format version is one of the second generation, the
// first of which calls itself 0.3.
func modern(end []byte) bool {
	major, minor := binary.LittleEndian.Uint16(end), binary.LittleEndian.Uint16(end[2:])
	return major >= 2 || (major == 0 && minor >= 3)
}
