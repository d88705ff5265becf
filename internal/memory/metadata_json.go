package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Caps on arrays, those of the plugin this product replaces, so that a table
// read by both stays the same.
const (
	maxSources   = 20 // the newest, at the end
	maxHistory   = 50 // the newest, at the end
	maxRelations = 16 // the first
)

// unparsedKey keeps a column value that is no JSON object, so that writing the
// row again does not destroy it.
const unparsedKey = "unparsed_metadata"

// ParseMetadata reads the metadata column. Values of the wrong type count as
// not stated. Text that is no JSON object is an error; the Metadata returned
// with it is still usable, and carries the text along.
func ParseMetadata(raw string) (Metadata, error) {
	raw = strings.TrimSpace(strings.ToValidUTF8(raw, "\uFFFD"))
	fields := map[string]json.RawMessage{}
	var err error
	if raw != "" && raw != "null" {
		if err = json.Unmarshal([]byte(raw), &fields); err != nil {
			err = fmt.Errorf("reading metadata %.40q: %w", raw, errors.New("it is not a JSON object"))
			fields = map[string]json.RawMessage{unparsedKey: appendString(nil, raw)}
		}
	}
	t := taker(fields)
	d := Metadata{
		L0: t.text("l0_abstract"), L1: t.text("l1_overview"), L2: t.text("l2_content"),
		Category:           Category(t.oneOf("memory_category", "", "profile", "preferences", "entities", "events", "cases", "patterns")),
		Tier:               Tier(t.oneOf("tier", "working", "core", "working", "peripheral")),
		AccessCount:        t.count("access_count"),
		Confidence:         t.unit("confidence", DefaultConfidence),
		LastAccessedAt:     t.time("last_accessed_at"),
		ValidFrom:          t.time("valid_from"),
		InvalidatedAt:      t.time("invalidated_at"),
		ValidUntil:         t.time("valid_until"),
		TemporalType:       t.oneOf("memory_temporal_type", "", "static", "dynamic"),
		FactKey:            t.text("fact_key"),
		Supersedes:         t.text("supersedes"),
		SupersededBy:       t.text("superseded_by"),
		Relations:          t.relations("relations"),
		SourceSession:      t.text("source_session"),
		Source:             t.text("source"),
		State:              t.oneOf("state", StateConfirmed, StatePending, StateConfirmed, StateArchived),
		Layer:              t.oneOf("memory_layer", "", LayerDurable, LayerWorking, LayerReflection, LayerArchive),
		LastConfirmedUseAt: t.time("last_confirmed_use_at"),
		Embedding:          t.oneOf("embedding", "", EmbeddingPending),
		EmbeddingProblem:   t.text("embedding_problem"),
	}
	if d.InvalidatedAt.Before(d.ValidFrom) {
		d.InvalidatedAt = time.Time{}
	}
	if len(fields) > 0 {
		d.Extra = fields
	}
	return d, err
}

// String is the column value: JSON without spaces, the known keys in a fixed
// order and then the others sorted, so that equal metadata are equal bytes.
func (d Metadata) String() string {
	w := writer{buf: []byte{'{'}}
	w.text("l0_abstract", d.L0)
	w.text("l1_overview", d.L1)
	w.text("l2_content", d.L2)
	w.text("memory_category", string(d.Category))
	w.text("tier", string(d.Tier))
	w.raw("access_count", strconv.AppendInt(nil, int64(d.AccessCount), 10))
	w.number("confidence", d.Confidence)
	w.time("last_accessed_at", d.LastAccessedAt)
	w.time("valid_from", d.ValidFrom)
	w.time("invalidated_at", d.InvalidatedAt)
	w.time("valid_until", d.ValidUntil)
	w.text("memory_temporal_type", d.TemporalType)
	w.text("fact_key", d.FactKey)
	w.text("supersedes", d.Supersedes)
	w.text("superseded_by", d.SupersededBy)
	w.relations("relations", d.Relations)
	w.text("source_session", d.SourceSession)
	w.text("source", d.Source)
	w.text("state", d.State)
	w.text("memory_layer", d.Layer)
	w.time("last_confirmed_use_at", d.LastConfirmedUseAt)
	w.text("embedding", d.Embedding)
	if d.Embedding == EmbeddingPending {
		w.text("embedding_problem", d.EmbeddingProblem)
	}
	for _, key := range slices.Sorted(maps.Keys(d.Extra)) {
		if !known[key] {
			w.raw(key, capped(key, d.Extra[key]))
		}
	}
	return string(append(w.buf, '}'))
}

// known are the keys with a field of their own; a copy in Extra would be written twice.
var known = func() map[string]bool {
	keys := map[string]bool{}
	for _, k := range strings.Fields(`l0_abstract l1_overview l2_content memory_category tier access_count confidence
		last_accessed_at valid_from invalidated_at valid_until memory_temporal_type fact_key supersedes superseded_by
		relations source_session source state memory_layer last_confirmed_use_at embedding embedding_problem`) {
		keys[k] = true
	}
	return keys
}()

// capped shortens the arrays that grow with use; other values pass unchanged.
func capped(key string, value json.RawMessage) json.RawMessage {
	limit := map[string]int{"sources": maxSources, "history": maxHistory}[key]
	if limit == 0 {
		return value
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil || len(items) <= limit {
		return value
	}
	parts := make([][]byte, 0, limit)
	for _, item := range items[len(items)-limit:] {
		parts = append(parts, item)
	}
	return slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]"))
}

// taker removes known fields from a decoded object, so that what remains is Extra.
type taker map[string]json.RawMessage

func (t taker) take(key string, into any) bool {
	raw, ok := t[key]
	delete(t, key)
	return ok && json.Unmarshal(raw, into) == nil
}

func (t taker) text(key string) string {
	var s string
	t.take(key, &s)
	return s
}

func (t taker) oneOf(key, fallback string, allowed ...string) string {
	if s := t.text(key); slices.Contains(allowed, s) {
		return s
	}
	return fallback
}

func (t taker) unit(key string, fallback float64) float64 {
	var v *float64
	if t.take(key, &v) && v != nil {
		return min(max(*v, 0), 1)
	}
	return fallback
}

func (t taker) count(key string) int {
	var v float64
	t.take(key, &v)
	return int(min(max(v, 0), math.MaxInt32))
}

// time reads epoch milliseconds, epoch seconds or RFC 3339 text.
func (t taker) time(key string) time.Time {
	var v any
	t.take(key, &v)
	switch v := v.(type) {
	case float64:
		at, _ := FromEpoch(v)
		return at
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			at, _ = FromEpoch(float64(at.UnixMilli()))
			return at
		}
	}
	return time.Time{}
}

func (t taker) relations(key string) []Relation {
	var items []json.RawMessage
	t.take(key, &items)
	var list []Relation
	for _, item := range items {
		var r Relation
		if json.Unmarshal(item, &r) == nil && r.Type != "" && r.Target != "" && !slices.Contains(list, r) && len(list) < maxRelations {
			list = append(list, r)
		}
	}
	return list
}

// writer appends the members of an object.
type writer struct{ buf []byte }

func (w *writer) raw(key string, value []byte) {
	if len(w.buf) > 1 {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(appendString(w.buf, key), ':')
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		compact.Reset()
		compact.WriteString("null")
	}
	w.buf = append(w.buf, compact.Bytes()...)
}

func (w *writer) text(key, value string) {
	if value != "" {
		w.raw(key, appendString(nil, value))
	}
}

func (w *writer) number(key string, value float64) {
	if !math.IsNaN(value) && !math.IsInf(value, 0) {
		w.raw(key, strconv.AppendFloat(nil, value, 'g', -1, 64))
	}
}

func (w *writer) time(key string, at time.Time) {
	if ms := at.UnixMilli(); !at.IsZero() && ms > 0 {
		w.raw(key, strconv.AppendInt(nil, ms, 10))
	}
}

func (w *writer) relations(key string, list []Relation) {
	if len(list) == 0 {
		return
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(list[:min(len(list), maxRelations)]) == nil {
		w.raw(key, out.Bytes())
	}
}

// appendString quotes s without the HTML escapes of json.Marshal: "<" costs one
// byte, and a filter on the column sees the text people wrote.
func appendString(buf []byte, s string) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return append(buf, bytes.TrimRight(out.Bytes(), "\n")...)
}
