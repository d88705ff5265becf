package engine

import (
	"hash/fnv"
	"strings"
	"sync"
	"unicode"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// What automatic recall knows of a session, in memory only and bounded:
//
//   - which memories it was shown, and in which of its turns, so that the same
//     one is not shown again within autoRecallMinRepeated turns. A question that
//     is asked again in the same words gets its memories again: the host keeps no
//     block in the history, so what was shown before is no longer there to read.
//   - the last event and the answer to it. A host that builds one prompt twice, as
//     after a compaction, gets the same bytes twice and the session goes on by one
//     turn. Without names of events each call is a turn.
//   - what the turn at hand was shown, until its answer is compared with it.
//
// A session is forgotten when it ends.
type chats struct {
	mu  sync.Mutex
	all *simplelru.LRU[string, *chat]
}

// chat is one session.
type chat struct {
	turn int
	// shown is the turn each memory was shown in last, asked that of each question.
	shown map[string]int
	asked map[uint64]int
	// event is the last one; block is the answer to it once answered.
	event    string
	question uint64
	block    string
	answered bool
	pending  *shownTurn
}

// shownTurn is what a turn was shown.
type shownTurn struct {
	run, prompt string
	memories    []shownMemory
}

type shownMemory struct{ id, text string }

// turnState is what a turn begins with.
type turnState struct {
	key string
	run string
	// number counts the turns of the session; 0 without a session.
	number   int
	question uint64
	// without are the memories that were shown lately, with the reason.
	without map[string]string
}

func newChats() *chats {
	c := &chats{}
	c.all, _ = simplelru.NewLRU[string, *chat](maxSessions, nil) // the size is a constant, so there is no error
	return c
}

// begin opens a turn. If its event was answered before, so says answered, with
// the block. A rehearsal changes nothing.
func (c *chats) begin(r PromptRequest, prompt string, minRepeated int, rehearsal bool) (t turnState, block string, answered bool) {
	t = turnState{run: r.Run, question: questionOf(prompt)}
	if r.SessionKey == "" && r.SessionID == "" {
		return t, "", false
	}
	t.key = sessionID(CaptureRequest{AgentID: r.AgentID, SessionKey: r.SessionKey, SessionID: r.SessionID})
	event := r.Event
	if event == "" {
		event = r.Run
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at, known := c.all.Get(t.key)
	if !known {
		at = &chat{}
	}
	same := event != "" && event == at.event && t.question == at.question
	if same && at.answered && !rehearsal {
		return t, at.block, true
	}
	t.number = at.turn
	if !same {
		t.number++
	}
	t.without = at.lately(t, minRepeated)
	if rehearsal {
		return t, "", false
	}
	if at.shown == nil {
		at.shown, at.asked = map[string]int{}, map[uint64]int{}
	}
	at.turn, at.event, at.question, at.block, at.answered = t.number, event, t.question, "", false
	for id, turn := range at.shown {
		if t.number-turn >= minRepeated {
			delete(at.shown, id)
		}
	}
	for q, turn := range at.asked {
		if t.number-turn >= minRepeated {
			delete(at.asked, q)
		}
	}
	c.all.Add(t.key, at)
	return t, "", false
}

// lately are the memories shown in the minRepeated-1 turns before t: none if one
// of them asked the same.
func (at *chat) lately(t turnState, minRepeated int) map[string]string {
	recent := func(turn int) bool { return turn != t.number && t.number-turn < minRepeated }
	if turn, ok := at.asked[t.question]; ok && recent(turn) {
		return nil
	}
	var without map[string]string
	for id, turn := range at.shown {
		if recent(turn) {
			if without == nil {
				without = map[string]string{}
			}
			without[id] = LeftRepeated
		}
	}
	return without
}

// finish notes what a turn was shown.
func (c *chats) finish(t turnState, prompt string, i Injection) {
	if t.number == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.all.Peek(t.key)
	if !ok || at.turn != t.number {
		return // the session ended meanwhile, or its next turn has begun
	}
	at.block, at.answered, at.pending = i.Block, true, nil
	if i.Skipped == "" {
		at.asked[t.question] = t.number
	}
	if len(i.Taken) == 0 {
		return
	}
	at.pending = &shownTurn{run: t.run, prompt: prompt}
	for _, m := range i.Taken {
		at.shown[m.ID] = t.number
		at.pending.memories = append(at.pending.memories, shownMemory{m.ID, firstBytes(m.Text, longestReceived)})
	}
}

// take gives what the turn of a run was shown, once.
func (c *chats) take(key, run string) *shownTurn {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.all.Peek(key)
	if !ok || at.pending == nil || (run != "" && at.pending.run != "" && run != at.pending.run) {
		return nil
	}
	shown := at.pending
	at.pending = nil
	return shown
}

// end forgets a session. After a compaction the turn at hand goes on, and only
// what earlier ones were shown is forgotten, because the model no longer sees it.
func (c *chats) end(r SessionEnd) {
	key := sessionID(CaptureRequest{AgentID: r.AgentID, SessionKey: r.SessionKey, SessionID: r.SessionID})
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.all.Peek(key)
	switch {
	case ok && r.Reason == "compaction":
		clear(at.shown)
		clear(at.asked)
	case ok:
		c.all.Remove(key)
	}
}

// erase forgets the texts that sessions were shown, whichever they are, and
// returns how many that was.
func (c *chats) erase() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range c.all.Keys() {
		at, _ := c.all.Peek(key)
		if at.block != "" || at.pending != nil {
			at.block, at.answered, at.pending = "", false, nil
			n++
		}
	}
	return n
}

// questionOf tells questions apart by their words alone.
func questionOf(prompt string) uint64 {
	h := fnv.New64a()
	for _, w := range strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		h.Write([]byte(w))
		h.Write([]byte{' '})
	}
	return h.Sum64()
}
