package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// LogRequest asks for recorded changes, newest first.
type LogRequest struct {
	Who Who
	// Limit is how many; 0 means 20.
	Limit int
	// Since leaves out what is older.
	Since time.Time
	// Agent keeps what was done on behalf of one agent.
	Agent string
	// Scope keeps changes of memories in it; it must be within reach.
	Scope string
}

const defaultLog = 20

// LogAnswer is the newest part of the record.
type LogAnswer struct {
	Records []Record
	// More is set when there are older ones that fit.
	More       bool
	Unreadable []string
}

// Log tells what was changed lately.
func (e *Engine) Log(ctx context.Context, r LogRequest) (LogAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return LogAnswer{}, err
	}
	filter, err := access.Read(r.Scope)
	if err != nil {
		return LogAnswer{}, err
	}
	db, err := e.opened(ctx)
	if err != nil {
		return LogAnswer{}, err
	}
	book, err := bookOf(db)
	if err != nil {
		return LogAnswer{}, err
	}
	if r.Limit <= 0 {
		r.Limit = defaultLog
	}
	reader := reader{access: access, filter: filter}
	var answer LogAnswer
	for rec, err := range book.Newest() {
		if ctx.Err() != nil {
			return LogAnswer{}, ctx.Err()
		}
		if err != nil {
			answer.Unreadable = append(answer.Unreadable, err.Error())
			continue
		}
		if rec.At.Before(r.Since) {
			break
		}
		if r.Agent != "" && rec.Agent != r.Agent {
			continue
		}
		seen, ok := reader.see(rec, nil)
		if !ok {
			continue
		}
		if len(answer.Records) == r.Limit {
			answer.More = true
			break
		}
		answer.Records = append(answer.Records, seen)
	}
	return answer, nil
}

// bookOf is the record of a database's changes.
func bookOf(db *store.Store) (*journal.Journal, error) {
	if book := db.Journal(); book != nil {
		return book, nil
	}
	return nil, storage("reading the record of changes", db.JournalProblem())
}

// recorded finds one change by its number.
func recorded(ctx context.Context, book *journal.Journal, seq uint64) (journal.Recorded, error) {
	if seq > 0 {
		for rec, err := range book.Since(seq - 1) {
			switch {
			case ctx.Err() != nil:
				return journal.Recorded{}, ctx.Err()
			case err != nil:
				return journal.Recorded{}, storage(fmt.Sprintf("reading change %d", seq), err)
			case rec.Seq == seq:
				return rec, nil
			case rec.Seq > seq:
				return journal.Recorded{}, &NoRecordError{Seq: seq}
			}
		}
	}
	return journal.Recorded{}, &NoRecordError{Seq: seq}
}

// NoRecordError is the number of a change that is not recorded, or that the
// caller may not see.
type NoRecordError struct{ Seq uint64 }

func (e *NoRecordError) Error() string {
	return fmt.Sprintf("no change %d is recorded; `memory-pro log` lists them. Changes of before the record began, and the oldest ones of a long record, are not in it", e.Seq)
}
