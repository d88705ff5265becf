package retrieve

import (
	"context"
	"fmt"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// step is one stage of the pipeline. It returns the rows that are left, in order,
// and tells the pass what it did.
type step struct {
	name string
	run  func(ctx context.Context, p *pass, rows []*row) []*row
}

// pass is one request on its way through the steps, and what is told of it.
type pass struct {
	q        question
	found    found
	root     *rank.Node
	stages   []Stage
	dropped  []Drop
	degraded []Degraded
	ground   rank.Ground
	clock    func() time.Time
	// missing are identifiers of the question that nothing found holds.
	missing []string

	// at is the step that runs, note what it says of itself, gone how many rows
	// the steps before it dropped.
	at   string
	note *rank.Node
	gone int
}

// walk runs the steps one after the other.
func (p *pass) walk(ctx context.Context, steps []step, rows []*row) []*row {
	for _, s := range steps {
		p.at, p.note, p.gone = s.name, nil, len(p.dropped)
		begun := p.clock()
		left := s.run(ctx, p, rows)
		st := Stage{Name: s.name, In: len(rows), Out: len(left), Took: p.clock().Sub(begun)}
		for _, d := range p.dropped[p.gone:] {
			st.Dropped = append(st.Dropped, d.ID)
		}
		if s.name == StageFuse {
			st.In = len(p.found.vector.hits) + len(p.found.keyword.hits)
		}
		st.Lowest, st.Highest = span(left)
		p.stages = append(p.stages, st)
		if p.note != nil {
			p.root.Add(p.note)
		}
		rows = left
	}
	return rows
}

func span(rows []*row) (lowest, highest float64) {
	for i, x := range rows {
		if i == 0 {
			lowest, highest = x.hit.Score, x.hit.Score
		}
		lowest, highest = min(lowest, x.hit.Score), max(highest, x.hit.Score)
	}
	return lowest, highest
}

// says puts a line for the step that runs into the explanation.
func (p *pass) says(value float64, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if p.note == nil {
		p.note = rank.Explain(p.at, value, message)
		return
	}
	p.note.Value, p.note.Message = value, message
}

// drop notes that the step that runs ends the life of x, with its full
// explanation, so that a miss can be explained like a hit. The caller fills the
// reason, and what is to be said of a threshold or a better row.
func (p *pass) drop(x *row, d Drop) {
	h := &x.hit
	d.ID, d.Stage, d.Score, d.Why = h.Memory.ID, p.at, h.Score, h.Why
	p.dropped = append(p.dropped, d)
	if p.note == nil {
		p.note = rank.Explain(p.at, 0, "")
	}
	message := h.Reason
	if d.Detail != "" {
		message = d.Detail + "; " + message
	}
	p.note.Add(rank.Explain("dropped "+d.ID, h.Score, message, h.Why.Children...))
}

// sift keeps the rows that fate finds no fault with.
func (p *pass) sift(rows []*row, fate func(*row) (Drop, bool)) []*row {
	left := make([]*row, 0, len(rows))
	for _, x := range rows {
		if d, over := fate(x); over {
			p.drop(x, d)
			continue
		}
		left = append(left, x)
	}
	if len(left) < len(rows) {
		p.says(float64(len(left)), "of %d rows are left", len(rows))
	}
	return left
}
