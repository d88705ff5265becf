package engine

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
)

// refusals in a row are no longer about the texts.
const refusals = 3

// embedTexts asks for the vectors of many texts, and tells a text that cannot be
// embedded from a provider that cannot embed. A text is to blame only if it is
// refused, or answered with nothing usable, alone, while the provider embeds another:
// then its vector is nil and refused says why, by its place. Anything else is an
// error, which tells the provider's fault; vectors then holds what was made all the
// same, nil if nothing was. served is whether a refusal counts as the text's from the
// first one on; otherwise, until the provider has given a vector, a few refusals are
// its settings' fault.
func (e *Engine) embedTexts(ctx context.Context, texts []string, served bool) (vectors [][]float32, refused map[int]error, err error) {
	vectors, err = e.embedder.EmbedPassages(ctx, texts)
	if err == nil {
		return vectors, nil, nil
	}
	refused = map[int]error{}
	var some *embed.ItemsError
	if errors.As(err, &some) { // each of them was asked for alone
		for _, item := range some.Items {
			refused[item.Place] = item.Err
		}
		if vectors == nil {
			vectors = make([][]float32, len(texts))
		}
	} else {
		vectors = nil
		if !mayBeTheText(err) || e.embedder.works(ctx) != nil {
			return nil, nil, err
		}
		vectors = make([][]float32, len(texts))
		for i, text := range texts {
			v, err := e.embedder.EmbedPassage(ctx, text)
			switch {
			case err == nil:
				vectors[i], served = v, true
				continue
			case !mayBeTheText(err):
				return vectors, nil, err
			}
			if refused[i] = err; !served && len(refused) >= refusals {
				return nil, nil, err
			}
		}
		if len(refused) == 0 {
			return vectors, nil, nil
		}
	}
	if err := e.embedder.works(ctx); err != nil {
		return vectors, nil, theFault(refused, err)
	}
	return vectors, refused, nil
}

// theFault is the error that tells best what is wrong: of a provider that is down it
// is that, else what it made of the first text.
func theFault(refused map[int]error, works error) error {
	if down(works) || len(refused) == 0 {
		return works
	}
	return refused[slices.Min(slices.Collect(maps.Keys(refused)))]
}

// mayBeTheText reports whether a failure may lie in one of the texts: a server that
// refuses, or has no usable vector, does so for one of them or for all.
func mayBeTheText(err error) bool {
	return errors.Is(err, embed.ErrBadVector) || errors.Is(err, embed.ErrInput) || errors.Is(err, embed.ErrRejected)
}
