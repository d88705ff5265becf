package manifest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// A deletion file of many rows is a 32-bit Roaring bitmap in its portable form:
// no magic ends it and the manifest does not state its size, but the number of
// rows it marks is known, and its length follows from its header.
const (
	bitmapPlain = 12346 // no container is a list of runs
	bitmapRuns  = 12347 // some are; the number of containers is in the upper half
	// A container holds numbers up to here as a list, more as 8192 bytes of bits.
	listUpTo = 4096
	bitsSize = 8192
	// Offsets of containers are left out of small bitmaps with runs.
	offsetsFrom = 4
)

func lookAtBitmap(at string, marked uint64) (problem string, err error) {
	data, err := os.ReadFile(at)
	if err != nil {
		return "", fmt.Errorf("looking at %s: %w", at, err)
	}
	n, err := countBitmap(data)
	switch {
	case err != nil:
		return err.Error(), nil
	case n != marked:
		return fmt.Sprintf("marks %d rows instead of %d", n, marked), nil
	}
	return "", nil
}

var errBitmap = errors.New("is no whole list of deleted rows")

// countBitmap returns how many numbers a bitmap holds, and an error unless it is
// as long as it should be.
func countBitmap(data []byte) (count uint64, err error) {
	if len(data) < 8 {
		return 0, errBitmap
	}
	cookie := binary.LittleEndian.Uint32(data)
	var containers, at int
	var runs []byte
	switch {
	case cookie == bitmapPlain:
		containers, at = int(binary.LittleEndian.Uint32(data[4:])), 8
	case cookie&0xffff == bitmapRuns:
		containers, at = int(cookie>>16)+1, 4
		n := (containers + 7) / 8
		if len(data) < at+n {
			return 0, errBitmap
		}
		runs = data[at : at+n]
		at += n
	default:
		return 0, errBitmap
	}
	if containers > 1<<16 || len(data) < at+4*containers {
		return 0, errBitmap
	}
	headers := data[at : at+4*containers]
	at += 4 * containers
	if runs == nil || containers >= offsetsFrom {
		at += 4 * containers
	}
	for i := range containers {
		size := int(binary.LittleEndian.Uint16(headers[4*i+2:])) + 1
		count += uint64(size)
		switch {
		case runs != nil && runs[i/8]&(1<<(i%8)) != 0:
			if len(data) < at+2 {
				return 0, errBitmap
			}
			at += 2 + 4*int(binary.LittleEndian.Uint16(data[at:]))
		case size <= listUpTo:
			at += 2 * size
		default:
			at += bitsSize
		}
	}
	if at != len(data) {
		return 0, errBitmap
	}
	return count, nil
}
