package embed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// ItemsError says which of many texts could not be embedded; the others were.
type ItemsError struct {
	Of    int
	Items []ItemError // in the order of their places
}

// ItemError is one of them.
type ItemError struct {
	// Place counts from 0.
	Place int
	Err   error
}

func (e *ItemsError) Error() string {
	first := e.Items[0]
	s := fmt.Sprintf("text %d of %d: %v", first.Place+1, e.Of, first.Err)
	if more := len(e.Items) - 1; more > 0 {
		s += fmt.Sprintf(" (and %d more)", more)
	}
	return s
}

// Unwrap gives the error of each.
func (e *ItemsError) Unwrap() []error {
	list := make([]error, len(e.Items))
	for i, item := range e.Items {
		list[i] = item.Err
	}
	return list
}

// refusals is how many texts are refused alone, before any was embedded, until
// the settings are taken for the cause and not the texts.
const refusals = 3

// run embeds the texts of one call. Requests are as large as the provider takes.
// Of a request that is refused, or answered with a vector that cannot be used,
// the texts are asked for in halves until the one to blame stands alone.
type run struct {
	e      *Remote
	ctx    context.Context
	kind   Kind
	depth  int    // of splitting
	tally  *tally // of the whole call, parts included
	texts  []string
	result [][]float32
	failed map[int]error
}

type tally struct{ served, refused int }

// all fills in result and failed. An error means that nothing can be had now.
func (r *run) all() error {
	r.result, r.failed = make([][]float32, len(r.texts)), map[int]error{}
	var places []int
	for i, text := range r.texts {
		if r.e.overlong(text) && r.depth == 0 {
			if err := r.long(i, nil); err != nil {
				return err
			}
			continue
		}
		places = append(places, i)
	}
	for len(places) > 0 {
		n := r.e.fitting(r.texts, places)
		if err := r.ask(places[:n]); err != nil {
			return err
		}
		places = places[n:]
	}
	return nil
}

// partError ends the work on the parts of a text: without one of them the others
// are of no use.
type partError struct{ err error }

func (e *partError) Error() string { return e.err.Error() }
func (e *partError) Unwrap() error { return e.err }

// ask embeds the texts at places by one request, or by several if that fails.
func (r *run) ask(places []int) error {
	if len(places) == 0 {
		return nil
	}
	texts := make([]string, len(places))
	for i, at := range places {
		texts[i] = r.texts[at]
	}
	vectors, fault := r.e.request(r.ctx, r.kind, texts)
	if vectors == nil {
		return r.refused(places, fault)
	}
	var missing []int
	for i, v := range vectors {
		if r.result[places[i]] = v; v == nil {
			missing = append(missing, places[i])
		} else {
			r.tally.served++
		}
	}
	switch {
	case len(missing) == 0:
		return nil
	case len(missing) < len(places):
		return r.ask(missing)
	}
	return r.refused(places, fault)
}

// refused decides what to do about a request that gave nothing.
func (r *run) refused(places []int, fault error) error {
	long := tooLong(fault, len(places)) && !r.e.opts.Whole
	switch {
	case r.ctx.Err() != nil, !ofTexts(fault):
		return fault
	case len(places) == 1 && long:
		return r.long(places[0], fault)
	case len(places) == 1:
		if r.tally.refused++; r.tally.served == 0 && r.tally.refused >= refusals {
			return fault
		}
		return r.fail(places[0], fault)
	case long:
		return r.tooLong(places, fault)
	case tooMany(fault):
		r.e.takes(len(places) / 2)
	case r.tally.served == 0:
		// Is it the settings? One text tells more cheaply than a half.
		if err := r.ask(places[:1]); err != nil {
			return err
		}
		places = places[1:]
	}
	if err := r.ask(places[:(len(places)+1)/2]); err != nil {
		return err
	}
	return r.ask(places[(len(places)+1)/2:])
}

// tooLong splits those texts of a request that are longer than a part; the others
// are sent as they are. If none is, halves tell which it was.
func (r *run) tooLong(places []int, fault error) error {
	var fit, long []int
	for _, at := range places {
		if text := r.texts[at]; utf8.RuneCountInString(text) > r.e.partsFor(text).size {
			long = append(long, at)
		} else {
			fit = append(fit, at)
		}
	}
	if len(long) == 0 {
		if err := r.ask(fit[:len(fit)/2]); err != nil {
			return err
		}
		return r.ask(fit[len(fit)/2:])
	}
	for _, at := range long {
		if err := r.long(at, fault); err != nil {
			return err
		}
	}
	return r.ask(fit)
}

// fitting is how many of the texts at places make one request.
func (e *Remote) fitting(texts []string, places []int) int {
	most := int(e.batch.Load())
	chars := 0
	for i, at := range places {
		chars += utf8.RuneCountInString(texts[at])
		if i == most || i > 0 && chars > e.hints.chars {
			return i
		}
	}
	return len(places)
}

// takes notes that the server takes no more than n texts at once.
func (e *Remote) takes(n int) { lower(&e.batch, int64(max(n, 1))) }

func lower(at *atomic.Int64, n int64) {
	for {
		was := at.Load()
		if was <= n || at.CompareAndSwap(was, n) {
			return
		}
	}
}

// ofTexts tells a failure that may lie in one of the texts from one of the
// provider, the settings or the time.
func ofTexts(err error) bool {
	var r *refusal
	return errors.As(err, &r) && r.texts || errors.Is(err, ErrBadVector) && !errors.Is(err, errWidth)
}

func empty(text string) bool { return strings.TrimSpace(text) == "" }
