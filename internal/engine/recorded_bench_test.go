package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/recalls"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// What a recall pays for being noted: the writing itself is in the background.
func BenchmarkNoteRecall(b *testing.B) {
	var a RecallAnswer
	a.Query, a.Agent = "which gate does my train to Bergen leave from", "main"
	for i := range 20 {
		a.Hits = append(a.Hits, retrieve.Hit{Memory: memory.Memory{ID: fmt.Sprintf("%036d", i)}, Score: 0.5})
		a.Dropped = append(a.Dropped, retrieve.Drop{ID: fmt.Sprintf("%036d", 100+i), Reason: retrieve.ReasonMinScore})
		a.Stages = append(a.Stages, retrieve.Stage{Name: retrieve.StageFuse})
	}
	e := &Engine{now: time.Now}
	e.cfg.RecallLog = true
	e.recalls.running = true // nobody writes
	e.recalls.held = make([]recalls.Entry, recallsHeld-1, recallsHeld)
	for b.Loop() {
		e.recalls.held = e.recalls.held[:recallsHeld-1]
		e.noteRecall(RecallRequest{Source: retrieve.SourceManual}, a, nil, time.Millisecond)
	}
}
