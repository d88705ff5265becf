package store

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	arrowmem "github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// validities are ways a row states when it holds, some of them odd.
var validities = []func(r *rand.Rand) string{
	func(*rand.Rand) string { return `{}` },
	func(r *rand.Rand) string { return fmt.Sprintf(`{"valid_from":%d}`, near(r)) },
	func(r *rand.Rand) string { return fmt.Sprintf(`{"invalidated_at":%d}`, near(r)) },
	func(r *rand.Rand) string { return fmt.Sprintf(`{"valid_until":%d}`, near(r)) },
	func(r *rand.Rand) string { return fmt.Sprintf(`{"valid_until":%d}`, near(r)/1000) }, // seconds
	func(r *rand.Rand) string { return fmt.Sprintf(`{"invalidated_at":%d}`, near(r)/1000) },
	func(r *rand.Rand) string {
		return fmt.Sprintf(`{"valid_from":%d,"invalidated_at":%d}`, near(r), near(r))
	},
	func(r *rand.Rand) string {
		return fmt.Sprintf(`{"valid_from":%d,"invalidated_at":%d}`, near(r)/1000, near(r))
	},
	func(r *rand.Rand) string {
		return fmt.Sprintf(`{"valid_from":%d,"invalidated_at":%d,"valid_until":%d}`, near(r), near(r), near(r))
	},
	func(r *rand.Rand) string { return fmt.Sprintf(`{"l0_abstract":"\"invalidated_at\":%d"}`, near(r)) },
	func(*rand.Rand) string { return `no json` },
	func(*rand.Rand) string { return `{"invalidated_at":"soon","valid_until":null}` },
	func(r *rand.Rand) string {
		return fmt.Sprintf(`{"access_count":1,"suppressed_until_ms":%d}`, near(r))
	},
	func(r *rand.Rand) string { return stated(r, `{"l0_abstract":"a \"{[b","access_count":2,`, `}`) },
	func(r *rand.Rand) string {
		return stated(r, `{"access_count":0, `, `,"history":[{"state":"archived"}]}`)
	},
	func(r *rand.Rand) string {
		return stated(r, `{"history":[{"state":"archived"}],"access_count":0,`, `}`)
	},
	func(r *rand.Rand) string { return stated(r, `{"access_count":0,"state":"archived",`, `}`) }, // twice: the last counts
	func(r *rand.Rand) string { return stated(r, `{"access_count":0,"tags":["a","b"],`, ``) },    // no JSON
	func(r *rand.Rand) string { return stated(r, `{"l0_abstract":"\"state\":\"archived\"",`, `}`) },
}

// stated is metadata with some state and layer.
func stated(r *rand.Rand, before, after string) string {
	state := []string{"confirmed", "pending", "archived", "lost"}[r.IntN(4)]
	layer := []string{"durable", "working", "reflection", "archive", ""}[r.IntN(5)]
	return fmt.Sprintf(`%s"state":"%s","memory_layer" : "%s"%s`, before, state, layer, after)
}

// narrowings is something to ask for, from nothing to all at once.
func narrowings(r *rand.Rand) memory.Narrow {
	n := memory.Narrow{Category: []string{"", "", "fact", "preference", "decision", "events"}[r.IntN(6)]}
	some := func() bool { return r.IntN(4) == 0 }
	if some() {
		n.Categories = [][]string{{"fact", "events"}, {"preferences", "decision"}, {"patterns"}}[r.IntN(3)]
	}
	if r.IntN(4) > 0 {
		n.ActiveAt = start.Add(time.Duration(r.IntN(40)-20) * time.Hour)
	}
	n.HideArchived, n.ConfirmedOnly, n.HideReflections = some(), some(), some()
	if some() {
		n.HideLayers = [][]string{{"archive", "reflection"}, {"working"}, {"unheard of"}}[r.IntN(3)]
	}
	if some() {
		n.Since = start.Add(-time.Duration(r.IntN(100)) * time.Hour)
	}
	if some() {
		n.UnsuppressedAt = start
	}
	return n
}

// near is a moment around start, in milliseconds.
func near(r *rand.Rand) int64 {
	return start.Add(time.Duration(r.IntN(200)-100) * time.Hour).UnixMilli()
}

// TestSearchAgainstModel compares searches with a plain loop over all rows. Most rows
// near the question are not valid, so that a limit that is applied before the validity
// would hide the live ones behind them.
func TestSearchAgainstModel(t *testing.T) {
	noHandlesLeft(t)
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 5))
			s := open(t, t.TempDir())
			s.janitor.stop()
			rows := awkward(t, s, r, 300)
			var gone []string
			for range 40 {
				i := r.IntN(len(rows))
				gone = append(gone, rows[i].ID)
				rows = slices.Delete(rows, i, i+1)
			}
			remove(t, s, gone...)
			check := func(how string) {
				t.Helper()
				for range 25 {
					compareWithModel(t, s, r, rows, how)
				}
			}
			check("row by row")
			if err := s.buildVectorIndex(t.Context(), &Report{}, vectorsFlat); err != nil {
				t.Fatal(err)
			}
			check("indexed")
			for range 3 {
				rows = append(rows, awkward(t, s, r, 20)...)
			}
			check("partly indexed")
			if _, err := s.Maintain(t.Context()); err != nil {
				t.Fatal(err)
			}
			check("maintained")
			withMirror(t, s)
			check("held")
			rows = append(rows, awkward(t, s, r, 20)...)
			check("held and followed")
		})
	}
}

// awkward stores rows around one direction, the invalid ones nearest to it, with the
// metadata as other programs write them.
func awkward(t *testing.T, s *Store, r *rand.Rand, n int) []memory.Memory {
	t.Helper()
	rows, changes := make([]memory.Memory, n), make([]change, n)
	raw := array.NewStringBuilder(arrowmem.DefaultAllocator)
	defer raw.Release()
	for i := range rows {
		m := mem(fmt.Sprintf("heron %s number %d", strings.Repeat("heron ", r.IntN(5)), i))
		if r.IntN(3) == 0 {
			m.Scope = []string{"agent:alice", "agent:bob"}[r.IntN(2)]
		}
		m.Category = []memory.StoredCategory{memory.StoredFact, memory.StoredPreference, memory.StoredDecision, memory.StoredReflection}[r.IntN(4)]
		m.Time = start.Add(-time.Duration(r.IntN(100)) * time.Hour)
		text := validities[r.IntN(len(validities))](r)
		raw.Append(text)
		m.Metadata, _ = memory.ParseMetadata(text)
		spread := 1.0
		if !m.Active(start) || m.Metadata.State != memory.StateConfirmed {
			spread = 0.1
		}
		m.Vector = make([]float32, width)
		for j := range m.Vector {
			m.Vector[j] = float32(spread * r.NormFloat64())
		}
		m.Vector[0]++
		if r.IntN(15) == 0 {
			m.Vector = nil
		}
		rows[i], changes[i] = m, change{present: true, mem: m}
	}
	rec, err := s.layout().encode(changes)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	metadata := raw.NewArray()
	defer metadata.Release()
	odd, err := rec.SetColumn(s.layout().schema.FieldIndices(colMetadata)[0], metadata)
	if err != nil {
		t.Fatal(err)
	}
	defer odd.Release()
	if err := s.table.Add(t.Context(), odd); err != nil {
		t.Fatal(err)
	}
	return rows
}

func compareWithModel(t *testing.T, s *Store, r *rand.Rand, rows []memory.Memory, how string) {
	t.Helper()
	who := []scope.Filter{everyone(), agent(t, "alice"), agent(t, "bob")}[r.IntN(3)]
	n := narrowings(r)
	limit := 1 + r.IntN(30)
	query := make([]float32, width)
	for j := range query {
		query[j] = float32(0.1 * r.NormFloat64())
	}
	query[0]++

	var want []memory.Hit
	for _, m := range rows {
		if m.Vector != nil && readable(who, m) && n.Keeps(m) {
			want = append(want, memory.Hit{Memory: m, Score: cosine(query, m.Vector)})
		}
	}
	eligible := len(want)
	slices.SortFunc(want, func(a, b memory.Hit) int { return cmp.Compare(b.Score, a.Score) })
	want = want[:min(limit, len(want))]
	got, err := s.Nearest(t.Context(), who, n, query, limit)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%s, %+v, limit %d of %d: %d hits, want %d", how, n, limit, eligible, len(got), len(want))
	}
	for i := range got {
		if got[i].Memory.ID != want[i].Memory.ID || math.Abs(got[i].Score-want[i].Score) > 1e-6 {
			t.Errorf("%s, %+v, limit %d: hit %d is %s at %.7f, want %s at %.7f", how, n, limit, i,
				got[i].Memory.ID, got[i].Score, want[i].Memory.ID, want[i].Score)
		}
	}

	// Every row says heron, so a keyword search finds all that may be found.
	eligible = 0
	for _, m := range rows {
		if readable(who, m) && n.Keeps(m) {
			eligible++
		}
	}
	words, err := s.Matching(t.Context(), who, n, "heron", limit)
	if err != nil {
		t.Fatal(err)
	}
	if len(words) != min(limit, eligible) {
		t.Errorf("%s, %+v, limit %d of %d: %d found by keyword", how, n, limit, eligible, len(words))
	}
	for _, h := range words {
		if !readable(who, h.Memory) || !n.Keeps(h.Memory) {
			t.Errorf("%s: found by keyword against %+v: %s", how, n, h.Memory.Metadata)
		}
	}
}
