package engine

import (
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Was what a turn was shown of any use? After the turn its answer is compared
// with each memory (governance_used.go), and the verdict is counted beside the
// memory with the recalls (touch.go):
//
//	shown   injected_count + 1, last_injected_at
//	used    last_confirmed_use_at, bad_recall_count 0, no longer held back
//	unused  bad_recall_count + 1; from the third on the memory is held back from
//	        automatic recall for a while (suppressed_until_ms)
//	asked   with the tool, which finds it all the same: bad_recall_count 0, no
//	        longer held back
//
// The verdicts count at once for the turns of this process, before they are
// written (governance_verdicts.go). What a memory is worth, its importance, is its
// author's to say and never changed.

// unusedBefore is how many unused recalls hold a memory back.
const unusedBefore = 3

// AnswerRequest is a turn that has ended.
type AnswerRequest struct {
	AgentID, SessionKey, SessionID, Run string
	// Success is false when the turn failed: then nothing is judged.
	Success bool
	// Answer is all the assistant wrote in the turn, what it told its tools included.
	Answer string
}

// NoteAnswer judges what the turn was shown by its answer. It returns at once.
func (e *Engine) NoteAnswer(r AnswerRequest) {
	if !e.cfg.AutoRecall.Enabled {
		return
	}
	shown := e.chats.take(sessionID(CaptureRequest{AgentID: r.AgentID, SessionKey: r.SessionKey, SessionID: r.SessionID}), r.Run)
	if shown == nil || !r.Success {
		return
	}
	answer, at := firstBytes(r.Answer, longestHeard), e.noteAt()
	notes := map[string]touch{}
	for _, m := range shown.memories {
		switch usedIn(answer, m.text, shown.prompt) {
		case used:
			notes[m.id] = touch{reception: reception{used: at}, frees: true}
		case unused:
			notes[m.id] = touch{reception: reception{unused: 1, first: at, last: at}}
		}
	}
	e.note(notes)
}

// noteInjected counts what a turn is shown.
func (e *Engine) noteInjected(taken []memory.Memory) {
	at := e.noteAt()
	notes := make(map[string]touch, len(taken))
	for _, m := range taken {
		notes[m.ID] = touch{shown: 1, shownAt: at}
	}
	e.note(notes)
}
