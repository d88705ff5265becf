package retrieve

import (
	"fmt"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// question is a request made ready to be asked.
type question struct {
	text   string
	source string
	words  rank.Query
	// expanded is the keyword query with words added to it; "" without any.
	expanded string
	tags     rank.Tags
	who      scope.Filter
	narrow   memory.Narrow
	now      time.Time
	limit    int
	pool     int
	without  map[string]string
	// heldAt is when held back memories are left out after they were judged; zero
	// when the searches leave them out, or nobody does.
	heldAt time.Time
	prefer []memory.StoredCategory
	watch  []string
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
		text: text, source: req.Source, words: rank.ParseQuery(text), tags: rank.ParseTags(r.tags, text),
		who: req.Who, narrow: req.Narrow, now: req.Now,
		limit: bounded(req.Limit), without: req.Without, prefer: req.Prefer, watch: req.Watch,
		empty: !rank.Searchable(text),
	}
	q.narrow.Category, q.narrow.ActiveAt = req.Category, req.Now
	if r.judgesEvidence(q) {
		// What is held back sets the bar still: nothing weaker comes in its place.
		q.heldAt, q.narrow.UnsuppressedAt = q.narrow.UnsuppressedAt, time.Time{}
	}
	if r.opts.QueryExpansion && (req.Source == SourceManual || req.Source == SourceCLI) && q.tags.None() {
		if more := rank.Expand(q.words.Keywords); len(more) > 0 {
			q.expanded = q.words.Keywords + " " + strings.Join(more, " ")
		}
	}
	// Twice the limit leaves the cuts and later steps something to choose from;
	// rows that will be left out take no place of others.
	q.pool = min(max(r.opts.PoolSize, 2*q.limit), MaxPoolSize) + min(len(req.Without), MaxPoolSize)
	return q, nil
}

// keywords is what the keyword half searches for.
func (q question) keywords() string {
	if q.expanded != "" {
		return q.expanded
	}
	return q.words.Keywords
}

// mode names the halves that answered.
func (q question) mode(f found) string {
	switch {
	case !q.tags.None():
		return ModeTags
	case f.vector.answered() && f.keyword.answered():
		return ModeHybrid
	case f.vector.answered():
		return ModeVector
	}
	return ModeKeyword
}

// bounded brings a limit into 1–MaxLimit; 0 is "not given".
func bounded(limit int) int {
	if limit == 0 {
		return DefaultLimit
	}
	return min(max(limit, 1), MaxLimit)
}
