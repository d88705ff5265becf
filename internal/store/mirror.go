package store

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// mirror holds the vectors of the whole table in memory, as unit vectors, for one
// question that every store asks before it writes: is there a row that says nearly
// the same? Nearly always there is none, and a table of 10,000 rows with 384 numbers
// answers that in 0.3 ms, where a search through LanceDB takes 5 to 15.
//
// It answers exactly. A row is given up as soon as the numbers not yet looked at
// could no longer bring its cosine up to the bound (Cauchy and Schwarz: a part of a
// product is at most the product of the parts' lengths), which for most rows is
// after the first blocks.
type mirror struct {
	mu    sync.RWMutex
	width int
	seq   uint64 // it is the table with everything recorded up to here
	slots map[string]int
	ids   []string
	units []float32 // width numbers a row
	rests []float32 // a row's length behind each block
}

// mirrorBlock is how many numbers are looked at between two decisions.
const mirrorBlock = 32

func newMirror(width int) *mirror { return &mirror{width: width, slots: map[string]int{}} }

// blocks is how many a row has.
func (m *mirror) blocks() int { return (m.width + mirrorBlock - 1) / mirrorBlock }

// set puts a row in, or takes it out if vector is nil, or cannot be compared.
func (m *mirror) set(id string, vector []float32) {
	unit := unitOf(vector)
	slot, ok := m.slots[id]
	if len(unit) != m.width {
		if ok {
			m.remove(id, slot)
		}
		return
	}
	if !ok {
		slot = len(m.ids)
		m.slots[id], m.ids = slot, append(m.ids, id)
		m.units = append(m.units, unit...)
		m.rests = append(m.rests, make([]float32, m.blocks())...)
	}
	copy(m.units[slot*m.width:], unit)
	copy(m.rests[slot*m.blocks():], restsOf(unit, m.blocks()))
}

// remove lets the last row take the place of one.
func (m *mirror) remove(id string, slot int) {
	last, w, b := len(m.ids)-1, m.width, m.blocks()
	copy(m.units[slot*w:(slot+1)*w], m.units[last*w:])
	copy(m.rests[slot*b:(slot+1)*b], m.rests[last*b:])
	m.ids[slot] = m.ids[last]
	m.slots[m.ids[slot]] = slot
	delete(m.slots, id)
	m.ids, m.units, m.rests = m.ids[:last], m.units[:last*w], m.rests[:last*b]
}

// near are the ids of up to limit rows whose cosine with vector is at least above,
// best first; more is set if there are others. The cosines are those of rounded
// unit vectors, to 1e-5.
func (m *mirror) near(vector []float32, above float64, limit int) (ids []string, more bool) {
	q := unitOf(vector)
	if len(q) != m.width {
		return nil, false
	}
	type row struct {
		slot   int
		cosine float32
	}
	var found []row
	b, bound := m.blocks(), float32(above)-1e-5
	rest := restsOf(q, b)
	for slot := range m.ids {
		u, r := m.units[slot*m.width:(slot+1)*m.width], m.rests[slot*b:(slot+1)*b]
		var sum float32
		for i := range b {
			from := i * mirrorBlock
			to := min(from+mirrorBlock, m.width)
			sum += dot(q[from:to], u[from:to])
			if sum+rest[i]*r[i] < bound {
				sum = -2
				break
			}
		}
		if sum >= bound {
			found = append(found, row{slot, sum})
		}
	}
	slices.SortFunc(found, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(m.ids[a.slot], m.ids[b.slot]))
	})
	more = len(found) > limit
	for _, f := range found[:min(limit, len(found))] {
		ids = append(ids, m.ids[f.slot])
	}
	return ids, more
}

// dot in four sums, which the processor adds up side by side.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i := range a {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// unitOf is nil for a vector without a direction.
func unitOf(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if !(length > 0) || math.IsInf(length, 0) {
		return nil
	}
	unit := make([]float32, len(v))
	for i, x := range v {
		unit[i] = float32(float64(x) / length)
	}
	return unit
}

// restsOf is the length of what comes after each block.
func restsOf(unit []float32, blocks int) []float32 {
	rests := make([]float32, blocks)
	var sum float64
	for i := blocks - 1; i > 0; i-- {
		for _, x := range unit[i*mirrorBlock : min((i+1)*mirrorBlock, len(unit))] {
			sum += float64(x) * float64(x)
		}
		rests[i-1] = float32(math.Sqrt(sum))
	}
	return rests
}
