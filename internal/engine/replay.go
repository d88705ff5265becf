package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/recalls"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// RecordedRequest asks for recorded recalls, newest first.
type RecordedRequest struct {
	Who   Who
	Limit int // 0 means 20
}

// Recorded lists the newest recorded recalls.
func (e *Engine) Recorded(ctx context.Context, r RecordedRequest) ([]recalls.Entry, error) {
	list, err := e.recorded(ctx, r.Who)
	if err != nil {
		return nil, err
	}
	if r.Limit <= 0 {
		r.Limit = 20
	}
	return list[:min(r.Limit, len(list))], nil
}

// recorded gives all that who may know of, newest first.
func (e *Engine) recorded(ctx context.Context, who Who) ([]recalls.Entry, error) {
	access, err := e.access(who)
	if err != nil {
		return nil, err
	}
	db, err := e.opened(ctx)
	if err != nil {
		return nil, err
	}
	list, err := e.recallsOf(db).Read(ctx)
	if err != nil {
		return nil, storage("reading recorded recalls", err)
	}
	list = onlyOf(list, access)
	slices.Reverse(list)
	return list, nil
}

// NoRecallError names a recall that is not recorded.
type NoRecallError struct {
	Reference string
	Recorded  int
}

func (e *NoRecallError) Error() string {
	if e.Recorded == 0 {
		return "no recall is recorded: they are kept from the first one on, unless recallLog is false"
	}
	return fmt.Sprintf("no recorded recall is %.40q: give a number from 1, the newest, to %d, or an id that `memory-pro replay` lists", e.Reference, e.Recorded)
}

// ReplayRequest names a recorded recall to run again.
type ReplayRequest struct {
	Who Who
	// Ref is its number, counted from 1 for the newest, or its id.
	Ref string
	// With are other settings to run it with as well; nil for none.
	With *config.Config
}

// ReplayAnswer compares a recall with itself: then, now, and with other settings.
type ReplayAnswer struct {
	Entry recalls.Entry
	// Number is its place among what is recorded, counted from 1 for the newest.
	Number int
	Now    RecallAnswer
	// With is nil unless other settings were given.
	With *RecallAnswer
	// TableChanged is set when the table is not the one of then, SettingsChanged
	// when those that ranking depends on are not.
	TableChanged, SettingsChanged bool
	// Moves are all memories of any of the lists, best last list first.
	Moves []Move
}

// Move is where a memory stands in each list, counted from 1; 0 is not in it.
type Move struct {
	ID string
	// Memory is nil when it is gone, or out of reach of who asks.
	Memory          *memory.Memory
	Then, Now, With int
	// Scores in the three lists; 0 where it is in none.
	ThenScore, NowScore, WithScore float64
	// Lost says why it is not in the last list, one of the Verdict constants; empty
	// if it is.
	Lost Verdict
}

// Replay runs a recorded recall again, with the settings as they are and, if
// wanted, with others. It leaves no trace.
func (e *Engine) Replay(ctx context.Context, r ReplayRequest) (ReplayAnswer, error) {
	list, err := e.recorded(ctx, r.Who)
	if err != nil {
		return ReplayAnswer{}, err
	}
	at, err := pick(list, r.Ref)
	if err != nil {
		return ReplayAnswer{}, err
	}
	entry := list[at]
	again := RecallRequest{
		Who: r.Who, Query: entry.Query, Limit: entry.Limit, Scope: entry.Scope, Category: entry.Category,
		Source: entry.Source, Without: entry.Without, Prefer: entry.Prefer,
	}
	if entry.Agent != "" {
		again.Who = Agent(entry.Agent, "")
	}
	if entry.Narrow != nil {
		again.Narrow = *entry.Narrow
		if !again.Narrow.UnsuppressedAt.IsZero() {
			again.Narrow.UnsuppressedAt = e.now()
		}
	}
	for _, h := range entry.Hits {
		again.Watch = append(again.Watch, h.ID)
	}
	answer := ReplayAnswer{Entry: entry, Number: at + 1, SettingsChanged: entry.Config != e.settings()}
	if answer.Now, err = e.ask(ctx, e.cfg, again); err != nil {
		return ReplayAnswer{}, err
	}
	if r.With != nil {
		for _, h := range answer.Now.Hits {
			again.Watch = append(again.Watch, h.Memory.ID)
		}
		with, err := e.ask(ctx, *r.With, again)
		if err != nil {
			return ReplayAnswer{}, err
		}
		answer.With = &with
	}
	db, err := e.opened(ctx)
	if err != nil {
		return ReplayAnswer{}, err
	}
	version, err := db.Version(ctx)
	if err != nil {
		return ReplayAnswer{}, storage("reading the state of the table", err)
	}
	answer.TableChanged = entry.Version == 0 || entry.Version != version
	return answer, e.compare(ctx, r.Who, &answer)
}

// pick finds the index of an entry by number or id.
func pick(list []recalls.Entry, ref string) (int, error) {
	ref = strings.ToLower(strings.TrimSpace(ref))
	if n, err := strconv.Atoi(ref); err == nil && n >= 1 && n <= len(list) {
		return n - 1, nil
	}
	if at := slices.IndexFunc(list, func(e recalls.Entry) bool { return e.ID == ref }); at >= 0 {
		return at, nil
	}
	return 0, &NoRecallError{Reference: ref, Recorded: len(list)}
}

// compare fills in the moves.
func (e *Engine) compare(ctx context.Context, who Who, a *ReplayAnswer) error {
	moves := map[string]*Move{}
	var order []*Move
	at := func(id string) *Move {
		if moves[id] == nil {
			moves[id] = &Move{ID: id}
			order = append(order, moves[id])
		}
		return moves[id]
	}
	last := a.Now
	if a.With != nil {
		last = *a.With
		for i, h := range a.With.Hits {
			m := at(h.Memory.ID)
			m.With, m.WithScore = i+1, h.Score
		}
	}
	for i, h := range a.Now.Hits {
		m := at(h.Memory.ID)
		m.Now, m.NowScore = i+1, h.Score
	}
	for i, h := range a.Entry.Hits {
		m := at(h.ID)
		m.Then, m.ThenScore = i+1, h.Score
	}
	there, err := e.readMany(ctx, who, order)
	if err != nil {
		return err
	}
	dropped := map[string]retrieve.Drop{}
	for _, d := range last.Dropped {
		dropped[d.ID] = d
	}
	in := map[string]bool{}
	for _, h := range last.Hits {
		in[h.Memory.ID] = true
	}
	for _, m := range order {
		if row, ok := there[m.ID]; ok {
			m.Memory = &row
		}
		d, known := dropped[m.ID]
		switch {
		case in[m.ID]:
		case known:
			m.Lost = Verdict(d.Reason)
		case m.Memory == nil:
			m.Lost = Gone
		default:
			m.Lost = OutOfReach
		}
		a.Moves = append(a.Moves, *m)
	}
	return nil
}

// readMany reads the memories that are compared, as who asks may see them.
func (e *Engine) readMany(ctx context.Context, who Who, moves []*Move) (map[string]memory.Memory, error) {
	access, err := e.access(who)
	if err != nil {
		return nil, err
	}
	db, err := e.opened(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(moves))
	for i, m := range moves {
		ids[i] = m.ID
	}
	rows, err := db.GetMany(ctx, access.Filter(), ids...)
	return rows, storage("reading what was found", err)
}
