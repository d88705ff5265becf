package embed

import (
	"context"
	"fmt"
	"unicode/utf8"
)

// The embedded model reads 512 tokens and no more. A longer text is split, so that
// its end counts, too; the parts go to the model together. Texts that fit are
// embedded as they always were, and the vectors of longer ones lie where those of
// their beginnings do, so this needs no other fingerprint.
const (
	// localChars surely fit, in characters of a script with spaces; a character of
	// another counts as wideFactor.
	localChars = 1500
	localPart  = 1200
	// localParts bounds the time: a batch of the model. The rest is not read.
	localParts = localBatch
)

// parts splits a text that is too long for the model; nil for one that is not.
func (l *Local) parts(text string) []string {
	if l.raw || len(text) <= localChars/wideFactor {
		return nil
	}
	size, chars := float64(localPart), float64(utf8.RuneCountInString(text))
	share := wide(text)
	if chars*(1+(wideFactor-1)*share) <= localChars {
		return nil
	}
	if share > wideShare {
		size /= wideFactor
	}
	s := splitter{size: int(size), overlap: int(size * overlapShare), least: int(size * leastShare), lines: mostLines}.sound()
	parts := s.split(text)
	return parts[:min(len(parts), localParts)]
}

// long embeds the parts of a text and averages them.
func (l *Local) long(ctx context.Context, kind Kind, parts []string) ([]float32, error) {
	got, err := l.run(ctx, kind, parts)
	if err != nil {
		return nil, err
	}
	v := mean(got)
	if err := Check(v, LocalWidth); err != nil {
		return nil, fmt.Errorf("averaging %d parts of a long text: %w", len(parts), err)
	}
	return v, nil
}

// longOf embeds those of the texts that are too long, one after another, and gives
// the places of the others.
func (l *Local) longOf(ctx context.Context, texts []string, places []int, vectors [][]float32) (rest []int, err error) {
	for _, i := range places {
		parts := l.parts(texts[i])
		if len(parts) < 2 {
			rest = append(rest, i)
			continue
		}
		l.bulk.Lock()
		vectors[i], err = l.long(ctx, Passage, parts)
		l.bulk.Unlock()
		if err != nil {
			return nil, err
		}
		l.cache.put(Passage, texts[i], vectors[i])
	}
	return rest, nil
}
