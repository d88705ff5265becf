package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/archive"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

const (
	// importChunk is what one request for vectors holds, at most importChunkBytes
	// of it: an interrupt waits for one chunk.
	importChunk      = 128
	importChunkBytes = 1 << 20
	// importCommit is how many rows share a commit, if the embedder gives them
	// within importLinger. Each commit leaves a version and files behind.
	importCommit      = 1000
	importCommitBytes = 8 << 20
	importLinger      = 2 * time.Second
	// importAhead bounds the chunks between reading and writing.
	importAhead = 8
	// importEmbedders ask at the same time. The model inside takes one batch at a
	// time anyway.
	importEmbedders = 3
	// importPatience is how long one commit waits for other writers.
	importPatience = 5 * time.Minute
)

// importer is one import under way.
type importer struct {
	e       *Engine
	db      *store.Store
	r       ImportRequest
	file    *archive.Reader
	gate    gate
	rejects rejectFile
	answer  ImportAnswer // the writer's
	outage  outage
	served  atomic.Bool // the embedder has given a vector
}

// chunk is rows on their way. Reader, embedder and writer own it in turn.
type chunk struct {
	rows    []incoming
	rejects []reject
	read    int
	bytes   int64                    // of the file, up to here
	size    int                      // of what it holds
	found   map[string]memory.Memory // what is there already
	pending string                   // why rows have no vector
	ready   chan struct{}            // closed when embedded
	err     error
}

type reject struct {
	Reject
	raw []byte
}

// run moves the file through the steps until its end, an error, or the end of
// ctx. What is ready by then is still written.
func (im *importer) run(ctx context.Context) error {
	steps, stop := context.WithCancel(ctx)
	defer stop()
	ordered, work := make(chan *chunk, importAhead), make(chan *chunk, importAhead)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	var reading error
	running.Go(func() {
		defer close(ordered)
		defer close(work)
		reading = im.read(steps, func(c *chunk) bool {
			// work is as long as ordered, so it has room when ordered has.
			for _, to := range []chan *chunk{ordered, work} {
				select {
				case to <- c:
				case <-steps.Done():
					return false
				}
			}
			return true
		})
	})
	for range importEmbedders {
		running.Go(func() {
			for c := range work {
				c.err = im.prepare(steps, c)
				close(c.ready)
			}
		})
	}
	err := im.writeAll(ctx, steps, ordered)
	stop()
	running.Wait()
	if err == nil {
		err = reading
	}
	return err
}

// read cuts the file into chunks.
func (im *importer) read(ctx context.Context, send func(*chunk) bool) error {
	most := cmp.Or(im.r.Batch, importChunk)
	fresh := func() *chunk { return &chunk{ready: make(chan struct{})} }
	c := fresh()
	for ctx.Err() == nil {
		it, err := im.file.Next()
		if err == nil {
			im.admit(c, it)
		}
		if c.read >= most || c.size >= importChunkBytes || (err != nil && c.read > 0) {
			c.bytes = im.file.Offset()
			if !send(c) {
				break
			}
			c = fresh()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("importing: reading the file: %w", err)
		}
	}
	return ctx.Err()
}

// admit puts an item of the file into a chunk, as a row or as a reject.
func (im *importer) admit(c *chunk, it archive.Item) {
	c.read++
	c.size += len(it.Raw)
	in, err := incoming{}, it.Err
	if err == nil {
		in, err = im.gate.pass(it.Row, it.Line)
	}
	raw := bytes.Clone(it.Raw)
	if err != nil {
		c.rejects = append(c.rejects, reject{Reject{it.Line, err.Error()}, raw})
		return
	}
	in.raw = raw
	c.rows = append(c.rows, in)
}

// prepare looks up what is there already, and embeds the rest.
func (im *importer) prepare(ctx context.Context, c *chunk) (err error) {
	ids := make([]string, len(c.rows))
	for i, in := range c.rows {
		ids[i] = in.ID
	}
	if c.found, err = im.db.GetMany(ctx, everything(), ids...); err != nil {
		return storage("importing", err)
	}
	if im.r.DryRun {
		return nil
	}
	return im.embed(ctx, c)
}

// writeAll stores chunk after chunk, in the order of the file. When the steps
// before it end early, what is ready is written all the same.
func (im *importer) writeAll(ctx, steps context.Context, ordered <-chan *chunk) error {
	w := gathering{write: func(batch []*chunk) error { return im.write(ctx, batch) }}
	for {
		select {
		case c, more := <-ordered:
			if !more {
				return w.flush()
			}
			if err := w.await(steps, c); err != nil {
				return errors.Join(w.flush(), err)
			}
			if err := w.add(c); err != nil {
				return err
			}
		case <-w.linger:
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
}

// gathering makes commits of a good size out of chunks, without keeping rows
// waiting when they come slowly.
type gathering struct {
	write  func([]*chunk) error
	batch  []*chunk
	rows   int
	bytes  int
	linger <-chan time.Time // set while something waits
}

func (g *gathering) flush() error {
	batch := g.batch
	g.batch, g.rows, g.bytes, g.linger = nil, 0, 0, nil
	return g.write(batch)
}

func (g *gathering) add(c *chunk) error {
	g.batch, g.rows, g.bytes = append(g.batch, c), g.rows+len(c.rows), g.bytes+c.size
	if g.rows >= importCommit || g.bytes >= importCommitBytes {
		return g.flush()
	}
	if g.linger == nil {
		g.linger = time.After(importLinger)
	}
	return nil
}

// await waits until a chunk is ready; what lies there longer than it should is
// written meanwhile.
func (g *gathering) await(steps context.Context, c *chunk) error {
	for {
		select {
		case <-c.ready:
			return c.err
		default:
		}
		select {
		case <-c.ready:
		case <-g.linger:
			if err := g.flush(); err != nil {
				return err
			}
		case <-steps.Done():
			// It may be ready by now; if not, nobody takes it up any more.
			select {
			case <-c.ready:
				return c.err
			default:
				return steps.Err()
			}
		}
	}
}
