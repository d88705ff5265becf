package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed/weights"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

// probePatience is how long a provider may take for one short text.
const probePatience = 2 * time.Second

// embedding: can texts be turned into vectors right now?
func embedding(ctx context.Context, p *Patient) []Finding {
	const name = "embedding"
	if p.EngineError != nil {
		return []Finding{{Check: name, Status: Fail, Summary: p.EngineError.Error()}}
	}
	if p.Engine == nil {
		return unseen(name)
	}
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	probe := p.Engine.ProbeEmbedding(ctx)
	f := embeddingFinding(probe)
	if f.Status == OK && probe.Mode == "local" && p.Config.ModelFile == "" {
		if damaged, bad := modelFile(probe.File); bad {
			return []Finding{f, damaged}
		}
	}
	return []Finding{f}
}

func embeddingFinding(probe engine.EmbeddingProbe) Finding {
	f := Finding{Check: "embedding", Status: OK, Facts: map[string]any{"mode": probe.Mode}}
	if probe.Model != "" {
		f.Facts["model"], f.Facts["dimensions"] = probe.Model, probe.Width
	}
	what := fmt.Sprintf("the provider's model %s", probe.Model)
	if probe.Mode == "local" {
		what = fmt.Sprintf("the embedded model %s", probe.Model)
	}
	switch {
	case probe.Mode == "keywords" && probe.Err == nil:
		f.Status, f.Summary = Note, "switched off: memories are found by keywords alone"
	case probe.Mode == "keywords":
		f.Status, f.Summary = Fail, "memories are found by keywords alone: "+probe.Err.Error()
	case probe.Err != nil:
		f.Status, f.Summary = Fail, fmt.Sprintf("%s %s: %v", what, probe.Failing(), probe.Err)
		f.Next = "until it works, memories are found by keywords, and new ones get their vectors later"
	default:
		f.Summary = fmt.Sprintf("%s answers with %d numbers", what, probe.Width)
		f.Facts["took"] = probe.Took.Milliseconds()
	}
	return f
}

// modelFile holds the file of the embedded model against its checksum: a
// damaged one may still open, and give vectors of its own.
func modelFile(path string) (Finding, bool) {
	sum, _, err := weights.Sum(path)
	if err == nil && sum == weights.File.SHA256 {
		return Finding{}, false
	}
	f := Finding{Check: "embedding", Status: Fail, Summary: fmt.Sprintf("the file of the embedded model %s is damaged", path),
		Next: "install the plugin again"}
	if err != nil {
		f.Summary = fmt.Sprintf("the file of the embedded model cannot be read: %v", err)
	}
	return f, true
}
