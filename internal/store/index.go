package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// textIndex is how the text column is indexed. The icu tokenizer cuts Chinese,
// Japanese and Korean into words. Stop words stay in, because "the who" is a
// question too; positions are left out, because no query asks for phrases and
// they would double the index.
var textIndex = lance.TextIndexOptions{
	Tokenizer: "icu", Language: "English", Stem: true, LowerCase: true, ASCIIFolding: true, Replace: true,
}

// IndexState says how keyword search stands.
type IndexState struct {
	Present bool
	// Indexed and Unindexed count rows. Unindexed ones are found too, a little
	// slower; maintenance folds them in.
	Indexed, Unindexed int64
	Tokenizer          string
	// Problem is why the index could not be built, if it could not.
	Problem string
}

// TextIndex describes the text index as it is now.
func (s *Store) TextIndex(ctx context.Context) (IndexState, error) {
	var state IndexState
	if p := s.indexProblem.Load(); p != nil {
		state.Problem = *p
	}
	ix, err := s.findTextIndex(ctx)
	if err != nil || ix == nil {
		return state, err
	}
	state.Present = true
	state.Indexed, state.Unindexed = ix.IndexedRows, ix.UnindexedRows
	state.Tokenizer, _ = ix.Params["base_tokenizer"].(string)
	return state, nil
}

func (s *Store) findTextIndex(ctx context.Context) (*lance.Index, error) {
	list, err := s.indexes(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for the text index: %w", err)
	}
	return textIndexIn(list), nil
}

func textIndexIn(list []lance.Index) *lance.Index {
	for i, ix := range list {
		if ix.Type == "FTS" && slices.Contains(ix.Columns, colText) {
			return &list[i]
		}
	}
	return nil
}

func (s *Store) indexes(ctx context.Context) (list []lance.Index, err error) {
	err = s.use(func(t *lance.Table) (err error) {
		list, err = t.Indexes(ctx)
		return err
	})
	return list, err
}

// wantsTextIndex reports whether the index is missing or made otherwise, as the
// Node package makes it: without Chinese words, and without stop words.
func (s *Store) wantsTextIndex(ctx context.Context) (bool, error) {
	ix, err := s.findTextIndex(ctx)
	if err != nil || ix == nil {
		return err == nil, err
	}
	want := map[string]any{
		"base_tokenizer": textIndex.Tokenizer, "language": textIndex.Language,
		"stem": textIndex.Stem, "lower_case": textIndex.LowerCase, "ascii_folding": textIndex.ASCIIFolding,
		"remove_stop_words": textIndex.RemoveStopWords, "with_position": textIndex.WithPosition,
	}
	for key, value := range want {
		if have, ok := ix.Params[key]; ok && have != value {
			return true, nil
		}
	}
	// An index that does not state its tokenizer was not made by us.
	_, ok := ix.Params["base_tokenizer"]
	return !ok, nil
}

// buildTextIndex makes the index as it should be. The caller holds the write
// lock. A failure leaves keyword search degraded and everything else working;
// the next write tries again.
func (s *Store) buildTextIndex(ctx context.Context) {
	wants, err := s.wantsTextIndex(ctx)
	if err == nil && wants {
		err = s.use(func(t *lance.Table) error { return t.CreateTextIndex(ctx, colText, textIndex) })
	}
	s.indexWanted.Store(err != nil)
	if err == nil {
		s.indexProblem.Store(nil)
		return
	}
	problem := err.Error()
	s.indexProblem.Store(&problem)
	s.log.Warn("keyword search is degraded: the text index could not be built; the next store tries again",
		"path", s.path, "error", err)
}
