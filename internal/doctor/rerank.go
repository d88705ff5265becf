package doctor

import (
	"context"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

// reranker: does the second look at results work right now?
func reranker(ctx context.Context, p *Patient) []Finding {
	if p.Engine == nil || p.EngineError != nil {
		return nil // whether there is one is not known, and others say why
	}
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	probe := p.Engine.ProbeReranker(ctx)
	if !probe.Configured {
		return nil // nobody asked for one
	}
	return []Finding{rerankFinding(probe)}
}

func rerankFinding(probe engine.RerankProbe) Finding {
	f := Finding{Check: "reranker", Status: OK, Facts: map[string]any{}}
	switch {
	case probe.Name == "":
		f.Status, f.Summary = Warn, fmt.Sprintf("results are not reranked: %v", probe.Err)
		f.Next = "correct the setting and restart the gateway, or set retrieval.rerank to none"
	case probe.Err != nil:
		f.Status, f.Summary = Warn, fmt.Sprintf("it does not work: %v", probe.Err)
		f.Next = "until it does, results keep the order they have without it; retrieval.rerank set to none does without"
	default:
		f.Summary = fmt.Sprintf("%s answers", probe.Name)
	}
	if probe.Name != "" {
		f.Facts["provider"], f.Facts["took"] = probe.Name, probe.Took.Milliseconds()
	}
	return f
}
