package embed

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

const (
	// deepest is how often a part that is still too long is split again; what is
	// too long after that is cut to its first half, once.
	deepest = 3
	// smallest: a text of twice as many characters is too long for no model.
	smallest = 32
	// partShare of a model's context is the size of a part, in characters: a
	// token is seldom less than one. With more than wideShare of its characters in
	// scripts without spaces, where a character may be several tokens, a text is
	// split into parts smaller by wideFactor.
	partShare  = 0.7
	wideShare  = 0.3
	wideFactor = 2.5
	// overlapShare of a part is repeated at the start of the next, so that a
	// sentence at a seam is whole in one of them; no part is shorter than leastShare.
	overlapShare = 0.05
	leastShare   = 0.1
	mostLines    = 50
	commonTokens = 8192
)

// overlong reports whether a text is known to be too long before it is sent.
func (e *Remote) overlong(text string) bool {
	return !e.opts.Whole && e.limit > 0 && len(text) > e.limit && utf8.RuneCountInString(text) > e.limit
}

// partsFor are the sizes in which a text is split.
func (e *Remote) partsFor(text string) splitter {
	given := e.opts.Parts
	size := float64(contextOf(e.opts.Model)) * partShare
	if given.Longest > 0 {
		size = float64(given.Longest)
	} else if wide(text) > wideShare {
		size /= wideFactor
	}
	if e.limit > 0 {
		size = min(size, float64(e.limit))
	}
	s := splitter{size: max(int(size), 1), lines: mostLines, anywhere: given.Anywhere, code: e.code}
	s.overlap, s.least = int(size*overlapShare), int(size*leastShare)
	if given.Overlap > 0 {
		s.overlap = given.Overlap
	}
	if given.Shortest > 0 {
		s.least = given.Shortest
	}
	if given.Lines > 0 {
		s.lines = given.Lines
	}
	return s.sound()
}

// long embeds the text at a place in parts: the mean of their vectors, each of
// length 1, brought back to length 1. fault is how the provider refused the text,
// nil if it was not asked.
func (r *run) long(at int, fault error) error {
	text := r.texts[at]
	s := r.e.partsFor(text)
	for range r.depth {
		s.size /= 2
	}
	half := (utf8.RuneCountInString(text) + 1) / 2
	s.size = min(s.size, half) // whatever we think of its length
	var parts []string
	switch {
	case r.depth > deepest || half < smallest && fault != nil:
		return r.fail(at, fault) // it is something else that is too long
	case r.depth == deepest:
		parts = []string{firstChars(text, s.size)}
	default:
		parts = s.sound().split(text)
	}
	inner := &run{e: r.e, ctx: r.ctx, kind: r.kind, depth: r.depth + 1, tally: r.tally, texts: parts}
	err := inner.all()
	var part *partError
	switch {
	case errors.As(err, &part):
		return r.fail(at, part.err)
	case err != nil:
		return err
	}
	v := mean(inner.result)
	if err := Check(v, r.e.width); err != nil {
		return r.fail(at, fmt.Errorf("averaging %d parts: %w", len(parts), err))
	}
	r.result[at] = v
	return nil
}

// fail gives up a text; within a longer one, all of that.
func (r *run) fail(at int, err error) error {
	if r.depth > 0 {
		return &partError{err}
	}
	r.failed[at] = err
	return nil
}

// mean is the arithmetic mean of the vectors' directions, of length 1; all zero
// if they cancel out.
func mean(vectors [][]float32) []float32 {
	sum := make([]float64, len(vectors[0]))
	for _, v := range vectors {
		length := norm2(v)
		for i, x := range v {
			sum[i] += float64(x) / length
		}
	}
	var square float64
	for _, x := range sum {
		square += x * x
	}
	out := make([]float32, len(sum))
	if square == 0 {
		return out
	}
	for i, x := range sum {
		out[i] = float32(x / math.Sqrt(square))
	}
	return out
}

// norm2 is the length of a vector that Check has let through.
func norm2(v []float32) float64 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	return math.Sqrt(square)
}

// firstChars keeps the first n characters.
func firstChars(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
