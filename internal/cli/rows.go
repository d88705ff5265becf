package cli

import (
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

// tooShort tells people who shortened an id too much that they did. Ids of old
// tables may be as short, so it is known only once there is no such memory.
func tooShort(reference string, err error) error {
	if utf8.RuneCountInString(strings.TrimSpace(reference)) >= memory.MinPrefix {
		return err
	}
	if _, bad := memory.ParseRef(reference); bad != nil && err.Error() == bad.Error() {
		return &engine.BadInputError{Problem: fmt.Sprintf("%q is no memory id; a shortened id needs at least %d characters", reference, memory.MinPrefix)}
	}
	if engine.FaultOf(err) == engine.FaultNotFound {
		return fmt.Errorf("%w; a shortened id needs at least %d characters", err, memory.MinPrefix)
	}
	return err
}
