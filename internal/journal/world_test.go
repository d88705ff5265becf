package journal

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"
)

// world is several processes that write to one journal in turn, on a disk that
// fails and loses power, and what they were told.
type world struct {
	t      *rapid.T
	fs     *memFS
	procs  []*Journal
	holder *Journal // has called Catch, and none of the others since
	serial int      // every text is used once

	kept    []*rec          // acknowledged, oldest first
	maybe   map[string]bool // texts whose Append failed in doubt, or whose process died
	never   map[string]bool // texts that must not be found
	done    uint64          // the highest number Done was called for
	applied uint64          // the same, as far as it is still known after a power cut
	sure    bool            // nothing could lose a done note since
	mark    Mark            // acknowledged
	marked  map[Mark]bool   // perhaps acknowledged
	own     []uint64        // what the holder appended and neither did nor took back
}

type rec struct {
	seq   uint64
	texts []string // one of these: a Rewrite that failed leaves both possible
}

func newWorld(t *rapid.T) *world {
	w := &world{t: t, fs: newMemFS(), maybe: map[string]bool{}, never: map[string]bool{}, marked: map[Mark]bool{}, sure: true}
	for range 3 {
		w.procs = append(w.procs, nil)
	}
	w.restart()
	return w
}

func (w *world) options() Options {
	o := quiet()
	o.files, o.SegmentBytes, o.KeepBytes = w.fs, 900, 2500
	return o
}

func (w *world) restart() {
	for i := range w.procs {
		w.procs[i] = open(w.t, memDir, w.options())
	}
	w.holder, w.own = nil, nil
}

// with runs f, perhaps with a fault, and tells whether f ran without.
func (w *world) with(f func()) (sound bool) {
	hit := false
	switch rapid.IntRange(0, 5).Draw(w.t, "fault") {
	case 0: // one call
		n := w.fs.calls + rapid.IntRange(1, 12).Draw(w.t, "failing call")
		w.fs.fail = func(string, string) error {
			if w.fs.calls == n {
				hit = true
				return pickErrno(n)
			}
			return nil
		}
	case 1: // everything from some call on
		n := w.fs.calls + rapid.IntRange(1, 12).Draw(w.t, "failing from")
		w.fs.fail = func(string, string) error {
			if w.fs.calls >= n {
				hit = true
				return pickErrno(n)
			}
			return nil
		}
	case 2: // one kind
		kind := rapid.SampledFrom([]string{"write", "sync", "syncdir", "open", "truncate", "remove", "rename", "read", "mkdir", "stat"}).Draw(w.t, "failing kind")
		w.fs.fail = func(op, _ string) error {
			if op == kind {
				hit = true
				return pickErrno(len(op))
			}
			return nil
		}
	}
	w.fs.half = rapid.Bool().Draw(w.t, "half")
	f()
	w.fs.fail = nil
	return !hit
}

func pickErrno(n int) error {
	all := slices.Sorted(maps.Keys(errnos))
	return all[n%len(all)]
}

func (w *world) process() *Journal {
	return w.procs[rapid.IntRange(0, len(w.procs)-1).Draw(w.t, "process")]
}

// take makes another process the holder.
func (w *world) take() {
	j := w.process()
	w.holder, w.own = nil, nil
	var undone []Entry
	var err error
	if w.with(func() { undone, err = j.Catch() }) && err != nil {
		w.t.Fatalf("Catch: %v", err)
	}
	if err != nil {
		return
	}
	w.holder = j
	var handed []uint64
	for _, e := range undone {
		handed = append(handed, e.Seq)
	}
	cp, _ := j.Checkpointed()
	var due, may []uint64
	for _, r := range w.listing() {
		if r.Seq > max(w.done, cp.Seq) {
			due = append(due, r.Seq)
		}
		may = append(may, r.Seq) // a checkpoint of entries it was handed is no news to a process
	}
	if !(slices.Equal(handed, due) || (!w.sure && len(handed) <= len(may) && len(handed) >= len(due) && slices.Equal(handed, may[len(may)-len(handed):]))) {
		w.t.Fatalf("Catch handed out %v, of %v due and %v possible (sure: %v)", handed, due, may, w.sure)
	}
}

func (w *world) append() {
	n := rapid.IntRange(1, 4).Draw(w.t, "entries")
	var group []*Entry
	for range n {
		w.serial++
		group = append(group, entry(fmt.Sprintf("t%d.", w.serial)))
	}
	var err error
	if w.with(func() { err = w.holder.Append(group...) }) && err != nil {
		w.t.Fatalf("Append: %v", err)
	}
	for _, e := range group {
		switch {
		case err == nil:
			w.kept = append(w.kept, &rec{e.Seq, []string{e.Operation}})
			w.own = append(w.own, e.Seq)
		case errors.Is(err, ErrInDoubt):
			w.maybe[e.Operation] = true
		default:
			w.never[e.Operation] = true
		}
		if err != nil && e.Seq != 0 {
			w.t.Fatalf("an entry that was not kept has the number %d", e.Seq)
		}
	}
	if err != nil {
		w.lostTrack(err)
	}
}

// lostTrack is for errors after which the holder may have to look anew.
func (w *world) lostTrack(err error) {
	if errors.Is(err, ErrInDoubt) {
		w.own = nil
	}
}

func (w *world) apply() {
	if len(w.own) == 0 {
		return
	}
	through := rapid.SampledFrom(w.own).Draw(w.t, "done through")
	var err error
	if !w.with(func() { err = w.holder.Done(through, int64(through)+100) }) || err != nil {
		w.sure = false
	}
	w.done, w.applied = max(w.done, through), max(w.applied, through)
	w.own = slices.DeleteFunc(w.own, func(s uint64) bool { return s <= through })
}

func (w *world) cancel() {
	if len(w.own) == 0 {
		return
	}
	from := rapid.SampledFrom(w.own).Draw(w.t, "cancel from")
	var err error
	if !w.with(func() { err = w.holder.Cancel(from) }) {
		w.sure = false // done notes behind the entries have to be written again
	} else if err != nil && w.sure {
		w.t.Fatalf("Cancel: %v", err)
	}
	fate := w.never
	switch {
	case errors.Is(err, ErrInDoubt):
		fate = w.maybe
	case err != nil:
		return // refused
	}
	w.kept = slices.DeleteFunc(w.kept, func(r *rec) bool {
		if r.seq < from {
			return false
		}
		for _, text := range r.texts {
			fate[text] = true
		}
		return true
	})
	w.own = slices.DeleteFunc(w.own, func(s uint64) bool { return s >= from })
	if err != nil {
		w.own, w.sure = nil, false
	}
}

func (w *world) checkpoint() {
	if w.applied == 0 {
		return
	}
	m := Mark{Seq: rapid.Uint64Range(1, w.applied).Draw(w.t, "checkpoint"), Version: 5, Boot: "b", At: epoch}
	j := w.process()
	var err error
	if w.with(func() { err = j.Checkpoint(m) }) && err != nil {
		w.t.Fatalf("Checkpoint: %v", err)
	}
	w.marked[m] = true
	if err == nil && m.Seq > w.mark.Seq {
		w.mark = m
	}
}

func (w *world) trim() {
	var err error
	if w.with(func() { err = w.holder.Trim() }) && err != nil {
		w.t.Fatalf("Trim: %v", err)
	}
}

func (w *world) rewrite() {
	if len(w.kept) == 0 {
		return
	}
	r := rapid.SampledFrom(w.kept).Draw(w.t, "erased")
	w.serial++
	text := fmt.Sprintf("t%d.", w.serial)
	var err error
	n := 0
	if w.with(func() {
		n, err = w.holder.Rewrite(func(e *Entry) bool {
			if e.Seq != r.seq || !slices.Contains(r.texts, e.Operation) {
				return false
			}
			*e = *entry(text)
			return true
		})
	}) && err != nil {
		w.t.Fatalf("Rewrite: %v", err)
	}
	w.own = nil
	if err != nil {
		r.texts = append(r.texts, text)
		w.holder = nil
		return
	}
	if n == 0 {
		return // trimmed
	}
	for _, gone := range r.texts {
		w.never[gone] = true
	}
	r.texts = []string{text}
}

// die ends a process in the middle of an Append.
func (w *world) die() {
	w.serial++
	e := entry(fmt.Sprintf("t%d.", w.serial))
	n := w.fs.calls + rapid.IntRange(1, 8).Draw(w.t, "dies at call")
	w.fs.half = rapid.Bool().Draw(w.t, "half")
	w.fs.fail = func(string, string) error {
		if w.fs.calls >= n {
			return errDead
		}
		return nil
	}
	err := w.holder.Append(e)
	w.fs.fail = nil
	if err == nil {
		w.kept = append(w.kept, &rec{e.Seq, []string{e.Operation}})
	} else {
		w.maybe[e.Operation] = true
	}
	i := slices.Index(w.procs, w.holder)
	w.procs[i], w.holder, w.own, w.sure = open(w.t, memDir, w.options()), nil, nil, false
}

func (w *world) powerCut() {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(w.t, "seed"), 1))
	w.fs = w.fs.cut(r, rapid.Bool().Draw(w.t, "orderly"))
	w.sure, w.applied = false, w.mark.Seq
	w.restart()
}
