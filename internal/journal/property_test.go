package journal

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// listing is what a process without the lock reads.
func (w *world) listing() []Recorded {
	var all []Recorded
	for r, err := range open(w.t, memDir, w.options()).Since(0) {
		if err != nil {
			w.damaged("Since", err)
			continue
		}
		all = append(all, r)
	}
	return all
}

// damaged accepts the loss of what was handed out although it was in doubt: a
// process wrote it, could not sync it, could not take it back.
func (w *world) damaged(what string, err error) {
	var hole *Damage
	if !errors.As(err, &hole) || len(w.maybe) == 0 {
		w.t.Fatalf("%s: %v", what, err)
	}
}

func (w *world) check() {
	cp, err := open(w.t, memDir, w.options()).Checkpointed()
	if err != nil || (cp != w.mark && !w.marked[cp]) || cp.Seq < w.mark.Seq {
		w.t.Fatalf("the checkpoint is %+v, %v; acknowledged was %+v", cp, err, w.mark)
	}
	all := w.listing()
	found := map[uint64]Recorded{}
	last := uint64(0)
	for _, r := range all {
		if r.Seq <= last {
			w.t.Fatalf("number %d comes after %d", r.Seq, last)
		}
		last = r.Seq
		found[r.Seq] = r
		if w.never[r.Operation] {
			w.t.Fatalf("%q was taken back or erased and is there: entry %d", r.Operation, r.Seq)
		}
	}
	for _, k := range w.kept {
		r, ok := found[k.seq]
		if !ok && k.seq > cp.Seq {
			w.t.Fatalf("acknowledged entry %d %q is lost", k.seq, k.texts)
		}
		if ok && !slices.Contains(k.texts, r.Operation) {
			w.t.Fatalf("entry %d says %q, acknowledged was %q", k.seq, r.Operation, k.texts)
		}
		if ok && r.Version != 0 && r.Version < int64(k.seq)+100 {
			w.t.Fatalf("entry %d is in version %d, before it was made", k.seq, r.Version)
		}
		delete(found, k.seq)
	}
	for seq, r := range found {
		if !w.maybe[r.Operation] {
			w.t.Fatalf("entry %d %q was never acknowledged", seq, r.Operation)
		}
	}
	var back []Recorded
	for r, err := range open(w.t, memDir, w.options()).Newest() {
		if err != nil {
			w.damaged("Newest", err)
			continue
		}
		back = append(back, r)
	}
	slices.Reverse(back)
	if !slices.EqualFunc(all, back, func(a, b Recorded) bool { return a.Seq == b.Seq && a.Version == b.Version }) {
		w.t.Fatalf("Newest yields %v, Since %v", back, all)
	}
	// What was erased is in no file.
	for path, f := range w.fs.names {
		if !strings.HasSuffix(path, segmentSuffix) {
			continue
		}
		for text := range w.never {
			if bytes.Contains(f.data, []byte(`"`+text+`"`)) {
				w.t.Fatalf("%s holds %q", path, text)
			}
		}
	}
}

func TestWhatWasAcknowledgedIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		held := func(f func()) func(*rapid.T) {
			return func(*rapid.T) {
				if w.holder == nil {
					w.take()
				}
				if w.holder != nil {
					f()
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"":           func(*rapid.T) { w.check() },
			"take":       func(*rapid.T) { w.take() },
			"append":     held(w.append),
			"append too": held(w.append),
			"done":       held(w.apply),
			"done too":   held(w.apply),
			"cancel":     held(w.cancel),
			"checkpoint": func(*rapid.T) { w.checkpoint() },
			"trim":       held(w.trim),
			"rewrite":    held(w.rewrite),
			"die":        held(w.die),
			"power cut":  func(*rapid.T) { w.powerCut() },
		})
	})
}
