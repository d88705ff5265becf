package archive

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// appendRow writes one row as a JSON object on one line, the columns in the
// order of the table. vector is how its vector is written; nil leaves it out.
func appendRow(b []byte, m memory.Memory, vector func([]byte, []float32) []byte) []byte {
	b = append(b, `{"id":`...)
	b = appendText(b, m.ID)
	b = append(b, `,"text":`...)
	b = appendText(b, m.Text)
	b = append(b, `,"category":`...)
	b = appendText(b, string(m.Category))
	b = append(b, `,"scope":`...)
	b = appendText(b, m.Scope)
	b = append(b, `,"importance":`...)
	b = appendImportance(b, m.Importance)
	b = append(b, `,"timestamp":`...)
	b = strconv.AppendInt(b, millis(m), 10)
	b = append(b, `,"metadata":`...)
	b = appendText(b, m.Metadata.String())
	if vector != nil && m.Vector != nil {
		b = append(b, `,"vector":`...)
		b = vector(b, m.Vector)
	}
	return append(b, '}')
}

// millis is the time as the column has it; 0 without one.
func millis(m memory.Memory) int64 {
	if m.Time.IsZero() {
		return 0
	}
	return m.Time.UnixMilli()
}

// appendImportance always writes a fraction: a bare 1 is the lowest of the old
// scale from 1 to 5, and ours is the highest.
func appendImportance(b []byte, v float64) []byte {
	from := len(b)
	b = strconv.AppendFloat(b, memory.ClampImportance(v), 'f', -1, 64)
	if !bytes.ContainsRune(b[from:], '.') {
		b = append(b, ".0"...)
	}
	return b
}

// appendText quotes s. Text stays readable (no HTML escapes), and what some
// terminals obey is escaped.
func appendText(b []byte, s string) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	quoted := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	if !bytes.ContainsFunc(quoted, steers) {
		return append(b, quoted...)
	}
	for _, r := range string(quoted) {
		if steers(r) {
			b = fmt.Appendf(b, `\u%04x`, r)
		} else {
			b = append(b, string(r)...)
		}
	}
	return b
}

func steers(r rune) bool { return r >= 0x7f && r <= 0x9f }

// appendNumbers writes a vector as JavaScript reads it; the shortest decimal of
// a float32 gives the same float32 back.
func appendNumbers(b []byte, v []float32) []byte {
	b = append(b, '[')
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return append(b, ']')
}

// appendPacked writes a vector as base64 of its little-endian bytes: half the
// size, and bit for bit.
func appendPacked(b []byte, v []float32) []byte {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, raw)
	return append(b, '"')
}
