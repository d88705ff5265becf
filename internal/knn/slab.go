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
// up before it is collected. The memory is given back when nothing refers to the slab.
type slab[T int8 | float32] struct {
	width  int
	rows   int
	blocks [][]T
	given  *blocks
	later  runtime.Cleanup
}

// blocks is the memory to give back.
type blocks struct{ mapped [][]byte }

func (b *blocks) free() {
	for _, m := range b.mapped {
		_ = unix.Munmap(m) // it was mapped, so that it can be unmapped
	}
	b.mapped = nil
}

func newSlab[T int8 | float32](width int) *slab[T] {
	s := &slab[T]{width: width, given: &blocks{}}
	s.later = runtime.AddCleanup(s, (*blocks).free, s.given)
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

// free gives the memory back at once; nothing may refer to a row any more.
func (s *slab[T]) free() {
	s.later.Stop()
	s.blocks, s.rows = nil, 0
	s.given.free()
}

// bytes are those of the blocks; what no row was written to takes no memory.
func (s *slab[T]) bytes() int {
	var number T
	return len(s.blocks) * blockRows * s.width * int(unsafe.Sizeof(number))
}
