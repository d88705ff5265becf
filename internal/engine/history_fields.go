package engine

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// unsaid are keys of the metadata that say nothing of their own: counts and times
// of use, and the forms of the text, which change with it.
var unsaid = map[string]bool{
	"access_count": true, "last_accessed_at": true, "last_confirmed_use_at": true,
	"l0_abstract": true, "l1_overview": true, "l2_content": true,
}

// moments are keys whose values are milliseconds since 1970.
var moments = map[string]bool{
	"valid_from": true, "invalidated_at": true, "valid_until": true,
}

// compareMemories lists what differs between two versions of a row.
func compareMemories(before, after memory.Memory) []FieldChange {
	var list []FieldChange
	put := func(name, was, is string) {
		if was != is {
			list = append(list, FieldChange{name, was, is})
		}
	}
	put("text", before.Text, after.Text)
	put("category", string(before.Category), string(after.Category))
	put("scope", before.Scope, after.Scope)
	put("importance", strconv.FormatFloat(before.Importance, 'g', -1, 64), strconv.FormatFloat(after.Importance, 'g', -1, 64))
	put("remembered", instant(before.Time), instant(after.Time))
	was, is := keysOf(before.Metadata), keysOf(after.Metadata)
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if !unsaid[key] {
			put(key, said(key, was[key]), said(key, is[key]))
		}
	}
	return list
}

func keysOf(d memory.Metadata) map[string]json.RawMessage {
	keys := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(d.String()), &keys) // its own output
	return keys
}

// said is a value of the metadata for people: a text without quotes, a moment as
// a date, anything else as it is.
func said(key string, value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var ms int64
	if moments[key] && json.Unmarshal(value, &ms) == nil && ms != 0 {
		return instant(time.UnixMilli(ms))
	}
	return string(value)
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// sameStatement reports whether two rows say the same. Counts of use do not
// matter, nor whether the vector is there yet: both change without anybody asking.
func sameStatement(a, b memory.Memory) bool {
	return a.Text == b.Text && a.Category == b.Category && a.Scope == b.Scope && a.Importance == b.Importance &&
		a.Time.Equal(b.Time) && statementOf(a.Metadata) == statementOf(b.Metadata)
}

func statementOf(d memory.Metadata) string {
	d.AccessCount, d.LastAccessedAt, d.Embedding = 0, time.Time{}, ""
	return d.String()
}
