package server

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// toolExplainRank is the agent tool memory_explain_rank.
func (s *session) toolExplainRank(ctx context.Context, p protocol.ToolParams) (protocol.ToolResult, error) {
	r, a, err := s.explained(ctx, protocol.ToolExplainRank, p)
	if err != nil {
		return protocol.ToolResult{}, err
	}
	d := explainDetails(r, a)
	d.Diagnostics.Explain = nil // the memories' own trees are what was asked for
	return protocol.Text(explainText(d, a), d), nil
}

// explainText gives four lines to each memory: its scores, where it stands, how it
// was used, and what it says. The last is data a model must not obey, and so stands
// in the block with the rest.
func explainText(d protocol.ExplainDetails, a engine.RecallAnswer) string {
	var b strings.Builder
	ignored(&b, a)
	switch len(a.Hits) {
	case 0:
		b.WriteString("Nothing relevant is remembered.")
		return b.String()
	case 1:
		b.WriteString("1 memory, and why it is found:\n")
	default:
		fmt.Fprintf(&b, "%d memories, best first, and why they stand so:\n", len(a.Hits))
	}
	at := 0
	b.WriteString(a.BlockOf(func(h retrieve.Hit) []string {
		m := d.Memories[at]
		at++
		return []string{
			fmt.Sprintf("score=%.3f vec=%s bm25=%s rerank=%s neighbors=%d", m.Score,
				sourceText(m.Sources.Vector), sourceText(m.Sources.BM25), sourceText(m.Sources.Reranked), len(m.Neighbors)),
			fmt.Sprintf("state=%s layer=%s source=%s tier=%s", m.State, m.Layer, m.Source, m.Tier),
			fmt.Sprintf("access=%d injected=%d badRecall=%d suppressedUntilMs=%d", m.AccessCount, m.InjectedCount, m.BadRecallCount, m.SuppressedUntilMs),
			engine.Shorten(h.Memory.Abstract(), protocol.DefaultMaxChars),
		}
	}))
	return b.String()
}

func sourceText(s *protocol.Source) string {
	switch {
	case s == nil:
		return "n/a"
	case s.Rank == 0:
		return fmt.Sprintf("%.3f", s.Score)
	}
	return fmt.Sprintf("%.3f(#%d)", s.Score, s.Rank)
}

// explainedOf is a hit with its tree and with what is known of the memory.
func explainedOf(h retrieve.Hit) protocol.ExplainedMemory {
	meta := h.Memory.Metadata
	m := protocol.ExplainedMemory{
		RecalledMemory: RecalledOf(h, true),
		State:          engine.Tame(meta.State), Layer: engine.Tame(h.Memory.Layer()), Source: engine.Tame(meta.Source), Tier: engine.Tame(string(meta.Tier)),
		AccessCount: meta.AccessCount, InjectedCount: counted(meta.Extra["injected_count"]), BadRecallCount: counted(meta.Extra["bad_recall_count"]),
	}
	if until := meta.SuppressedUntil(); !until.IsZero() {
		m.SuppressedUntilMs = until.UnixMilli()
	}
	return m
}

// counted is a number out of a table that other programs write to, too.
func counted(raw json.RawMessage) int {
	var n float64
	if json.Unmarshal(raw, &n) != nil || !(n > 0) {
		return 0
	}
	return int(min(n, math.MaxInt32))
}
