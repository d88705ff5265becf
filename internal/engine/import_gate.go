package engine

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/archive"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
)

// gate turns rows of a file into memories, or says why not. What somebody kept
// is not judged again: nothing is refused as noise.
type gate struct {
	access scope.Access
	scope  string
	now    time.Time
	// width of the file's vectors; 0 while they are not used.
	width int
	seen  map[[16]byte]sighting // by a digest of the id
}

// sighting is where an id was met in the file, and a digest of what it stood for.
type sighting struct {
	line    int
	content uint64
}

// maxCategory bounds a category that is none of ours.
const maxCategory = 100

// incoming is a row that may be stored.
type incoming struct {
	memory.Memory
	line int
	// repeated is set when the file has the same row before.
	repeated bool
	// undated rows have the time of the import, renamed ones an id of their content,
	// bare ones metadata made of the rest.
	undated, renamed, bare bool
	// taken is set when its vector came from the file.
	taken bool
	raw   []byte // as the file has it
}

// against is the row as it would be beside a memory that is there already: what
// the file does not say is no difference.
func (in incoming) against(old memory.Memory) memory.Memory {
	m := in.Memory
	if in.undated {
		m.Time = old.Time
	}
	if in.bare {
		m.Metadata = old.Metadata
		if m.Text != old.Text || m.Category != old.Category {
			m.Metadata = bareMetadata(m)
		}
	}
	return m
}

// pass gives the memory of a row.
func (g *gate) pass(r archive.Row, line int) (in incoming, err error) {
	in.line = line
	m := &in.Memory
	*m = r.Memory
	if m.Text, err = fit(m.Text); err != nil {
		return in, err
	}
	if strings.TrimSpace(m.Text) == "" {
		return in, errors.New("its text is nothing but control characters")
	}
	if m.Scope, err = g.where(r); err != nil {
		return in, err
	}
	name, err := fit(string(m.Category))
	if err != nil || len(name) > maxCategory {
		return in, fmt.Errorf("its category %.40q cannot be one", m.Category)
	}
	m.Category = memory.StoredCategory(name)
	if m.Vector != nil {
		if len(m.Vector) != g.width {
			return in, fmt.Errorf("its vector has %d numbers, those of the table have %d", len(m.Vector), g.width)
		}
		if err := embed.Check(m.Vector, g.width); err != nil {
			return in, fmt.Errorf("its vector cannot be used: %w", err)
		}
	}
	if m.ID == "" {
		in.renamed = true
		m.ID = memory.DerivedID(m.Scope, r.OriginalID, m.Text, strconv.FormatInt(moment(m.Time), 10))
	}
	if in.undated = m.Time.IsZero(); in.undated {
		m.Time = g.now
	}
	in.bare, in.taken = !r.HasMetadata, m.Vector != nil
	describe(m, r)
	in.repeated, err = g.once(*m, line)
	return in, err
}

// fit removes control characters.
func fit(text string) (string, error) {
	if !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar
	}) {
		return text, nil
	}
	clean, _, err := screen.Clean(text)
	return clean, err
}

// where is the scope of a row. One that names none on purpose is seen by nobody,
// and is not shown to everybody by the way.
func (g *gate) where(r archive.Row) (string, error) {
	name := strings.TrimSpace(r.Memory.Scope)
	switch {
	case g.scope != "":
		name = g.scope
	case !r.HasScope:
		name = ""
	case name == "":
		return "", errors.New("it names no scope; name one for all rows (--scope)")
	case !scope.ValidName(name):
		return "", fmt.Errorf("its scope %.60q cannot be one; name another for all rows (--scope)", name)
	}
	return g.access.Write(name)
}

// describe makes the metadata whole.
func describe(m *memory.Memory, r archive.Row) {
	if !r.HasMetadata {
		m.Metadata = bareMetadata(*m)
	}
	d := &m.Metadata
	for _, form := range []*string{&d.L0, &d.L1, &d.L2} {
		if clean, err := fit(*form); err == nil {
			*form = clean
		}
	}
	if r.OriginalID != "" {
		if d.Extra == nil {
			d.Extra = map[string]json.RawMessage{}
		}
		d.Extra["originalId"], _ = json.Marshal(r.OriginalID) // a string always has JSON
	}
}

// bareMetadata are those of a row that has none.
func bareMetadata(m memory.Memory) memory.Metadata {
	return memory.NewMetadata(m.Text, m.Kind(), memory.SourceLegacy, m.Time)
}

// once refuses an id that stood for something else before.
func (g *gate) once(m memory.Memory, line int) (repeated bool, err error) {
	sum := sha256.Sum256([]byte(m.ID))
	key, content := [16]byte(sum[:16]), contentOf(m)
	switch before, met := g.seen[key]; {
	case !met:
		g.seen[key] = sighting{line, content}
		return false, nil
	case before.content != content:
		return false, fmt.Errorf("its id %s is on line %d already, with other content", m.ID, before.line)
	}
	return true, nil
}

var contentSeed = maphash.MakeSeed()

// contentOf is a digest of what same compares.
func contentOf(m memory.Memory) uint64 {
	var h maphash.Hash
	h.SetSeed(contentSeed)
	for _, s := range []string{
		m.Text, string(m.Category), m.Scope, strconv.FormatFloat(m.Importance, 'g', -1, 64),
		strconv.FormatInt(moment(m.Time), 10), lasting(m.Metadata),
	} {
		h.WriteString(s)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// same reports whether two rows say the same, apart from how often it was used.
func same(a, b memory.Memory) bool {
	return a.Text == b.Text && a.Category == b.Category && a.Scope == b.Scope && moment(a.Time) == moment(b.Time) &&
		math.Abs(a.Importance-b.Importance) < 1e-9 && lasting(a.Metadata) == lasting(b.Metadata)
}

// lasting are the metadata without what changes by itself.
func lasting(d memory.Metadata) string {
	d.AccessCount, d.LastAccessedAt, d.Embedding = 0, time.Time{}, ""
	return d.String()
}

func moment(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
