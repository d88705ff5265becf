// Package knn finds, among vectors held in memory, those that point most nearly
// the way of another: exactly, not by a graph or a selection.
//
// A Set keeps each vector as a unit vector of one byte a number, a quarter of its
// size, with what the rounding took away: its length is known, so that a cosine is
// known to lie between two bounds. One pass over the bytes leaves the few rows that
// may be among the best; those are compared by their own numbers.
//
// Caveats: a Set is not safe for use while it is changed. Where the vectors as they
// came are more than it may keep, the bounds are those of chance (see deviations).
package knn

import (
	"math"
	"runtime"
	"slices"
)

const (
	// lane is how many numbers the kernel takes at once; rows are padded to it.
	lane = 16
	// queryMax and codeMax are the largest codes of a question and of a row.
	queryMax = 8191
	codeMax  = 127
	// rowsAtOnce is how many rows the kernel is given at a time.
	rowsAtOnce = 256
	// deviations is how many standard deviations of the rounding error are allowed
	// for where rows cannot be compared by their own numbers. The error is a sum of as
	// many small ones as a vector has numbers; if they are independent, one beyond six
	// deviations is rarer than one in 10⁸. In vectors of few different values they are
	// not, so that this is no proof.
	deviations = 6
)

// Set is a list of vectors by place, from 0.
type Set struct {
	width, stride int
	codes         *slab[int8]
	scale         []float32      // what a code of 1 means; 0 for a place without a vector
	lost          []float32      // the length of what the rounding took away
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
	n := s.codes.bytes() + 4*cap(s.scale) + 4*cap(s.lost)
	if s.exact != nil {
		n += s.exact.bytes()
	}
	return n
}

// Grow makes room for n more vectors at once.
func (s *Set) Grow(n int) {
	s.scale, s.lost = slices.Grow(s.scale, n), slices.Grow(s.lost, n)
	if s.exact != nil && 4*s.width*(s.Len()+n) > s.exactBytes {
		s.dropExact() // they would not fit in the end
	}
}

// Add puts a vector into a new place at the end. One of another width, or without a
// direction, takes its place and is never found.
func (s *Set) Add(v []float32) {
	scale, lost := s.encode(s.codes.add(), v)
	s.scale, s.lost = append(s.scale, scale), append(s.lost, lost)
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
	s.scale[place], s.lost[place] = s.scale[last], s.lost[last]
	s.scale, s.lost = s.scale[:last], s.lost[:last]
}

// encode writes the codes of v's unit vector. With unit u and codes c, what is lost
// is e = u − scale·c, and the cosine with a unit q is off by q·e: at most |e| (Cauchy
// and Schwarz). The scale is the one that makes |e| smallest, which also keeps e from
// pointing the way of u, where the questions it is the answer to lie.
func (s *Set) encode(codes []int8, v []float32) (scale, lost float32) {
	length := lengthOf(v)
	if len(v) != s.width || !(length > 0) || math.IsInf(length, 0) {
		return 0, 0
	}
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	var uc, cc float64
	for i, x := range v {
		c := math.Round(float64(x) / largest * codeMax)
		codes[i] = int8(c)
		uc, cc = uc+float64(x)/length*c, cc+c*c
	}
	scale = float32(uc / cc)
	sum := 0.0
	for i, x := range v {
		e := float64(x)/length - float64(scale)*float64(codes[i])
		sum += e * e
	}
	return scale, float32(math.Sqrt(sum))
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
	codes, unit, off := s.question(query)
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
		part  = float32(1) // of what a row lost may count
	)
	if s.exact == nil {
		part = float32(min(1, deviations/math.Sqrt(float64(s.width))))
	}
	for from := 0; from < s.Len(); from += rowsAtOnce {
		n := min(rowsAtOnce, s.Len()-from)
		dots(codes, s.codes.blocks[from/blockRows][from%blockRows*s.stride:], s.stride, sums[:n])
		for i, sum := range sums[:n] {
			place := from + i
			about := float32(sum) * s.scale[place] * unit
			off := off + s.lost[place]*part
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
	if s.exact != nil && len(places) > k {
		places = s.best(query, places, k)
	}
	return places
}

// best keeps the k best of some places, and those that are as good as the last.
func (s *Set) best(query []float32, places []int, k int) []int {
	scores := make([]float64, len(places))
	for i, place := range places {
		var dot, aa, bb float64
		row := s.exact.row(place)
		for j, x := range query {
			x, y := float64(x), float64(row[j])
			dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
		}
		scores[i] = min(max(dot/math.Sqrt(aa*bb), -1), 1)
	}
	runtime.KeepAlive(s)
	order := slices.Sorted(slices.Values(scores))
	last, kept := order[len(order)-k], places[:0]
	for i, place := range places {
		if scores[i] >= last {
			kept = append(kept, place)
		}
	}
	return kept
}

// question is the codes of the query's unit vector, what a code of 1 means, and how
// far a cosine may be off by the rounding of it and of sums.
func (s *Set) question(query []float32) (codes []int16, unit, off float32) {
	length := lengthOf(query)
	if len(query) != s.width || !(length > 0) || math.IsInf(length, 0) {
		return nil, 0, 0
	}
	largest := 0.0
	for _, x := range query {
		largest = max(largest, math.Abs(float64(x)))
	}
	// A sum of products is at most that of the lengths of the codes, a row's being at
	// most codeMax·√width: it has to stay within 32 bits, in wide vectors whose numbers
	// are about equal too.
	root := math.Sqrt(float64(s.stride))
	top := max(1, math.Floor(min(queryMax, (math.MaxInt32/(codeMax*root)-root)*largest/length)))
	step := largest / length / top
	codes, sum := make([]int16, s.stride), 0.0
	for i, x := range query {
		c := math.Round(float64(x) / largest * top)
		codes[i] = int16(c)
		e := float64(x)/length - c*step
		sum += e * e
	}
	return codes, float32(step), float32(math.Sqrt(sum)) + 2e-6
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
