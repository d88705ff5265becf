package embed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

// Remote embeds through a server. It is safe for concurrent use.
type Remote struct {
	opts    Options
	address address
	hints   hints
	wire    wire
	keys    *provider.Keys
	width   int
	limit   int // longest text sent, in characters; 0 is not known
	code    []language
	batch   atomic.Int64 // most texts of one request
	cache   *cache
}

// NewRemote checks the options. It does not contact the server.
func NewRemote(o Options) (*Remote, error) {
	o, err := o.settled()
	if err != nil {
		return nil, err
	}
	a, err := addressOf(o)
	if err != nil {
		return nil, err
	}
	e := &Remote{opts: o, address: a, hints: hintsOf(profileOf(a.root, o.Model), o), keys: provider.NewKeys(o.APIKeys), width: widthOf(o), limit: o.MaxInputChars}
	e.keys.Now = o.Now
	if e.limit <= 0 {
		e.limit = knownInputChars(o.Model)
	}
	if o.Code {
		e.code = languagesOf(o.CodeLanguages)
	}
	e.batch.Store(int64(e.hints.batch))
	e.wire = wireOf(a, e.hints, o, e.keys.Secrets())
	e.cache = newCache(o.CacheSize, e.Fingerprint(), newDisk(o.CacheDir, e.Fingerprint(), e.width, o.CacheTTL, o.Now))
	return e, nil
}

// Close lets go of what is kept on disk.
func (e *Remote) Close() error { return e.cache.disk.close() }

// Dimensions is the width of every vector.
func (e *Remote) Dimensions() int { return e.width }

// Model is the model's name.
func (e *Remote) Model() string { return e.opts.Model }

// Fingerprint names everything that decides what a vector means. Vectors of
// different fingerprints must not be compared. What is as it is without being
// set does not appear, so that a table is not embedded anew because a later
// version has one setting more.
func (e *Remote) Fingerprint() string {
	o := e.opts
	s := fmt.Sprintf("%s model=%q dimensions=%d query=%q passage=%q", e.hints.print(), o.Model, e.width, e.hints.of(Query), e.hints.of(Passage))
	if e.hints.normalized && o.Normalized != nil {
		s += fmt.Sprintf(" normalized=%t", *o.Normalized)
	}
	switch {
	case o.Whole && e.limit > 0:
		s += fmt.Sprintf(" long=cut-%d", e.limit)
	case o.Whole:
		s += " long=whole"
	case o.Parts != PartSizes{}:
		p := o.Parts
		s += fmt.Sprintf(" long=%d,%d,%d,%d,%t", p.Longest, p.Overlap, p.Shortest, p.Lines, p.Anywhere)
	}
	if o.Code && !o.Whole {
		names := make([]string, len(e.code))
		for i, l := range e.code {
			names[i] = l.name
		}
		s += " code=" + strings.Join(names, ",")
	}
	return s
}

// Kept gives a vector that is there already, without asking anybody.
func (e *Remote) Kept(kind Kind, text string) ([]float32, bool) { return e.cache.get(kind, text) }

// EmbedQuery embeds a question.
func (e *Remote) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	return e.one(ctx, Query, text)
}

// EmbedPassage embeds a text to be stored.
func (e *Remote) EmbedPassage(ctx context.Context, text string) ([]float32, error) {
	return e.one(ctx, Passage, text)
}

// probeText is a text no memory consists of.
const probeText = "Is anybody there?"

// Probe asks for a vector without looking into a cache, and keeps none.
func (e *Remote) Probe(ctx context.Context) error {
	r := e.run(ctx, Query, []string{probeText})
	if err := r.all(); err != nil {
		return err
	}
	return r.failed[0]
}

func (e *Remote) one(ctx context.Context, kind Kind, text string) ([]float32, error) {
	if empty(text) {
		return nil, fmt.Errorf("embedding a text: it is empty: %w", ErrInput)
	}
	return e.cache.do(ctx, kind, text, func() ([]float32, error) {
		r := e.run(ctx, kind, []string{text})
		if err := r.all(); err != nil {
			return nil, err
		}
		return r.result[0], r.failed[0]
	})
}

// EmbedPassages embeds texts to be stored, in order. If only some cannot be
// embedded, their vectors are nil and the error is an *ItemsError; any other
// error means that there are no vectors at all.
func (e *Remote) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, failed := make([][]float32, len(texts)), map[int]error{}
	places := map[string][]int{} // a text twice in a batch is sent once
	var missing []string
	for i, text := range texts {
		if empty(text) {
			failed[i] = fmt.Errorf("embedding a text: it is empty: %w", ErrInput)
			continue
		}
		if v, ok := e.cache.get(Passage, text); ok {
			vectors[i] = v
			continue
		}
		if places[text] == nil {
			missing = append(missing, text)
		}
		places[text] = append(places[text], i)
	}
	r := e.run(ctx, Passage, missing)
	broken := r.all()
	for j, text := range missing {
		if r.result[j] != nil { // also when the rest is not to be had: it costs no second time
			e.cache.put(Passage, text, r.result[j])
		}
		for _, i := range places[text] {
			vectors[i] = slices.Clone(r.result[j])
			if err := r.failed[j]; err != nil {
				failed[i] = err
			}
		}
	}
	if broken != nil {
		return nil, broken
	}
	return vectors, itemsError(failed, len(texts))
}

func itemsError(failed map[int]error, of int) error {
	if len(failed) == 0 {
		return nil
	}
	e := &ItemsError{Of: of}
	for i := range of {
		if err := failed[i]; err != nil {
			e.Items = append(e.Items, ItemError{i, err})
		}
	}
	return e
}

// run begins a call.
func (e *Remote) run(ctx context.Context, kind Kind, texts []string) *run {
	if e.opts.Whole && e.limit > 0 {
		cut := make([]string, len(texts))
		for i, text := range texts {
			cut[i] = firstChars(text, e.limit)
		}
		texts = cut
	}
	return &run{e: e, ctx: ctx, kind: kind, tally: &tally{}, texts: texts}
}

// request asks for a few texts at once, with each key in turn. Without any usable
// vector the result is nil; a single one that is not is a nil in it. The error
// says why, if anything is missing.
func (e *Remote) request(ctx context.Context, kind Kind, texts []string) (vectors [][]float32, err error) {
	var got []numbered
	send := func(key string) error {
		call, cancel := context.WithTimeout(ctx, e.opts.Timeout)
		defer cancel()
		var err error
		got, err = e.wire.send(call, key, kind, texts)
		return provider.Redact(err, e.keys.Secrets(), texts...)
	}
	if e.keys.Len() > 1 {
		err = e.keys.Do(ctx, send)
	} else {
		err = send(e.keys.Secrets()[0]) // there is none to turn to while it rests
	}
	if err != nil {
		return nil, e.explain(ctx, err)
	}
	vectors, err = placed(got, len(texts))
	usable, widths := 0, 0
	for i, v := range vectors {
		if v == nil {
			continue
		}
		if bad := Check(v, e.width); bad != nil {
			vectors[i] = nil
			if err = bad; errors.Is(bad, errWidth) {
				widths++
				err = fmt.Errorf("%w%s", bad, e.widthHint(len(v)))
			}
			continue
		}
		usable++
	}
	if err != nil {
		err = fmt.Errorf("embedding with %s: %w", e.name(), err)
	}
	if usable == 0 || widths > 0 {
		return nil, err // a width that varies is no width
	}
	return vectors, err
}

// name is the model and where it runs, for messages.
func (e *Remote) name() string { return fmt.Sprintf("%q at %s", e.opts.Model, e.address.root.Host) }

// widthHint is the way out of a wrong width.
func (e *Remote) widthHint(got int) string {
	switch {
	case e.opts.RequestDimensions > 0 && e.opts.OmitDimensions:
		return fmt.Sprintf("; set embedding.omitDimensions to false, so that the width is asked for, or remove embedding.requestDimensions and set embedding.dimensions to %d", got)
	case e.opts.width() > 0:
		return fmt.Sprintf("; the provider ignores the width asked for: remove embedding.requestDimensions and set embedding.dimensions to %d", got)
	}
	return fmt.Sprintf("; set embedding.dimensions to %d, or embedding.requestDimensions to %d if the provider can shorten its vectors", got, e.width)
}
