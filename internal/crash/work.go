package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Bounds of what one worker keeps, so that a long test works on a table of one size.
const (
	fewRows  = 6
	manyRows = 60
)

// worker does random operations on rows of its own.
type worker struct {
	number int
	random *rand.Rand
	rows   map[string]Row
	steps  int
	clock  int64 // of new rows, in milliseconds
}

func newWorker(number int, seed uint64) *worker {
	return &worker{number: number, random: rand.New(rand.NewPCG(seed, uint64(number))), rows: map[string]Row{}, clock: 1_770_000_000_000}
}

// kinds of operations and how often they come, in hundredths. A table that is
// nearly empty or too full shifts them.
var kinds = []struct {
	name  string
	share int
	build func(*worker) []Effect
}{
	{"store", 32, func(w *worker) []Effect { return []Effect{w.fresh()} }},
	{"group", 6, func(w *worker) []Effect { return w.group(2 + w.random.IntN(20)) }},
	{"update", 22, func(w *worker) []Effect { return []Effect{w.changed(w.pick(1)[0])} }},
	{"supersede", 18, func(w *worker) []Effect { return w.superseded(w.pick(1)[0]) }},
	{"forget", 14, func(w *worker) []Effect { return w.gone(1 + w.random.IntN(3)) }},
	{"mixed", 8, (*worker).mixed},
}

// next chooses an operation.
func (w *worker) next() Line {
	w.steps++
	l := Line{Kind: lineIntent, Worker: w.number, Step: w.steps}
	switch {
	case len(w.rows) < fewRows:
		l.Operation, l.Effects = "store", []Effect{w.fresh()}
		return l
	case len(w.rows) > manyRows:
		l.Operation, l.Effects = "bulk forget", w.gone(manyRows/2)
		return l
	}
	at := w.random.IntN(100)
	for _, k := range kinds {
		if at -= k.share; at < 0 {
			l.Operation, l.Effects = k.name, k.build(w)
			return l
		}
	}
	panic("the shares do not add up to a hundred")
}

// done takes over what an operation did.
func (w *worker) done(l Line) {
	for _, e := range l.Effects {
		if e.After == nil {
			delete(w.rows, e.ID)
		} else {
			w.rows[e.ID] = *e.After
		}
	}
}

func (w *worker) fresh() Effect {
	text := sentence(w.random)
	w.clock += int64(1 + w.random.IntN(1000))
	r := Row{ID: ownedID(w.random, w.number), Text: text, Category: []string{"fact", "preference", "entity", "decision", "other"}[w.random.IntN(5)],
		Importance: float64(w.random.IntN(101)) / 100, Time: w.clock, Points: text}
	return Effect{r.ID, &r}
}

func (w *worker) group(n int) (list []Effect) {
	for range n {
		list = append(list, w.fresh())
	}
	return list
}

// pick chooses n different rows, or as many as there are.
func (w *worker) pick(n int) []Row {
	ids := slices.Sorted(maps.Keys(w.rows))
	w.random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	var list []Row
	for _, id := range ids[:min(n, len(ids))] {
		list = append(list, w.rows[id])
	}
	return list
}

// changed is an update in place: of the importance, or of the text with its
// vector, or of the text alone.
func (w *worker) changed(r Row) Effect {
	switch w.random.IntN(3) {
	case 0:
		r.Importance = float64(w.random.IntN(101)) / 100
	case 1:
		r.Text = sentence(w.random)
		r.Points = r.Text
	default:
		r.Text = sentence(w.random)
	}
	return Effect{r.ID, &r}
}

func (w *worker) superseded(r Row) []Effect {
	next := w.fresh()
	r.Newer = next.ID
	return []Effect{{r.ID, &r}, next}
}

func (w *worker) gone(n int) (list []Effect) {
	for _, r := range w.pick(n) {
		list = append(list, Effect{ID: r.ID})
	}
	return list
}

// mixed changes, adds and takes away at once.
func (w *worker) mixed() []Effect {
	two := w.pick(2)
	return []Effect{w.changed(two[0]), w.fresh(), {ID: two[1].ID}}
}

// everyone reads everything.
func everyone() scope.Filter { return scope.Operator().Filter() }

// actingAgent makes the changes of all workers, each in a session of its own.
const actingAgent = "crash"

// run carries an operation out. Before it changes a row it reads it, under the
// lock: it must be what the worker left.
func (w *worker) run(ctx context.Context, s *store.Store, l Line) error {
	ctx = store.As(ctx, store.Actor{Kind: "tool", Agent: actingAgent, Session: fmt.Sprint(w.number)})
	return s.Write(ctx, l.Operation, func(tx *store.Tx) error {
		for _, e := range l.Effects {
			before, existed := w.rows[e.ID]
			if existed {
				got, err := tx.Get(ctx, everyone(), e.ID)
				if err != nil {
					return err
				}
				if r, err := rowOf(got); err != nil || r != before {
					return fmt.Errorf("before the %s memory %s is not as this worker left it: %s, want %s (%v)", l.Operation, e.ID, brief(r), brief(before), err)
				}
			}
			var err error
			switch {
			case e.After == nil:
				err = tx.Delete(e.ID)
			case !existed:
				err = tx.Insert(e.After.memory())
			default:
				m := e.After.memory()
				if e.After.Points == before.Points {
					m.Vector = nil // as it is stored
				}
				err = tx.Update(m)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
