package config

import "strings"

// finishEmbedding settles what depends on several keys.
func (p *parser) finishEmbedding() {
	e := p.c.Embedding
	if e == nil || e.Provider == ProviderLocal || p.c.EmbeddingFault != "" {
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

// settleEmbedding runs last: unknown keys may have made the block unusable.
func (p *parser) settleEmbedding() {
	if p.c.EmbeddingFault != "" {
		p.c.Embedding = nil
	}
}
