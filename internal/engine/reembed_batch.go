package engine

import (
	"context"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// A re-embed takes the old vectors away, so it ends before that unless the new ones
// are there. Only single texts may stay without one, which the provider would not
// embed though it embeds others: at most fewRefused, or one of a hundred, and never
// more than have theirs.

// fewRefused is how many that may be in a small database.
const fewRefused = shownWaiting

// embedBatch embeds a batch and keeps the vectors. A text that cannot be embedded goes
// on the list of reasons; a provider that fails, in whatever way, ends the run.
func (p *inPlace) embedBatch(ctx context.Context, re *store.Reembedding, ms []memory.Memory) error {
	texts := make([]string, len(ms))
	for i, m := range ms {
		texts[i] = m.Text
	}
	budget, cancel := context.WithTimeout(ctx, importEmbedPatience)
	defer cancel()
	vectors, refused, failed := p.e.embedTexts(budget, texts, p.served)
	if vectors != nil {
		if err := re.Keep(texts, vectors); err != nil {
			return storage("embedding anew", err)
		}
		for _, v := range vectors {
			if v != nil {
				p.answer.Embedded++
				p.served = true
			}
		}
	}
	if failed != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var without []memory.Memory
		for i, m := range ms {
			if vectors == nil || vectors[i] == nil {
				without = append(without, m)
			}
		}
		return p.stopped(without, failed)
	}
	for i, m := range ms {
		if why := refused[i]; why != nil {
			p.reasons[m.Text] = why.Error()
			if p.refused = append(p.refused, m); p.why == nil {
				p.why = why
			}
		}
	}
	if len(p.refused) > max(fewRefused, p.answer.Rows/100) {
		return p.tooMany()
	}
	return nil
}

// tooMany ends a run in which the provider embeds some texts and refuses too many.
func (p *inPlace) tooMany() error {
	return p.stopped(p.refused, fmt.Errorf("the provider embeds some texts and would not embed %d others, too many to go on without their vectors; of the first it said: %w", len(p.refused), p.why))
}

// stopped ends a run; at are the memories without a vector.
func (p *inPlace) stopped(at []memory.Memory, why error) error {
	e := &ReembedStoppedError{Done: p.answer.Kept + p.answer.Embedded, Of: p.answer.Rows, Err: why}
	for _, m := range at {
		e.IDs = append(e.IDs, m.ID)
	}
	return e
}
