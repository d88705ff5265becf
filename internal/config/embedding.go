package config

import (
	"slices"
	"strings"
)

// finishEmbedding settles what depends on several keys.
func (p *parser) finishEmbedding() {
	e := p.c.Embedding
	if e == nil || p.c.EmbeddingFault != "" {
		return
	}
	if e.Provider == ProviderLocal {
		p.noteIdleEmbedding()
		return
	}
	if len(e.APIKeys) == 0 {
		ambient, _ := p.env.Lookup("OPENAI_API_KEY")
		switch ambient = strings.TrimSpace(ambient); {
		case ambient != "":
			e.APIKeys = []string{ambient}
		case e.BaseURL != "":
			e.APIKeys = []string{""}
		default:
			p.problem(byPath["embedding.apiKey"], &KeyError{"embedding.apiKey", "no key, and OPENAI_API_KEY is not set",
				"a key, a secret reference, or no embedding block at all to use the model inside the program"})
		}
	}
}

// noteIdleEmbedding names what stands in the block for a provider that is not asked,
// where a model is named: who did so may believe that it is used.
func (p *parser) noteIdleEmbedding() {
	var idle []string
	for _, k := range keys {
		if _, set := p.given[k.Path]; set && strings.HasPrefix(k.Path, "embedding.") && k.Path != "embedding.provider" {
			idle = append(idle, k.Path)
		}
	}
	if slices.Contains(idle, "embedding.model") {
		p.c.notice("embedding.provider is local, the model inside the program: without effect are %s; remove them, or name the provider they are for", strings.Join(idle, ", "))
	}
}

// settleEmbedding runs last: unknown keys may have made the block unusable.
func (p *parser) settleEmbedding() {
	if p.c.EmbeddingFault != "" {
		p.c.Embedding = nil
	}
}
