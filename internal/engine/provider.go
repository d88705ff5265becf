package engine

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
)

// unlimited stands for no time limit of the client's own.
const unlimited = 24 * time.Hour

// chooseEmbedder makes what the configuration describes: the model inside the
// program when it names no other. Without an embedder memories are found by
// keywords alone, and why says what is wrong, unless that was asked for.
func chooseEmbedder(c config.Config) (made Embedder, why string, err error) {
	switch {
	case c.EmbeddingFault != "":
		return nil, c.EmbeddingFault, nil
	case !c.Local():
		made, err := newEmbedder(*c.Embedding, c.VectorCache)
		if err != nil {
			return nil, "", &config.Error{Problems: []error{err}}
		}
		return made, "", nil
	case c.ModelFile == config.ModelOff:
		return nil, "", nil
	}
	local, err := embed.NewLocal(embed.LocalOptions{Path: c.ModelFile})
	if err != nil {
		return nil, err.Error(), nil
	}
	return local, "", nil
}

// newEmbedder makes the client of a provider. It takes no other model than the one
// named, however long that is not to be had.
func newEmbedder(c config.Embedding, cache string) (*embed.Remote, error) {
	timeout := time.Duration(c.ClientTimeoutMs) * time.Millisecond
	if timeout == 0 {
		timeout = unlimited
	}
	made, err := embed.NewRemote(embed.Options{
		APIKeys: c.APIKeys, BaseURL: c.BaseURL, Model: c.Model,
		Azure: c.Provider == config.ProviderAzure, APIVersion: c.APIVersion,
		Dimensions: c.Dimensions, RequestDimensions: c.RequestDimensions, OmitDimensions: c.OmitDimensions,
		Normalized: c.Normalized, TaskQuery: c.TaskQuery, TaskPassage: c.TaskPassage,
		Timeout: timeout, MaxInputChars: c.MaxInputChars,
		Whole: !c.Chunking, Parts: partSizes(c.AutoChunk), Code: c.ASTChunking, CodeLanguages: c.ASTLanguages,
		CacheDir: cache,
	})
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	return made, nil
}

// partSizes are those somebody has set; what nobody has goes by the model.
func partSizes(c config.AutoChunk) embed.PartSizes {
	value := func(p *int) int {
		if p == nil {
			return 0
		}
		return *p
	}
	return embed.PartSizes{Longest: value(c.MaxChunkSize), Overlap: value(c.OverlapSize), Shortest: value(c.MinChunkSize), Lines: value(c.MaxLines), Anywhere: !c.SemanticSplit}
}

// warmEmbedder opens the embedded model ahead of the first question.
func (e *Engine) warmEmbedder() {
	if e.embedder == nil {
		return
	}
	model, ok := e.embedder.Embedder.(interface{ Warm(context.Context) error })
	if !ok {
		return
	}
	e.work.Go(func() {
		begun := time.Now()
		err := model.Warm(e.background)
		if e.background.Err() != nil {
			return
		}
		e.embedder.note(err)
		if err != nil {
			e.log.Error("memories are found by keywords alone until the embedded model can be opened; every use tries again", "error", err)
			return
		}
		e.log.Debug("the embedded model is open", "took", time.Since(begun).Round(time.Millisecond))
	})
}

// closeEmbedder frees the model this engine made; one it was given stays open.
func (e *Engine) closeEmbedder() error {
	if e.embedder == nil || !e.ownEmbedder {
		return nil
	}
	if model, ok := e.embedder.Embedder.(io.Closer); ok {
		return model.Close()
	}
	return nil
}

// embedderReady reports whether the embedder needs no time to get ready.
func (e *Engine) embedderReady() bool {
	if e.embedder == nil {
		return false
	}
	model, ok := e.embedder.Embedder.(interface{ Ready() bool })
	return !ok || model.Ready()
}

// local reports whether the model inside the program makes the vectors.
func (e *Engine) local() bool {
	if e.embedder == nil {
		return false
	}
	_, ok := e.embedder.Embedder.(*embed.Local)
	return ok
}
