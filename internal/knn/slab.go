package knn

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// blockRows is how many rows lie together; the kernel is given some of them at once.
const blockRows = 16 * rowsAtOnce

// slab holds rows of so many numbers in memory of its own, outside the collected
// heap: there, a hundred megabytes that never change would let as much garbage pile
// up before it is collected.
type slab[T int8 | float32] struct {
	width  int
	rows   int
	blocks [][]T
	given  *blocks
}

// blocks gives the memory back when nothing refers to it any more.
type blocks struct{ mapped [][]byte }

func newSlab[T int8 | float32](width int) *slab[T] {
	s := &slab[T]{width: width, given: &blocks{}}
	runtime.AddCleanup(s, func(b *blocks) {
		for _, m := range b.mapped {
			_ = unix.Munmap(m) // it was mapped, so that it can be unmapped
		}
	}, s.given)
	return s
}

// row is a place's numbers; they may be written to.
func (s *slab[T]) row(place int) []T {
	at := place % blockRows * s.width
	return s.blocks[place/blockRows][at : at+s.width]
}

// add makes a place at the end, of zeros.
func (s *slab[T]) add() []T {
	if s.rows == len(s.blocks)*blockRows {
		s.blocks = append(s.blocks, s.block())
	}
	s.rows++
	row := s.row(s.rows - 1)
	clear(row)
	return row
}

func (s *slab[T]) block() []T {
	n := blockRows * s.width
	var number T
	if n == 0 {
		return nil
	}
	m, err := unix.Mmap(-1, 0, n*int(unsafe.Sizeof(number)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return make([]T, n)
	}
	s.given.mapped = append(s.given.mapped, m)
	return unsafe.Slice((*T)(unsafe.Pointer(&m[0])), n)
}

// removeSwap lets the last row take the place of one.
func (s *slab[T]) removeSwap(place int) {
	copy(s.row(place), s.row(s.rows-1))
	s.rows--
}

// bytes are those of the blocks; what no row was written to takes no memory.
func (s *slab[T]) bytes() int {
	var number T
	return len(s.blocks) * blockRows * s.width * int(unsafe.Sizeof(number))
}
