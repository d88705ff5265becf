// Package knn finds, among vectors held in memory, those that point most nearly
// the way of another: exactly, not by a graph or a selection.
//
// A Set keeps each vector as a unit vector of one byte a number, a quarter of its
// size, with what the rounding took away: its length is known, so that a cosine is
// known to lie between two bounds. One pass over the bytes leaves the few rows that
// may be among the best; whoever asks compares those by their own numbers.
//
// Caveats: a Set is not safe for use while it is changed. Vectors of more than
// MaxWidth numbers would overflow the sums.
package knn

import (
	"math"
	"runtime"
	"slices"
)

// MaxWidth is how many numbers a vector may have.
const MaxWidth = 8192

const (
	// lane is how many numbers the kernel takes at once; rows are padded to it.
	lane = 16
	// queryMax and codeMax are the largest codes of a question and of a row. A sum of
	// MaxWidth products stays within 32 bits: 8192/16 steps of two products a lane.
	queryMax = 8191
	codeMax  = 127
	// rowsAtOnce is how many rows the kernel is given at a time.
	rowsAtOnce = 256
	// deviations is how many standard deviations of the rounding error are allowed
	// for. The error is a sum of as many small independent ones as a vector has
	// numbers; one beyond six deviations is rarer than one in 10⁸.
	deviations = 6
)

// Set is a list of vectors by place, from 0.
type Set struct {
	width, stride int
	codes         *slab[int8]
	scale         []float32      // what a code of 1 means; 0 for a place without a vector
	slack         []float32      // how far a cosine may be off
	exact         *slab[float32] // the vectors as they came; nil if that is too much
	exactBytes    int
}

// New makes an empty Set for vectors of so many numbers. It keeps them as they came
// too, until that takes more than exactBytes.
func New(width, exactBytes int) *Set {
	s := &Set{width: width, stride: (width + lane - 1) / lane * lane, exact: newSlab[float32](width), exactBytes: exactBytes}
	s.codes = newSlab[int8](s.stride)
	return s
}

// Len is how many places there are.
func (s *Set) Len() int { return len(s.scale) }

// Bytes is how much memory the vectors take.
func (s *Set) Bytes() int {
	n := s.codes.bytes() + 4*cap(s.scale) + 4*cap(s.slack)
	if s.exact != nil {
		n += s.exact.bytes()
	}
	return n
}

// Grow makes room for n more vectors at once.
func (s *Set) Grow(n int) {
	s.scale, s.slack = slices.Grow(s.scale, n), slices.Grow(s.slack, n)
	if s.exact != nil && 4*s.width*(s.Len()+n) > s.exactBytes {
		s.dropExact() // they would not fit in the end
	}
}

// Add puts a vector into a new place at the end. One of another width, or without a
// direction, takes its place and is never found.
func (s *Set) Add(v []float32) {
	scale, slack := s.encode(s.codes.add(), v)
	s.scale, s.slack = append(s.scale, scale), append(s.slack, slack)
	if s.exact == nil {
		return
	}
	copy(s.exact.add(), v)
	if s.exact.bytes() > s.exactBytes {
		s.dropExact()
	}
}

func (s *Set) dropExact() {
	s.exact.free()
	s.exact = nil
}

// Vector copies the vector at a place, nil if there is none or it is not kept. One of
// zeros is none.
func (s *Set) Vector(place int) []float32 {
	if s.exact == nil || !s.Has(place) {
		return nil
	}
	v := slices.Clone(s.exact.row(place))
	runtime.KeepAlive(s) // with s goes its memory
	return v
}

// Has reports whether there is a vector at a place.
func (s *Set) Has(place int) bool { return s.scale[place] != 0 }

// RemoveSwap lets the last vector take the place of one.
func (s *Set) RemoveSwap(place int) {
	last := s.Len() - 1
	s.codes.removeSwap(place)
	if s.exact != nil {
		s.exact.removeSwap(place)
	}
	s.scale[place], s.slack[place] = s.scale[last], s.slack[last]
	s.scale, s.slack = s.scale[:last], s.slack[:last]
}

// encode writes the codes of v's unit vector. With unit u and codes c, what is lost
// is e = u − scale·c, and the cosine with a unit q is off by q·e, which lies within
// |e| (Cauchy and Schwarz) and, e being as good as random, nearly always within a
// few times |e|/√width.
func (s *Set) encode(codes []int8, v []float32) (scale, slack float32) {
	length := lengthOf(v)
	if len(v) != s.width || !(length > 0) || math.IsInf(length, 0) {
		return 0, 0
	}
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	step := largest / length / codeMax
	lost := 0.0
	for i, x := range v {
		u := float64(x) / length
		c := math.Round(u / step)
		codes[i] = int8(c)
		e := u - c*step
		lost += e * e
	}
	off := math.Sqrt(lost) * min(1, deviations/math.Sqrt(float64(s.width)))
	return float32(step), float32(off + 1e-5) // 1e-5 for rounding the question and the sums
}

// lengthOf is NaN for a vector with a NaN.
func lengthOf(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// Candidates returns places among which the k best of those that admit lets pass
// are, in no order, and few others. admit is asked only about places that may be
// among the best. Rows whose cosine is surely below floor are left out.
func (s *Set) Candidates(query []float32, k int, floor float64, admit func(place int) bool) []int {
	codes, unit := s.question(query)
	if codes == nil || k <= 0 {
		return nil
	}
	type candidate struct {
		place int
		most  float32
	}
	var (
		found []candidate
		least bounds // the k best lower bounds so far
		sums  [rowsAtOnce]int32
		bound = float32(floor)
	)
	for from := 0; from < s.Len(); from += rowsAtOnce {
		n := min(rowsAtOnce, s.Len()-from)
		dots(codes, s.codes.blocks[from/blockRows][from%blockRows*s.stride:], s.stride, sums[:n])
		for i, sum := range sums[:n] {
			place := from + i
			about := float32(sum) * s.scale[place] * unit
			off := s.slack[place]
			if about+off < bound || s.scale[place] == 0 || !admit(place) {
				continue
			}
			found = append(found, candidate{place, about + off})
			if bottom, full := least.push(about-off, k); full && bottom > bound {
				bound = bottom
			}
		}
	}
	runtime.KeepAlive(s)
	var places []int
	for _, c := range found {
		if c.most >= bound {
			places = append(places, c.place)
		}
	}
	return places
}

// question is the codes of the query's unit vector and what a code of 1 means.
func (s *Set) question(query []float32) ([]int16, float32) {
	length := lengthOf(query)
	if len(query) != s.width || !(length > 0) || math.IsInf(length, 0) {
		return nil, 0
	}
	largest := 0.0
	for _, x := range query {
		largest = max(largest, math.Abs(float64(x)))
	}
	codes := make([]int16, s.stride)
	for i, x := range query {
		codes[i] = int16(math.Round(float64(x) / largest * queryMax))
	}
	return codes, float32(largest / length / queryMax)
}

// bounds is a heap of the k largest numbers, the smallest of them on top.
type bounds []float32

// push adds a number and returns the smallest of the k largest, once there are k.
func (b *bounds) push(x float32, k int) (bottom float32, full bool) {
	h := *b
	switch {
	case len(h) < k:
		h = append(h, x)
		for i := len(h) - 1; i > 0 && h[i] < h[(i-1)/2]; i = (i - 1) / 2 {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		}
		*b = h
	case x > h[0]:
		h[0] = x
		for i := 0; ; {
			small := i
			for _, c := range []int{2*i + 1, 2*i + 2} {
				if c < len(h) && h[c] < h[small] {
					small = c
				}
			}
			if small == i {
				break
			}
			h[i], h[small] = h[small], h[i]
			i = small
		}
	}
	return h[0], len(h) == k
}
