package retrieve

import (
	"context"
	"strings"
	"sync"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

const (
	// neighbourShare is the part of the time left that looking for related rows
	// may use; without them the answer is still one.
	neighbourShare = 0.5
	// neighbourWords bounds the text that is searched for, in bytes.
	neighbourWords = 1000
	// neighboursAtOnce bounds the searches at the same time.
	neighboursAtOnce = 4
)

// neighbours attaches to each hit the rows that share its words, from its own
// scope and under the same limits as the hits themselves. The hits stay as they
// are.
func (r *Retriever) neighbours(ctx context.Context, p *pass, rows []*row) []*row {
	if p.q.mode(p.found) != ModeHybrid {
		return rows
	}
	ctx, cancel := withShare(ctx, neighbourShare)
	defer cancel()
	shown := map[string]bool{}
	for _, x := range rows {
		shown[x.hit.Memory.ID] = true
	}
	failed := make([]error, len(rows))
	var wg sync.WaitGroup
	turns := make(chan struct{}, neighboursAtOnce)
	for i, x := range rows {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			x.hit.Neighbours, failed[i] = r.around(ctx, p.q, x.hit.Memory, shown)
		})
	}
	wg.Wait()
	attached, told := 0, false
	for i, x := range rows {
		attached += len(x.hit.Neighbours)
		for _, n := range x.hit.Neighbours {
			x.hit.Why.Add(rank.Explain("neighbour", 1, n.ID+" shares words with it"))
		}
		if failed[i] != nil && !told {
			told = true
			p.degraded = append(p.degraded, Degraded{Half: HalfNeighbours, Reason: failed[i].Error()})
		}
	}
	p.says(float64(attached), "related rows attached to %d hits", len(rows))
	return rows
}

// around finds the rows related to one hit.
func (r *Retriever) around(ctx context.Context, q question, m memory.Memory, shown map[string]bool) ([]memory.Memory, error) {
	text := strings.ToValidUTF8(m.Text[:min(len(m.Text), neighbourWords)], "")
	found, err := r.opts.Searcher.Matching(ctx, q.who.Only(m.Scope), q.narrow, rank.ParseQuery(text).Keywords, q.limit+r.opts.Neighbours+len(q.without))
	if err != nil {
		return nil, err
	}
	var near []memory.Memory
	for _, h := range found {
		n := h.Memory
		_, unwanted := q.without[n.ID]
		if unwanted || shown[n.ID] || n.Scope != m.Scope || !q.narrow.Keeps(n) || r.noisy(n.Text) {
			continue
		}
		n.Vector = nil
		if near = append(near, n); len(near) == r.opts.Neighbours {
			break
		}
	}
	return near, nil
}
