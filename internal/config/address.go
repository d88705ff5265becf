package config

import (
	"fmt"
	"strings"
)

// A service is chosen by its address, or by the name of who runs it. Where neither is
// given, texts and a key go to the default. So one that may be hidden under a wrong
// name switches the service off: memories would be sent to somebody nobody chose.

// misspeltAddress refuses embedding or reranking when an unknown key, for which right
// is the likely name, seems to say whom to ask.
func (p *parser) misspeltAddress(unknown, right string) bool {
	name, holdsAddress := fold(unknown), p.addresses[unknown]
	block := ""
	switch e, r := p.c.Embedding, p.c.Retrieval.Rerank; {
	case e != nil && e.Provider != ProviderLocal && p.given["embedding.baseURL"] == nil &&
		(right == "embedding.baseURL" || strings.HasPrefix(name, "embedding.") && (right == "embedding.provider" || holdsAddress)):
		block = "embedding.baseURL"
	case r.Mode == "cross-encoder" && len(r.APIKeys) > 0 && p.given["retrieval.rerankEndpoint"] == nil &&
		(right == "retrieval.rerankEndpoint" || right == "retrieval.rerankProvider" || strings.HasPrefix(name, "retrieval.") && holdsAddress):
		block = "retrieval.rerankEndpoint"
	default:
		return false
	}
	if k, known := byPath[right]; known && strings.HasPrefix(k.Path, block[:strings.IndexByte(block, '.')]) {
		p.problem(k, fmt.Errorf("%s: no such key; the right spelling is %s", shown(unknown), right))
		return true
	}
	p.problem(byPath[block], fmt.Errorf("%s: no such key, and it holds an address; write it as %s, or take it out", shown(unknown), block))
	return true
}

// isAddress reports whether a value is an address of the web.
func isAddress(v any) bool {
	s, _ := v.(string)
	s = strings.ToLower(strings.TrimSpace(s))
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// choosesService reports whether a key lies where services are chosen.
func choosesService(name string) bool {
	name = fold(name)
	return strings.HasPrefix(name, "embedding.") || strings.HasPrefix(name, "retrieval.")
}
