package store

import (
	"strings"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/hanzi"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/knn"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// mirror holds the whole table in memory, as one version of it: what a search has to
// know of every row to leave it out or in, its text as it is stored, and its vector
// as one byte a number. A search by vector is a pass over these bytes and exact; a
// search by keyword asks LanceDB for addresses and scores alone. Measured with 384
// numbers, 48 hits, on two cores (ms; "LanceDB" with its index of vectors):
//
//	rows      nearest: LanceDB   held   keyword: LanceDB   held
//	10,000          3.8          0.2          3.3          0.9
//	50,000          7.4          0.6          5.5          1.2
//
// Rows are known by their address, the number of their fragment and their place in
// it: what lies at an address never changes, it is only deleted at some time. So one
// version becomes the next by reading what was added and dropping what is gone
// (mirror_sync.go), whoever wrote it.
type mirror struct {
	mu      sync.RWMutex
	width   int
	at      edition           // the version it is; zero while it is none
	seq     uint64            // what is recorded up to here is in it
	parts   map[uint64]part   // by number of the fragment
	live    map[uint64]uint64 // rows held of each
	places  map[uint64]int32  // by address
	ids     map[string]int32  // by id
	twice   bool              // two rows have one id
	rows    []heldRow
	vectors *knn.Set
	bytes   int // of the texts
	words   map[string]string
	scripts map[hanzi.Script]int // rows by the scripts of Chinese their texts may be in
}

const (
	// mirrorBytes bounds what is held; larger tables are searched through LanceDB.
	mirrorBytes = 320 << 20
	// exactBytes bounds the vectors as stored: 100,000 of 384 numbers, 40,000 of 1,024.
	// Where they are more, those of the few rows that may be found are read from the
	// table: 2 to 3 ms.
	exactBytes = 160 << 20
)

// edition tells one version from another, also from one of the same number in a table
// that was made anew: by its manifest's size, time and number in the file system.
type edition struct {
	version manifest.Version
	size    int64
	changed int64
	inode   uint64
}

// part is one fragment.
type part struct {
	data, deleted string // its files
	physical      uint64 // rows, deleted ones too
	rows          uint64 // that are left
}

// heldRow is a row without its vector.
type heldRow struct {
	address    uint64
	facts      memory.Facts
	scope      string
	importance float64
	texts      string // id, text and metadata
	id, text   int    // how long those are
	scripts    hanzi.Script
}

func newMirror(width int) *mirror {
	return &mirror{width: width, parts: map[uint64]part{}, live: map[uint64]uint64{}, places: map[uint64]int32{}, ids: map[string]int32{}, vectors: knn.New(width, exactBytes), words: map[string]string{}, scripts: map[hanzi.Script]int{}}
}

// held is how many bytes the mirror takes, about.
func (m *mirror) held() int { return m.bytes + 320*len(m.rows) + m.vectors.Bytes() }

// add puts row i of a result in; metadata is its text as it is stored.
func (m *mirror) add(address uint64, c columns, i int) {
	if _, ok := m.places[address]; ok {
		return
	}
	row, raw := c.memory(i), c.text(colMetadata, i)
	f := row.Facts()
	f.Category, f.Kind = memory.StoredCategory(m.word(string(f.Category))), memory.Category(m.word(string(f.Kind)))
	f.State, f.Layer = m.word(f.State), m.word(f.Layer)
	var b strings.Builder
	b.Grow(len(row.ID) + len(row.Text) + len(raw))
	b.WriteString(row.ID)
	b.WriteString(row.Text)
	b.WriteString(raw)
	scripts := hanzi.Scripts(row.Text)
	m.places[address] = int32(len(m.rows))
	m.live[address>>32]++
	m.rows = append(m.rows, heldRow{
		address: address, facts: f, scope: m.word(row.Scope), importance: row.Importance, texts: b.String(), id: len(row.ID), text: len(row.Text),
		scripts: scripts,
	})
	m.scripts[scripts]++
	m.bytes += b.Len()
	id := m.id(len(m.rows) - 1)
	_, there := m.ids[id]
	m.twice = m.twice || there
	m.ids[id] = int32(len(m.rows) - 1)
	m.vectors.Add(row.Vector)
}

// word is one copy of a word that many rows hold.
func (m *mirror) word(s string) string {
	if w, ok := m.words[s]; ok {
		return w
	}
	m.words[s] = s
	return s
}

// countTwins: a row that was read before and after a change had two places for a time.
func (m *mirror) countTwins() {
	clear(m.ids)
	for place := range m.rows {
		m.ids[m.id(place)] = int32(place)
	}
	m.twice = len(m.ids) < len(m.rows)
}

// remove lets the last row take the place of the one at an address, if it is there.
func (m *mirror) remove(address uint64) {
	place, ok := m.places[address]
	if !ok {
		return
	}
	last := len(m.rows) - 1
	m.bytes -= len(m.rows[place].texts)
	m.scripts[m.rows[place].scripts]--
	delete(m.places, address)
	if id := m.id(int(place)); m.ids[id] == place {
		delete(m.ids, id)
	}
	m.live[address>>32]--
	if int(place) != last {
		m.rows[place] = m.rows[last]
		m.places[m.rows[place].address] = place
		m.ids[m.id(int(place))] = place
	}
	m.rows[last] = heldRow{}
	m.rows = m.rows[:last]
	m.vectors.RemoveSwap(int(place))
}

// admits is the condition of a read, for the row at a place.
func (m *mirror) admits(who scope.Filter, n memory.Narrow) func(place int) bool {
	all := who.All()
	return func(place int) bool {
		row := &m.rows[place]
		return (all || (row.scope != "" && who.Allows(row.scope))) && n.KeepsFacts(row.facts)
	}
}

func (m *mirror) id(place int) string { return m.rows[place].texts[:m.rows[place].id] }

// brief is the row at a place as far as ordering needs it.
func (m *mirror) brief(place int) memory.Memory {
	row := &m.rows[place]
	return memory.Memory{ID: row.texts[:row.id], Time: momentOf(row.facts.Time), Vector: m.vectors.Vector(place)}
}

// fill completes a brief row.
func (row *heldRow) fill(b *memory.Memory) {
	b.Text = row.texts[row.id : row.id+row.text]
	b.Category, b.Scope, b.Importance = row.facts.Category, row.scope, row.importance
	b.Metadata, _ = memory.ParseMetadata(row.texts[row.id+row.text:])
}

func momentOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
