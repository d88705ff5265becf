package engine

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
)

// Message is one message of a session.
type Message struct {
	// Role is user, assistant, or anything else, which is passed over.
	Role string
	Text string
	// At is when it was written; zero if the host did not say.
	At time.Time
}

// NewMessage reads a message as the host has it: its content is a string or a
// list of parts.
func NewMessage(role string, content json.RawMessage, at time.Time) Message {
	return Message{Role: role, Text: firstBytes(screen.MessageText(content), longestHeard), At: at}
}

// longestHeard bounds what is looked at of a message or a prompt, in bytes. A
// person does not write more; what goes on for longer was pasted.
const longestHeard = 64 << 10

// firstBytes cuts a text between characters.
func firstBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

// cursor knows which messages of one session were looked at. The host hands
// over the whole session after every turn, sometimes shortened at the front, so
// a position would not do: a message is known by its words, and by its time
// where the same words come again.
//
// Of a session met for the first time only the turn at hand is new, and what was
// written since the engine opened: older messages belong to a process that has
// looked at them, and what the person deleted since must not come back.
type cursor struct {
	seen map[uint64]time.Time
	// order holds the keys of seen, oldest first, to bound it.
	order []uint64
	// high is the newest time looked at, since the time from which on messages
	// outside the turn at hand count.
	high, since time.Time
}

const (
	// rememberedMessages bounds seen; the host's shim sends far fewer at once.
	rememberedMessages = 256
	// sameMoment is how far the times of two messages must differ to be two.
	sameMoment = time.Minute
)

// turnStart is where the turn at hand begins: the last message of the person
// and those right before it that nobody has answered.
func turnStart(ms []Message) int {
	start := len(ms)
	for i := len(ms) - 1; i >= 0; i-- {
		switch {
		case ms[i].Role == roleUser:
			start = i
		case start < len(ms):
			return start
		}
	}
	return start
}

// Roles of messages that hold words.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// take gives the positions of the messages not looked at yet and marks them.
func (c *cursor) take(ms []Message) []int {
	start := turnStart(ms)
	met := len(c.seen) > 0
	last := -1 // the last one seen before
	keys := make([]uint64, len(ms))
	for i, m := range ms {
		keys[i] = fingerprint(m)
		if _, ok := c.seen[keys[i]]; ok {
			last = i
		}
	}
	var fresh []int
	high := c.high
	for i, m := range ms {
		if m.Role != roleUser && m.Role != roleAssistant {
			continue
		}
		was, seen := c.seen[keys[i]]
		isNew := false
		switch {
		case seen:
			// The host may give one message a second time when it writes the transcript,
			// so a later time alone does not make it new: the words must also stand in
			// the history twice.
			again := i >= start && slices.Contains(keys[:start], keys[i])
			isNew = again && !was.IsZero() && m.At.Sub(was) > sameMoment
		case i >= start:
			isNew = true
		case m.At.IsZero():
			isNew = met && i > last
		default:
			isNew = m.At.After(high) && !m.At.Before(c.since)
		}
		if isNew {
			fresh = append(fresh, i)
		}
		if isNew || seen || i >= start {
			c.mark(keys[i], m.At)
		}
	}
	return fresh
}

// pass marks the last message as looked at: the host wrote it.
func (c *cursor) pass(ms []Message) {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role == roleUser {
			c.mark(fingerprint(ms[i]), ms[i].At)
			return
		}
	}
}

func (c *cursor) mark(key uint64, at time.Time) {
	if c.seen == nil {
		c.seen = map[uint64]time.Time{}
	}
	was, ok := c.seen[key]
	if !ok {
		c.order = append(c.order, key)
		if len(c.order) > rememberedMessages {
			delete(c.seen, c.order[0])
			c.order = c.order[1:]
		}
	}
	if !ok || at.After(was) {
		c.seen[key] = at
	}
	if at.After(c.high) {
		c.high = at
	}
}

// How much of a message tells it from others: this many bytes are looked at,
// and this many of the words in them compared.
const (
	lookedAt = 8 << 10
	compared = 2 << 10
)

// fingerprint tells messages apart by role and words. Wrapping and spacing are
// left out: the host stores a message in another form than the one it handed
// over when it was new.
func fingerprint(m Message) uint64 {
	words := strings.Join(strings.Fields(screen.Words(firstBytes(m.Text, lookedAt))), "")
	h := fnv.New64a()
	h.Write([]byte(m.Role))
	h.Write([]byte(words[:min(len(words), compared)]))
	return h.Sum64()
}
