package retrieve

import (
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// question is a request made ready to be asked.
type question struct {
	text   string
	words  rank.Query
	who    scope.Filter
	narrow memory.Narrow
	limit  int
	pool   int
	empty  bool
}

// question checks the request and brings its numbers into range.
func (r *Retriever) question(req Request) (question, error) {
	if req.Category != "" {
		if _, _, err := memory.ParseCategory(req.Category); err != nil {
			return question{}, fmt.Errorf("recalling: %w", err)
		}
	}
	text := strings.TrimSpace(strings.ToValidUTF8(req.Query, " "))
	q := question{
		text:   text,
		words:  rank.ParseQuery(text),
		who:    req.Who,
		narrow: memory.Narrow{Category: req.Category, ActiveAt: req.Now},
		limit:  bounded(req.Limit),
		empty:  !rank.Searchable(text),
	}
	// Twice the limit leaves the cuts and later stages something to choose from.
	q.pool = min(max(r.opts.PoolSize, 2*q.limit), MaxPoolSize)
	return q, nil
}

// bounded brings a limit into 1–MaxLimit; 0 is "not given".
func bounded(limit int) int {
	if limit == 0 {
		return DefaultLimit
	}
	return min(max(limit, 1), MaxLimit)
}
