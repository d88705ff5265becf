package cli

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// rowJSON is a memory as the TypeScript plugin's command line prints it. The
// vector is always empty: nobody reads it, and it is most of the bytes.
type rowJSON struct {
	ID         string    `json:"id"`
	Text       string    `json:"text"`
	Vector     []float32 `json:"vector"`
	Category   string    `json:"category"`
	Scope      string    `json:"scope"`
	Importance float64   `json:"importance"`
	Timestamp  int64     `json:"timestamp"`
	Metadata   string    `json:"metadata"`
}

func rowOf(m memory.Memory) rowJSON {
	return rowJSON{
		ID: m.ID, Text: m.Text, Vector: []float32{}, Category: string(m.Category), Scope: m.Scope,
		Importance: m.Importance, Timestamp: millis(m.Time), Metadata: m.Metadata.String(),
	}
}

// shownChars is how much of a text a line of a list shows.
const shownChars = 100

func (a *app) printLine(n int, m memory.Memory) {
	a.printf("%d. [%s] [%s] %s (%s)\n", n, m.ID, engine.Tag(m), engine.Shorten(m.Text, shownChars), engine.Day(m))
}

func plural(n int) string {
	if n == 1 {
		return "memory"
	}
	return "memories"
}

// tooShort tells people what to do about an id that no memory has: who shortened one
// too much is told so. Ids of old tables may be as short, so that is known only once
// there is no such memory.
func tooShort(reference string, err error) error {
	short := utf8.RuneCountInString(strings.TrimSpace(reference)) < memory.MinPrefix
	if _, bad := memory.ParseRef(reference); short && bad != nil && err.Error() == bad.Error() {
		return &engine.BadInputError{Problem: fmt.Sprintf("%q is no memory id; a shortened id needs at least %d characters", reference, memory.MinPrefix)}
	}
	var described *engine.NoMatchError
	switch {
	case engine.FaultOf(err) != engine.FaultNotFound, errors.As(err, &described) && !short:
		return err
	}
	return &noSuchMemory{reference: strings.TrimSpace(reference), short: short, cause: err}
}

// noSuchMemory is an id that no memory has, and where ids are found.
type noSuchMemory struct {
	reference string
	short     bool // too short for the beginning of an id
	cause     error
}

func (e *noSuchMemory) Error() string {
	text := fmt.Sprintf("no such memory: nothing here has the id %.80q, or one that begins so", e.reference)
	if e.short {
		text = fmt.Sprintf("no such memory: nothing here has the id %q; a shortened id needs at least %d characters", e.reference, memory.MinPrefix)
	}
	return text + "; memory-pro list and search show ids, memory-pro log those of deleted memories"
}

func (e *noSuchMemory) Unwrap() error { return e.cause }
