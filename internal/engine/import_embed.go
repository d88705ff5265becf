package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

const (
	// importEmbedPatience bounds one request of an import.
	importEmbedPatience = 2 * time.Minute
	// outagePause is how long a provider that is down is left alone.
	outagePause = 15 * time.Second
)

// outage remembers that the provider is down, so that an import does not wait
// for it once a chunk.
type outage struct {
	mu    sync.Mutex
	until time.Time
	why   string
}

func (o *outage) now(t time.Time) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if t.Before(o.until) {
		return o.why
	}
	return ""
}

func (o *outage) begin(t time.Time, why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.until, o.why = t.Add(outagePause), why
}

// embed gives vectors to the rows of a chunk that will be stored and have none. A
// provider that is down costs nothing but the vectors: they are made later.
func (im *importer) embed(ctx context.Context, c *chunk) error {
	e := im.e
	if e.embedder == nil {
		return nil
	}
	if foreign := e.foreignVectors(im.db); foreign != nil {
		c.pending = foreign.Error()
		return nil
	}
	var rows []memory.Memory
	var places []int
	for i, in := range c.rows {
		old, there := c.found[in.ID]
		has := there && old.Text == in.Text && old.Metadata.Embedding == "" // then the old vector stays
		if in.Vector == nil && !has && im.wanted(in, c.found) {
			rows, places = append(rows, in.Memory), append(places, i)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if c.pending = im.outage.now(e.now()); c.pending != "" {
		return nil
	}
	budget, cancel := context.WithTimeout(ctx, importEmbedPatience)
	defer cancel()
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = row.Text
	}
	vectors, refused, err := e.embedTexts(budget, texts, im.served.Load())
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case down(err), errors.Is(err, embed.ErrBadVector):
		c.pending = err.Error()
		im.outage.begin(e.now(), c.pending)
		return nil
	default:
		return fmt.Errorf("importing: %w", err)
	}
	for i, why := range refused {
		e.log.Warn("an imported memory has no usable vector; it is found by keywords", "id", rows[i].ID, "error", why)
	}
	im.served.Store(true)
	for i, place := range places {
		c.rows[place].Vector = vectors[i]
	}
	return nil
}

// wanted reports whether the row will be stored, as far as can be told without
// the lock.
func (im *importer) wanted(in incoming, found map[string]memory.Memory) bool {
	old, there := found[in.ID]
	return !in.repeated && (!there || (im.r.Replace && !same(in.against(old), old)))
}
