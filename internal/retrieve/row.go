package retrieve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// row is a candidate on its way through the steps.
type row struct {
	hit   Hit
	exact rank.Exact
	held  rank.Held
	// evidence is judged for the hook only.
	evidence rank.Evidence
	hub      float64 // taken off its cosine, see findHubs
}

// set gives the row a new score and says how it came about.
func (x *row) set(score float64, name string, value float64, format string, args ...any) *rank.Node {
	node := rank.Explain(name, value, fmt.Sprintf(format, args...))
	x.hit.Score, x.hit.Why.Value = score, score
	x.hit.Why.Add(node)
	return node
}

// scale multiplies what the score has above floor, and above what identifiers have
// earned, by a factor. A factor of 1 leaves no trace.
func (x *row) scale(name string, floor, factor float64, format string, args ...any) *rank.Node {
	if factor == 1 {
		return nil
	}
	message := fmt.Sprintf(format, args...)
	if floor = max(floor, x.exact.Floor()); floor > 0 {
		message += fmt.Sprintf("; of what is above %.2f", floor)
	}
	return x.set(rank.Scale(x.hit.Score, floor, factor), name, factor, "%s", message)
}

// words is the row's score by its words, 0 without one.
func (x *row) words() float64 {
	if x.hit.BM25 == nil {
		return 0
	}
	return x.hit.BM25.Score
}

// place is what a row is ordered by: its score, of a repetition a part of it.
func (x *row) place() float64 {
	if x.hit.Behind == BehindAlike {
		return alikeShare * x.hit.Score
	}
	return x.hit.Score
}

// order sorts by score, best first, repetitions behind rows that do about as well,
// and rows the reranker knows nothing of after all others; equal ones by time, newest first, and then by id, so that the same store always
// gives the same bytes.
func order(rows []*row) []*row {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, compare)
	return rows
}

func compare(a, b *row) int {
	return cmp.Or(
		cmp.Compare(unscored(a), unscored(b)),
		cmp.Compare(b.place(), a.place()),
		b.hit.Memory.Time.Compare(a.hit.Memory.Time),
		cmp.Compare(a.hit.Memory.ID, b.hit.Memory.ID),
	)
}

func unscored(x *row) int {
	if x.hit.Behind == BehindUnscored {
		return 1
	}
	return 0
}
