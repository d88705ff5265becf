package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Erased stands where a text was that somebody had erased.
const Erased = "[erased]"

// Row is a row of the table as it stood before or after a change.
type Row struct {
	ID, Text, Category, Scope string
	Importance                float64
	Time                      int64     // milliseconds since 1970, 0 for none
	Metadata                  string    // JSON, as it is stored
	Vector                    []float32 // nil for none
}

// Change is what happened to one row. Before is nil for a row that is new, After
// for one that is deleted; Before carries its vector only when After is nil.
type Change struct {
	ID     string `json:"id"`
	Before *Row   `json:"before,omitempty"`
	After  *Row   `json:"after,omitempty"`
}

// Entry is one accepted change: what one caller asked for, all or nothing.
// Append sets Seq, At and Boot.
type Entry struct {
	Seq       uint64    `json:"seq"` // 1, 2, 3 …; never used twice for what was kept
	At        time.Time `json:"at"`  // UTC
	Boot      string    `json:"boot,omitempty"`
	Actor     string    `json:"actor,omitempty"` // tool, cli, capture, import, maintenance, hook
	Agent     string    `json:"agent,omitempty"`
	Session   string    `json:"session,omitempty"`
	Operation string    `json:"operation,omitempty"`
	Changes   []Change  `json:"changes"`
}

// Recorded is an entry together with what became of it.
type Recorded struct {
	Entry
	Version int64 // of the table that holds the change first; 0: not known to be applied
}

// rowJSON is a Row on disk: the vector as base64 of little-endian float32, a
// quarter of the size of decimal digits and exact to the bit.
type rowJSON struct {
	ID         string `json:"id"`
	Text       string `json:"text"`
	Category   string `json:"category,omitempty"`
	Scope      string `json:"scope,omitempty"`
	Importance number `json:"importance"`
	Time       int64  `json:"time,omitempty"`
	Metadata   string `json:"metadata,omitempty"`
	Vector     []byte `json:"vector,omitempty"`
}

// MarshalJSON writes the row as an object.
func (r Row) MarshalJSON() ([]byte, error) {
	return encodeJSON(rowJSON{ID: r.ID, Text: r.Text, Category: r.Category, Scope: r.Scope, Importance: number(r.Importance),
		Time: r.Time, Metadata: r.Metadata, Vector: packVector(r.Vector)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Row) UnmarshalJSON(b []byte) error {
	var j rowJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	vector, err := unpackVector(j.Vector)
	*r = Row{ID: j.ID, Text: j.Text, Category: j.Category, Scope: j.Scope, Importance: float64(j.Importance),
		Time: j.Time, Metadata: j.Metadata, Vector: vector}
	return err
}

func packVector(v []float32) []byte {
	if v == nil {
		return nil
	}
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func unpackVector(b []byte) ([]float32, error) {
	if len(b) == 0 {
		return nil, nil
	}
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("a vector of %d bytes is not made of float32", len(b))
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v, nil
}

// number is a float64 that may be none: tables of other programs hold NaN, which
// JSON has no word for, and such a row must still be changeable.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	s := strconv.FormatFloat(float64(n), 'g', -1, 64)
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return strconv.AppendQuote(nil, s), nil
	}
	return []byte(s), nil
}

func (n *number) UnmarshalJSON(b []byte) error {
	x, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64)
	*n = number(x)
	return err
}

// encodeJSON leaves <, > and & alone, so that what a person wrote is found in the
// file as it was written.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
