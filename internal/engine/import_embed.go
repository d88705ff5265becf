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
	// refusals in a row are no longer about the texts.
	refusals = 3
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
	vectors, err := e.embedRows(budget, rows)
	if errors.Is(err, embed.ErrRejected) {
		vectors, err = im.embedEach(budget, rows)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, embed.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		c.pending = err.Error()
		im.outage.begin(e.now(), c.pending)
		return nil
	default:
		return fmt.Errorf("importing: %w", err)
	}
	im.served.Store(true)
	for i, place := range places {
		c.rows[place].Vector = vectors[i]
	}
	return nil
}

// embedEach asks for one text at a time: of a batch that was refused, one may be
// to blame. When the first few of an import are refused alone, too, it is the
// configuration.
func (im *importer) embedEach(ctx context.Context, rows []memory.Memory) ([][]float32, error) {
	vectors := make([][]float32, len(rows))
	for i, row := range rows {
		v, err := im.e.embedder.EmbedPassage(ctx, row.Text)
		switch rejected := errors.Is(err, embed.ErrRejected); {
		case err == nil:
			vectors[i] = v
			im.served.Store(true)
		case rejected && !im.served.Load() && i+1 >= min(refusals, len(rows)),
			!rejected && !errors.Is(err, embed.ErrBadVector) && !errors.Is(err, embed.ErrInput):
			return nil, err
		default:
			im.e.log.Warn("an imported memory has no usable vector; it is found by keywords", "id", row.ID, "error", err)
		}
	}
	return vectors, nil
}

// wanted reports whether the row will be stored, as far as can be told without
// the lock.
func (im *importer) wanted(in incoming, found map[string]memory.Memory) bool {
	old, there := found[in.ID]
	return !in.repeated && (!there || (im.r.Replace && !same(in.against(old), old)))
}
