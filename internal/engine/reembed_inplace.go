package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	refused []memory.Memory   // those of them that the provider would not embed
	why     error             // of the first
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
	if p.r.DryRun && p.answer.Needed {
		if p.answer.Kept, p.answer.Left, err = p.db.ReembedLeft(ctx); err != nil {
			return storage("embedding anew", err)
		}
	}
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
		p.step("embedding %s with %s; vectors from a run before: %d", count(p.answer.Rows, "memory"), p.answer.To, re.Kept)
		if more, err := p.embedAll(ctx, re); err != nil || more {
			p.answer.Limited = more
			return err
		}
		if made := p.answer.Kept + p.answer.Embedded; len(p.refused) > made {
			return p.tooMany()
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
		p.step("%s still without a vector", count(p.answer.Pending, "memory"))
	}
	failed := p.e.fillAll(ctx, p.db)
	if failed != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err := re.Clear(); err != nil {
		return storage("embedding anew", err)
	}
	return p.prove(ctx, failed)
}

func (p *inPlace) step(format string, args ...any) {
	if p.r.Step != nil {
		p.r.Step(fmt.Sprintf(format, args...))
	}
}

// prove counts what is in the table now. failed is what kept the last of them from
// their vectors.
func (p *inPlace) prove(ctx context.Context, failed error) error {
	if err := p.db.CheckVectors(); err != nil {
		return storage("embedding anew", err)
	}
	counts, err := p.db.Stats(ctx, scope.Operator().Filter())
	if err != nil {
		return storage("embedding anew", err)
	}
	p.answer.Rows, p.answer.Pending, p.answer.Complete = int(counts.Total), int(counts.Pending), true
	if p.answer.Pending > 0 && failed != nil {
		p.answer.PendingBecause = failed.Error()
	}
	p.answer.Waiting, err = p.e.waitingOnes(ctx, p.db)
	p.answer.Refused = slices.ContainsFunc(p.answer.Waiting, func(w Waiting) bool { return w.Reason != "" && w.Reason != noText })
	p.e.pending.Store(p.answer.Pending > 0)
	return err
}

// waitingOnes names memories without a vector, and says why those have none whose text
// was refused.
func (e *Engine) waitingOnes(ctx context.Context, db *store.Store) ([]Waiting, error) {
	rows, err := db.Pending(ctx, scope.Operator().Filter(), shownWaiting)
	if err != nil {
		return nil, storage("embedding anew", err)
	}
	var list []Waiting
	for _, m := range rows {
		w := Waiting{ID: m.ID, Reason: e.unfit.why(m, e.now())}
		if strings.TrimSpace(m.Text) == "" {
			w.Reason = noText
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
	ms = slices.DeleteFunc(slices.Clone(ms), func(m memory.Memory) bool {
		return p.reasons[m.Text] != "" || strings.TrimSpace(m.Text) == ""
	})
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
