package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// inPlace is a re-embed of the database itself.
type inPlace struct {
	e       *Engine
	db      *store.Store
	r       ReembedRequest
	answer  ReembedAnswer
	reasons map[string]string // why a text has no vector, by its text
	served  bool              // the provider has given a vector
}

// look finds out what is to be done.
func (p *inPlace) look(ctx context.Context) error {
	v := p.db.Vectors()
	counts, err := p.db.Stats(ctx, scope.Operator().Filter())
	if err != nil {
		return storage("embedding anew", err)
	}
	p.answer = ReembedAnswer{
		InPlace: true, From: v.Recorded, To: v.Current, FromWidth: v.TableWidth, ToWidth: v.ModelWidth,
		Rows: int(counts.Total), Pending: int(counts.Pending), Needed: !v.Match() || v.Adopted || p.r.Force, Adopted: v.Match() && v.Adopted,
	}
	p.answer.Complete = !p.answer.Needed && counts.Pending == 0
	return nil
}

func (p *inPlace) run(ctx context.Context) error {
	re, err := p.db.Reembed()
	if err != nil {
		return storage("embedding anew", err)
	}
	defer re.Close() //nolint:errcheck // what is kept is synced
	if p.answer.Needed {
		p.answer.Kept = re.Kept
		p.step("embedding %d memories with %s; %d texts have their vector from a run before", p.answer.Rows, p.answer.To, re.Kept)
		if more, err := p.embedAll(ctx, re); err != nil || more {
			p.answer.Limited = more
			return err
		}
		p.step("all vectors are made; the table with them takes the place of the old one")
		done, err := re.Finish(ctx)
		if err != nil {
			return storage("embedding anew", err)
		}
		p.answer.Rows, p.answer.Pending = int(done.Rows), int(done.Pending)
	}
	// What was stored meanwhile, or waits since before.
	if p.answer.Pending > 0 {
		p.step("%d memories wait for their vector", p.answer.Pending)
	}
	if err := p.e.fillAll(ctx, p.db); err != nil {
		p.e.log.Info("some memories still wait for their vectors", "error", err)
	}
	if err := re.Clear(); err != nil {
		return storage("embedding anew", err)
	}
	return p.prove(ctx)
}

func (p *inPlace) step(format string, args ...any) {
	if p.r.Step != nil {
		p.r.Step(fmt.Sprintf(format, args...))
	}
}

// prove counts what is in the table now.
func (p *inPlace) prove(ctx context.Context) error {
	if err := p.db.CheckVectors(); err != nil {
		return storage("embedding anew", err)
	}
	counts, err := p.db.Stats(ctx, scope.Operator().Filter())
	if err != nil {
		return storage("embedding anew", err)
	}
	p.answer.Rows, p.answer.Pending, p.answer.Complete = int(counts.Total), int(counts.Pending), true
	p.answer.Waiting, err = waiting(ctx, p.db, p.reasons)
	p.e.pending.Store(p.answer.Pending > 0)
	return err
}

// waiting names memories without a vector.
func waiting(ctx context.Context, db *store.Store, reasons map[string]string) ([]Waiting, error) {
	rows, err := db.Pending(ctx, scope.Operator().Filter(), shownWaiting)
	if err != nil {
		return nil, storage("embedding anew", err)
	}
	var list []Waiting
	for _, m := range rows {
		w := Waiting{ID: m.ID, Reason: reasons[m.Text]}
		if strings.TrimSpace(m.Text) == "" {
			w.Reason = "it has no text"
		}
		list = append(list, w)
	}
	return list, nil
}

// settleRounds is how often those are looked for that were stored meanwhile.
const settleRounds = 5

// errLimit ends a run that was to do only so much.
var errLimit = errors.New("the limit is reached")

// embedAll makes the vectors that are missing, until none is, but for texts that
// cannot be embedded. more is set when the limit ended it.
func (p *inPlace) embedAll(ctx context.Context, re *store.Reembedding) (more bool, err error) {
	for range settleRounds {
		made := p.answer.Embedded
		_, err := re.Missing(ctx, func(ms []memory.Memory) error { return p.embedSome(ctx, re, ms) })
		if errors.Is(err, errLimit) {
			return true, nil
		}
		if err != nil || made == p.answer.Embedded {
			return false, err
		}
	}
	return false, nil
}

// embedSome embeds memories batch by batch.
func (p *inPlace) embedSome(ctx context.Context, re *store.Reembedding, ms []memory.Memory) error {
	ms = slices.DeleteFunc(slices.Clone(ms), func(m memory.Memory) bool { return p.reasons[m.Text] != "" })
	for some := range slices.Chunk(ms, p.r.Batch) {
		if p.r.Limit > 0 {
			left := p.r.Limit - p.answer.Embedded
			if left <= 0 {
				return errLimit
			}
			some = some[:min(left, len(some))]
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.embedBatch(ctx, re, some); err != nil {
			return err
		}
		if p.r.Progress != nil {
			p.r.Progress(p.answer.Kept+p.answer.Embedded, p.answer.Rows)
		}
	}
	return nil
}

// embedBatch embeds a batch and keeps the vectors. What cannot be embedded goes on
// the list of reasons; a provider that fails ends the run.
func (p *inPlace) embedBatch(ctx context.Context, re *store.Reembedding, ms []memory.Memory) error {
	texts := make([]string, len(ms))
	for i, m := range ms {
		texts[i] = m.Text
	}
	budget, cancel := context.WithTimeout(ctx, importEmbedPatience)
	defer cancel()
	vectors, failed := p.e.embedder.EmbedPassages(budget, texts)
	switch {
	case failed == nil:
		p.served = true
	case errors.Is(failed, embed.ErrBadVector), errors.Is(failed, embed.ErrInput), errors.Is(failed, embed.ErrRejected) && len(ms) > 1:
		vectors, failed = p.embedEach(budget, ms)
	default:
		vectors = nil
	}
	if vectors != nil {
		if err := re.Keep(texts, vectors); err != nil {
			return storage("embedding anew", err)
		}
		for _, v := range vectors {
			if v != nil {
				p.answer.Embedded++
			}
		}
	}
	switch {
	case failed == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	stopped := &ReembedStoppedError{Done: p.answer.Kept + p.answer.Embedded, Of: p.answer.Rows, Err: failed}
	for i, m := range ms {
		if vectors == nil || vectors[i] == nil {
			stopped.IDs = append(stopped.IDs, m.ID)
		}
	}
	return stopped
}

// embedEach asks for one text at a time: of a batch that failed, one may be to blame.
// When the first few of a run are refused alone, too, it is the configuration.
func (p *inPlace) embedEach(ctx context.Context, ms []memory.Memory) ([][]float32, error) {
	vectors := make([][]float32, len(ms))
	for i, m := range ms {
		v, err := p.e.embedder.EmbedPassage(ctx, m.Text)
		switch rejected := errors.Is(err, embed.ErrRejected); {
		case err == nil:
			vectors[i], p.served = v, true
		case rejected && !p.served && i+1 >= min(refusals, len(ms)),
			!rejected && !errors.Is(err, embed.ErrBadVector) && !errors.Is(err, embed.ErrInput):
			return vectors, err
		default:
			p.reasons[m.Text] = err.Error()
		}
	}
	return vectors, nil
}

// fillAll gives vectors to all that wait for theirs, in the foreground.
func (e *Engine) fillAll(ctx context.Context, db *store.Store) error {
	for {
		filled, err := e.fillOnce(ctx, db)
		if err != nil || filled == 0 {
			return err
		}
	}
}
