package retrieve

import (
	"cmp"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// cut keeps the rows whose score reaches the threshold.
func cut(rows []*row, threshold float64) []*row {
	return slices.DeleteFunc(slices.Clone(rows), func(x *row) bool { return !rank.Passes(x.hit.Score, threshold) })
}

// order sorts by score, best first; equal scores by time, newest first, and then
// by id, so that the same store always gives the same bytes.
func order(rows []*row) []*row {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b *row) int {
		return cmp.Or(
			cmp.Compare(b.hit.Score, a.hit.Score),
			b.hit.Memory.Time.Compare(a.hit.Memory.Time),
			cmp.Compare(a.hit.Memory.ID, b.hit.Memory.ID),
		)
	})
	return rows
}

// limit keeps the first n rows.
func limit(rows []*row, n int) []*row { return rows[:min(n, len(rows))] }
