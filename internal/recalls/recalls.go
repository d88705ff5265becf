// Package recalls keeps what is known of past recalls: a bounded record on disk,
// from which one can be run again (File), and figures about the newest ones of a
// process (Ring, Summarize).
//
// An Entry holds a question, ids and numbers, and no text of a memory. Questions
// are as private as memories: the file is its owner's alone, bounded in size, and
// Clean takes out what is to be forgotten.
//
// Caveats: the record is a courtesy. It is not synced, and an entry may be lost
// with a process; what is read back is whole lines only.
package recalls

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Entry is one recall.
type Entry struct {
	// ID is eight hexadecimal digits.
	ID string    `json:"id"`
	At time.Time `json:"at"`
	// Source says who asked: the tool, the hook or the command line.
	Source string `json:"source,omitempty"`
	// Agent is on whose behalf; empty for the operator, who sees all.
	Agent string `json:"agent,omitempty"`
	Query string `json:"query"`
	// Cut is set when Query is only the beginning of what was asked.
	Cut      bool   `json:"cut,omitempty"`
	Scope    string `json:"scope,omitempty"`
	Category string `json:"category,omitempty"`
	Limit    int    `json:"limit,omitempty"`
	// Narrow and Without are what else was left out, Prefer what was lifted.
	Narrow  *memory.Narrow          `json:"narrow,omitempty"`
	Without map[string]string       `json:"without,omitempty"`
	Prefer  []memory.StoredCategory `json:"prefer,omitempty"`
	// Config names the settings that ranking depends on, Version the table's.
	Config  string `json:"config,omitempty"`
	Version int64  `json:"version,omitempty"`

	Mode     string        `json:"mode,omitempty"`
	Degraded []string      `json:"degraded,omitempty"`
	Failed   string        `json:"failed,omitempty"` // the kind of failure
	Took     time.Duration `json:"tookNs"`
	Stages   []Stage       `json:"stages,omitempty"`
	Hits     []Hit         `json:"hits,omitempty"`
	// Drops counts the candidates that were left out, by reason; Dropped names some.
	Drops   map[string]int `json:"drops,omitempty"`
	Dropped []string       `json:"dropped,omitempty"`
}

// Stage is one step of a recall.
type Stage struct {
	Name string        `json:"name"`
	In   int           `json:"in"`
	Out  int           `json:"out"`
	Took time.Duration `json:"tookNs"`
}

// Hit is one memory that was found, at its place in the list.
type Hit struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

// NewID makes the id of an entry.
func NewID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Found reports whether the recall found a memory.
func (e *Entry) Found(id string) bool {
	return slices.ContainsFunc(e.Hits, func(h Hit) bool { return h.ID == id })
}

// Unname takes a memory out that the recall looked at and did not find: out of what
// it dropped, and of what it was told to leave out. The counts stay.
func (e *Entry) Unname(id string) {
	if slices.Contains(e.Dropped, id) {
		e.Dropped = slices.DeleteFunc(slices.Clone(e.Dropped), func(d string) bool { return d == id })
	}
	if _, without := e.Without[id]; without {
		e.Without = maps.Clone(e.Without) // it is also the caller's
		delete(e.Without, id)
	}
}
