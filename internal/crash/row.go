package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// width of the vectors here.
const width = 8

// Row is what the model knows of a stored memory. Two rows are the same if ==
// says so.
type Row struct {
	ID         string  `json:"id"`
	Text       string  `json:"text"`
	Category   string  `json:"category"`
	Importance float64 `json:"importance"`
	Time       int64   `json:"time"` // milliseconds
	// Points is the text its vector was made of.
	Points string `json:"points"`
	// Newer is the id of the version that took over.
	Newer string `json:"newer,omitempty"`
}

// pointsKey holds Points in a row's metadata.
const pointsKey = "crash_points"

// memory is the row as it is stored.
func (r Row) memory() memory.Memory {
	at := time.UnixMilli(r.Time).UTC()
	m := memory.Memory{
		ID: r.ID, Text: r.Text, Vector: vector(r.Points), Category: memory.StoredCategory(r.Category), Scope: scope.Global,
		Importance: r.Importance, Time: at, Metadata: memory.NewMetadata(r.Text, memory.Cases, memory.SourceManual, at),
	}
	points, _ := json.Marshal(r.Points) // a string always has JSON
	m.Metadata.Extra = map[string]json.RawMessage{pointsKey: points}
	if r.Newer != "" {
		m.Metadata.SupersededBy, m.Metadata.InvalidatedAt = r.Newer, at
	}
	return m
}

// rowOf reads a stored memory back. It fails if the memory's parts do not belong
// together. Without a vector, which List leaves out, that part is not looked at.
func rowOf(m memory.Memory) (Row, error) {
	r := Row{ID: m.ID, Text: m.Text, Category: string(m.Category), Importance: m.Importance, Time: m.Time.UnixMilli(), Newer: m.Metadata.SupersededBy}
	if err := json.Unmarshal(m.Metadata.Extra[pointsKey], &r.Points); err != nil {
		return r, fmt.Errorf("memory %s has metadata of nobody's: %w", m.ID, err)
	}
	want := r.memory()
	switch {
	case m.Vector != nil && !slices.Equal(m.Vector, want.Vector):
		return r, fmt.Errorf("memory %s is torn: its vector %v is not that of %q", m.ID, m.Vector, r.Points)
	case m.Metadata.L0 != want.Metadata.L0:
		return r, fmt.Errorf("memory %s is torn: its metadata belong to another text: %q", m.ID, m.Metadata.L0)
	case m.Metadata.InvalidatedAt.IsZero() != (r.Newer == ""):
		return r, fmt.Errorf("memory %s is torn: half of its end as a version is missing", m.ID)
	}
	return r, nil
}

// vector is a unit vector that depends on the text alone; two are far apart.
func vector(text string) []float32 {
	h := fnv.New64a()
	h.Write([]byte(text))
	r := rand.New(rand.NewPCG(h.Sum64(), 7))
	v := make([]float32, width)
	var sum float64
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// word is one that occurs in one text only, so that a keyword search for it has
// one answer.
func word(r *rand.Rand) string {
	b := []byte("zq")
	for range 10 {
		b = append(b, byte('a'+r.IntN(26)))
	}
	return string(b)
}

// wordOf is the word of a text.
func wordOf(text string) string { return text[:12] }

var filler = []string{"the kettle", "ein Fahrrad", "支付网关", "東京駅", "svc-billing-eu2", "the tide table", "MAX_RETRY_COUNT", "회의실", "seven lanterns", "le grenier"}

// sentence is a text of random length that begins with a word of its own.
func sentence(r *rand.Rand) string {
	text := word(r)
	n := 1 + r.IntN(6)
	if r.IntN(12) == 0 {
		n = 150 // a long one: its row takes more than one page of a file
	}
	for range n {
		text += " " + filler[r.IntN(len(filler))]
	}
	return text
}

// ownedID is a new id whose first two digits name the worker it belongs to.
func ownedID(r *rand.Rand, worker int) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%02x%06x-%04x-4%03x-8%03x-%012x", worker, a&0xffffff, a>>24&0xffff, a>>40&0xfff, a>>52&0xfff, b&0xffffffffffff)
}

// ownerOf is the worker an id belongs to.
func ownerOf(id string) int {
	var worker int
	_, _ = fmt.Sscanf(id[:2], "%02x", &worker) // 0 for an id of somebody else
	return worker
}
