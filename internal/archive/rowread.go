package archive

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Row is a row as a file has it, brought into the shape of a memory.
type Row struct {
	// Memory has the ID "" where the file gives none that can be used, time zero
	// where it gives no date, and a Vector only where it was asked for and is there.
	Memory memory.Memory
	// OriginalID is an id that cannot be one here.
	OriginalID string
	// HasScope and HasMetadata tell "not given" from "given and empty".
	HasScope, HasMetadata bool
	// Undated is set when the file states a time that is none.
	Undated bool
}

// wire is what is looked at of an object.
type wire struct {
	ID, Text, Category, Scope, Importance, Timestamp, CreatedAt, Metadata, Vector json.RawMessage

	// A line of a reject file holds what was refused, so that it can be put right
	// there and read again.
	Rejected, Row, Raw json.RawMessage
}

// rowReader decodes rows of one file.
type rowReader struct {
	vectors bool
	// legacy is set once an importance of 2 to 5 was seen: then a bare 1 is the
	// lowest of that scale, not the highest of ours.
	legacy bool
}

var errNoRow = errors.New("it is no row: a row is a JSON object with at least a text")

func (d *rowReader) decode(raw []byte) (Row, error) {
	if !utf8.Valid(raw) {
		return Row{}, errors.New("it is not valid UTF-8")
	}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		if json.Valid(raw) {
			return Row{}, errNoRow
		}
	}
	var w wire
	if err := json.Unmarshal(raw, &w); err != nil {
		return Row{}, fmt.Errorf("it is no JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if present(w.Rejected) && w.Text == nil {
		switch inner, isText := text(w.Raw); {
		case present(w.Row):
			return d.decode(w.Row)
		case isText && strings.TrimSpace(inner) != "":
			return d.decode([]byte(inner))
		}
	}
	return d.row(w)
}

func (d *rowReader) row(w wire) (r Row, err error) {
	m := &r.Memory
	given, isText := text(w.Text)
	switch {
	case !present(w.Text):
		return r, errors.New("it has no text")
	case !isText:
		return r, fmt.Errorf("its text is %.40s, not a text", w.Text)
	case strings.TrimSpace(given) == "":
		return r, errors.New("its text is empty")
	case len(given) > memory.MaxTextBytes:
		return r, fmt.Errorf("its text has %d bytes, at most %d are kept; split it", len(given), memory.MaxTextBytes)
	}
	m.Text = given
	r.readID(w.ID)
	m.Category, m.Metadata.Category = memory.StoredOther, ""
	if name, ok := text(w.Category); ok {
		m.Category, m.Metadata.Category = category(name)
	}
	if m.Scope, r.HasScope = text(w.Scope); !r.HasScope && w.Scope != nil {
		r.HasScope = true // null, or something else that is no name
	}
	m.Importance = d.importance(w.Importance)
	for _, stated := range []json.RawMessage{w.Timestamp, w.CreatedAt} {
		if at, ok := when(stated); ok {
			m.Time = at
			break
		}
		r.Undated = r.Undated || present(stated)
	}
	r.Undated = r.Undated && m.Time.IsZero()
	r.readMetadata(w.Metadata)
	if d.vectors && present(w.Vector) {
		if m.Vector, err = vectorOf(w.Vector); err != nil {
			return r, err
		}
	}
	return r, nil
}

// present reports whether a member is there and not null.
func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func text(raw json.RawMessage) (s string, ok bool) {
	if !present(raw) || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

func (r *Row) readID(raw json.RawMessage) {
	id, ok := text(raw)
	if !ok && present(raw) && raw[0] != '{' && raw[0] != '[' {
		id = string(raw) // a number
	}
	id = strings.TrimSpace(id)
	switch {
	case memory.IsUUID(id):
		r.Memory.ID = strings.ToLower(id)
	case memory.ValidID(id):
		r.Memory.ID = id
	default:
		r.OriginalID = id
	}
}

// category keeps a column's value, and brings the names people use into it.
// Values of other programs stay as they are.
func category(name string) (memory.StoredCategory, memory.Category) {
	column, kind, err := memory.ParseCategory(name)
	switch name = strings.TrimSpace(name); {
	case name == "":
		return memory.StoredOther, ""
	case err != nil:
		return memory.StoredCategory(name), ""
	case string(column) == strings.ToLower(name):
		return column, ""
	}
	return column, kind
}

// legacyImportance is the old scale of whole numbers.
var legacyImportance = [...]float64{1: .2, 2: .4, 3: .6, 4: .8, 5: .95}

func (d *rowReader) importance(raw json.RawMessage) float64 {
	literal := string(raw)
	if s, ok := text(raw); ok {
		literal = strings.TrimSpace(s)
	}
	v, err := strconv.ParseFloat(literal, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return memory.DefaultImportance
	}
	if n, err := strconv.Atoi(literal); err == nil && n >= 1 && n <= 5 {
		d.legacy = d.legacy || n > 1
		if d.legacy {
			return legacyImportance[n]
		}
	}
	return memory.ClampImportance(v)
}

// layouts of dates in text; those without a zone are UTC.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02"}

// when reads a moment: milliseconds, seconds, or a date in text.
func when(raw json.RawMessage) (time.Time, bool) {
	literal := string(raw)
	s, isText := text(raw)
	if isText {
		literal = strings.TrimSpace(s)
	}
	if v, err := strconv.ParseFloat(literal, 64); err == nil {
		at, ok := memory.FromEpoch(v)
		return at, ok && storable(at)
	}
	if !isText {
		return time.Time{}, false
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, literal); err == nil {
			at = time.UnixMilli(at.UnixMilli()).UTC()
			return at, storable(at)
		}
	}
	return time.Time{}, false
}

// storable reports whether the column gives a moment back. Before September 2001
// its number would be taken for seconds.
func storable(at time.Time) bool {
	read, ok := memory.FromEpoch(float64(at.UnixMilli()))
	return ok && read.Equal(at)
}

// readMetadata takes the column as text, as tables have it, or as an object.
func (r *Row) readMetadata(raw json.RawMessage) {
	if !present(raw) {
		return
	}
	stored, isText := text(raw)
	if !isText {
		if raw[0] != '{' {
			return
		}
		stored = string(raw)
	}
	if strings.TrimSpace(stored) == "" {
		return
	}
	kind := r.Memory.Metadata.Category
	r.HasMetadata = true
	r.Memory.Metadata, _ = memory.ParseMetadata(stored) // what cannot be parsed is carried along
	if r.Memory.Metadata.Category == "" {
		r.Memory.Metadata.Category = kind
	}
}

// vectorOf reads numbers, or base64 of little-endian float32. An empty one, and
// what another program made of an array, counts as none.
func vectorOf(raw json.RawMessage) ([]float32, error) {
	var v []float32
	switch raw[0] {
	case '[':
		if bytes.Contains(raw, []byte("null")) || json.Unmarshal(raw, &v) != nil {
			return nil, errors.New("its vector is not made of numbers")
		}
	case '"':
		packed, _ := text(raw)
		b, err := base64.StdEncoding.DecodeString(packed)
		if err != nil || len(b)%4 != 0 {
			return nil, errors.New("its vector is no base64 of 32-bit numbers")
		}
		v = make([]float32, len(b)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	}
	if len(v) == 0 {
		return nil, nil
	}
	return v, nil
}
