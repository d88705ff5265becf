package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/recalls"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Recalls are noted twice: as numbers in memory, for Stats, and with question and
// hits in a bounded record beside the database, for Replay and for processes that
// end. A recall never waits for the disk; under pressure its note is dropped.
const (
	// recallsHeld is how many may wait to be written.
	recallsHeld = 64
	// recallPatience bounds one writing, and with it what Close may wait.
	recallPatience = time.Second
	// recordedRunes is how much of a question is kept.
	recordedRunes = 2000
	// recordedDrops is how many dropped ids are named.
	recordedDrops = 40
)

// recallNotes is what an engine knows of its own recalls.
type recallNotes struct {
	ring recalls.Ring

	// writing is held from taking what is held until it is on the disk.
	writing sync.Mutex

	mu      sync.Mutex
	held    []recalls.Entry
	running bool
	closed  bool
	lost    int64 // notes that were dropped
	cleared bool  // what an earlier configuration kept is deleted
	book    *recalls.File

	once     sync.Once
	settings string
}

// settings names those of this engine; see settingsOf.
func (e *Engine) settings() string {
	n := &e.recalls
	n.once.Do(func() { n.settings = settingsOf(e.cfg, e.embedder) })
	return n.settings
}

// recallsOf is the record of a database's recalls.
func (e *Engine) recallsOf(db *store.Store) *recalls.File {
	n := &e.recalls
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.book == nil {
		n.book = recalls.In(db.StateDir())
	}
	return n.book
}

// noteRecall notes one recall, or that it failed. What was asked wrongly, or given
// up, is none.
func (e *Engine) noteRecall(r RecallRequest, a RecallAnswer, err error, took time.Duration) {
	entry := recalls.Entry{
		ID: recalls.NewID(), At: e.now().UTC().Truncate(time.Millisecond), Source: r.Source, Agent: a.Agent,
		Query: firstRunes(a.Query, recordedRunes), Scope: r.Scope, Category: r.Category, Limit: r.Limit, Without: r.Without, Prefer: r.Prefer,
		Narrow: narrowed(r.Narrow), Config: e.settings(), Took: took,
	}
	entry.Cut = entry.Query != a.Query
	switch fault := FaultOf(err); {
	case err == nil && !rank.Searchable(a.Query):
		return
	case err == nil:
		cameOf(&entry, a.Result)
	case fault == FaultStoreUnavailable || fault == FaultDeadline || fault == FaultProvider || fault == FaultInternal:
		entry.Failed = string(fault)
	default:
		return
	}
	n := &e.recalls
	n.ring.Add(entry)
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.closed, !e.cfg.RecallLog && n.cleared:
		return
	case len(n.held) >= recallsHeld:
		n.lost++
		return
	}
	n.held = append(n.held, entry)
	if !n.running {
		n.running = true
		e.work.Go(e.writeRecalls)
	}
}

// cameOf puts into an entry what came of a recall: ids and numbers.
func cameOf(entry *recalls.Entry, found retrieve.Result) {
	entry.Mode = found.Mode
	entry.Stages = make([]recalls.Stage, 0, len(found.Stages))
	entry.Hits = make([]recalls.Hit, 0, len(found.Hits))
	entry.Dropped = make([]string, 0, min(len(found.Dropped), recordedDrops))
	for _, d := range found.Degraded {
		entry.Degraded = append(entry.Degraded, d.Half)
	}
	for _, s := range found.Stages {
		entry.Stages = append(entry.Stages, recalls.Stage{Name: s.Name, In: s.In, Out: s.Out, Took: s.Took})
	}
	for _, h := range found.Hits {
		entry.Hits = append(entry.Hits, recalls.Hit{ID: h.Memory.ID, Score: h.Score})
	}
	for _, d := range found.Dropped {
		if entry.Drops == nil {
			entry.Drops = map[string]int{}
		}
		entry.Drops[d.Reason]++
		if len(entry.Dropped) < recordedDrops {
			entry.Dropped = append(entry.Dropped, d.ID)
		}
	}
}

// narrowed is what a request leaves out beyond category and validity; nil for nothing.
func narrowed(n memory.Narrow) *memory.Narrow {
	n.Category, n.ActiveAt = "", time.Time{}
	if reflect.ValueOf(n).IsZero() {
		return nil
	}
	return &n
}

// settingsOf names the settings that ranking depends on, so that two recalls can be
// compared: twelve hexadecimal digits. Keys are not part of it.
func settingsOf(c config.Config, model *watched) string {
	hasKey := len(c.Retrieval.Rerank.APIKeys) > 0
	c.Retrieval.Rerank.APIKeys = nil
	fingerprint := ""
	if model != nil {
		fingerprint = model.Fingerprint()
	}
	text, _ := json.Marshal([]any{c.Retrieval, c.Decay, c.Tier, hasKey, fingerprint}) // plain values always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// writeRecalls is the goroutine that writes what is held; it ends when nothing is.
func (e *Engine) writeRecalls() {
	for e.writeSome() {
	}
}

// writeSome writes what is held at the moment, and reports whether there was any.
func (e *Engine) writeSome() bool {
	n := &e.recalls
	n.writing.Lock()
	defer n.writing.Unlock()
	n.mu.Lock()
	entries := n.held
	n.held = nil
	n.running = len(entries) > 0
	n.mu.Unlock()
	if len(entries) == 0 {
		return false
	}
	db, _ := e.opening.now()
	if db == nil {
		return true // nobody knows where to
	}
	if err := e.record(db, entries); err != nil {
		n.mu.Lock()
		n.lost += int64(len(entries))
		n.mu.Unlock()
		if e.complaints.fresh("recalls", err.Error()) {
			e.log.Warn("recalls could not be recorded; they work all the same", "error", err)
		}
		return true
	}
	e.complaints.settled("recalls")
	return true
}

// record writes entries, or, where no record is wanted, deletes what there is.
func (e *Engine) record(db *store.Store, entries []recalls.Entry) error {
	book := e.recallsOf(db)
	if !e.cfg.RecallLog {
		e.recalls.mu.Lock()
		e.recalls.cleared = true
		e.recalls.mu.Unlock()
		return book.Clear()
	}
	ctx, cancel := context.WithTimeout(context.Background(), recallPatience)
	defer cancel()
	version, err := db.Version(ctx)
	if err != nil {
		version = 0 // not known, which is no reason to keep nothing
	}
	for i := range entries {
		entries[i].Version = version
	}
	return book.Append(ctx, entries...)
}

// closeRecalls lets nothing more be noted; what is held is written by the goroutine
// that Close waits for.
func (e *Engine) closeRecalls() {
	e.recalls.mu.Lock()
	defer e.recalls.mu.Unlock()
	e.recalls.closed = true
}
