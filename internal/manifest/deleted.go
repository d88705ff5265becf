package manifest

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
)

// Deletion is the file that says which rows of the fragment are deleted.
func (f Fragment) Deletion() (File, bool) {
	for _, file := range f.Files {
		if file.Kind == DeletedList || file.Kind == DeletedBitmap {
			return file, !file.Elsewhere
		}
	}
	return File{}, false
}

// ReadBitmap reads the places of the rows that a file of kind DeletedBitmap marks.
func ReadBitmap(table string, file File) ([]uint32, error) {
	data, err := os.ReadFile(filepath.Join(table, file.Path))
	if err != nil {
		return nil, fmt.Errorf("reading which rows are deleted: %w", err)
	}
	n, err := countBitmap(data)
	if err != nil {
		return nil, fmt.Errorf("%s %w", file.Path, err)
	}
	places := expandBitmap(data, int(n))
	if len(places) != int(n) {
		return nil, fmt.Errorf("%s %w", file.Path, errBitmap)
	}
	return places, nil
}

// expandBitmap takes a bitmap apart that countBitmap has found whole. Runs may still
// say more than n rows; then it stops with more than n.
func expandBitmap(data []byte, n int) []uint32 {
	half := func(at int) uint32 { return uint32(binary.LittleEndian.Uint16(data[at:])) }
	cookie := binary.LittleEndian.Uint32(data)
	containers, at := int(binary.LittleEndian.Uint32(data[4:])), 8
	var runs []byte
	if cookie&0xffff == bitmapRuns {
		containers, at = int(cookie>>16)+1, 4+(int(cookie>>16)+8)/8
		runs = data[4:at]
	}
	header := at
	at += 4 * containers
	if runs == nil || containers >= offsetsFrom {
		at += 4 * containers
	}
	places := make([]uint32, 0, n)
	for i := range containers {
		high, size := half(header+4*i)<<16, int(half(header+4*i+2))+1
		switch {
		case runs != nil && runs[i/8]&(1<<(i%8)) != 0:
			for range half(at) {
				at += 4
				from, more := half(at-2), half(at)
				for v := from; v <= from+more && len(places) <= n; v++ {
					places = append(places, high|v)
				}
			}
			at += 2
		case size <= listUpTo:
			for j := range size {
				places = append(places, high|half(at+2*j))
			}
			at += 2 * size
		default:
			for w := range bitsSize / 8 {
				for word := binary.LittleEndian.Uint64(data[at+8*w:]); word != 0; word &= word - 1 {
					places = append(places, high|uint32(64*w+bits.TrailingZeros64(word)))
				}
			}
			at += bitsSize
		}
	}
	return places
}
