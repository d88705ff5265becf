package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// model is what tests embed with: a name and a width.
type model struct {
	name  string
	width int
}

var (
	oldModel  = model{"old", width}
	newModel  = model{"new", width}      // another of the same width
	wideModel = model{"wide", width + 4} // another of another width
)

func (m model) vector(text string) []float32 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%s", m.name, text)
	r := rand.New(rand.NewPCG(h.Sum64(), 11))
	v := make([]float32, m.width)
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

func (m model) options(o *Options) { o.Dimensions, o.Fingerprint = m.width, m.name }

func (m model) memories(format string, n int) []memory.Memory {
	list := make([]memory.Memory, n)
	for i := range list {
		text := fmt.Sprintf(format, i)
		list[i] = mem(text, withVector(m.vector(text)))
	}
	return list
}

// embedAll gives every text that lacks one its vector; skip leaves some out.
func embedAll(t testing.TB, s *Store, m model, skip func(string) bool) Reembedded {
	t.Helper()
	r, err := s.Reembed()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	keepAll(t, r, m, skip)
	done, err := r.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func keepAll(t testing.TB, r *Reembedding, m model, skip func(string) bool) {
	t.Helper()
	_, err := r.Missing(t.Context(), func(ms []memory.Memory) error {
		texts, vectors := make([]string, len(ms)), make([][]float32, len(ms))
		for i := range ms {
			if texts[i] = ms[i].Text; skip == nil || !skip(texts[i]) {
				vectors[i] = m.vector(texts[i])
			}
		}
		return r.Keep(texts, vectors)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// everyRow is the table by id, with vectors.
func everyRow(t testing.TB, s *Store) map[string]memory.Memory {
	t.Helper()
	rows := map[string]memory.Memory{}
	err := s.Each(context.WithoutCancel(t.Context()), everyone(), memory.Narrow{}, true, func(ms []memory.Memory) error {
		for _, m := range ms {
			if _, twice := rows[m.ID]; twice {
				t.Errorf("%s is there twice", m.ID)
			}
			rows[m.ID] = m
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// wantModel checks that every row is as it was, but for its vector, which is m's.
func wantModel(t testing.TB, s *Store, was []memory.Memory, m model) {
	t.Helper()
	now := everyRow(t, s)
	if len(now) != len(was) {
		t.Errorf("%d rows, want %d", len(now), len(was))
	}
	for _, old := range was {
		got, ok := now[old.ID]
		if !ok {
			t.Errorf("%s is gone", old.ID)
			continue
		}
		if got.Vector != nil && !slices.Equal(got.Vector, m.vector(got.Text)) {
			t.Fatalf("the vector of %q is not of %s: %v", got.Text, m.name, got.Vector)
		}
		if (got.Vector == nil) != (got.Metadata.Embedding == memory.EmbeddingPending) {
			t.Errorf("%q: vector %v, metadata %s", got.Text, got.Vector, got.Metadata)
		}
		old.Vector, got.Vector, old.Metadata.Embedding, got.Metadata.Embedding = nil, nil, "", ""
		if diff := cmp.Diff(rowOf(old), rowOf(got)); diff != "" {
			t.Errorf("row (-want +got)\n%s", diff)
		}
	}
}

// found is whether a search by vector finds a text first.
func found(t testing.TB, s *Store, m model, text string) bool {
	t.Helper()
	hits, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, m.vector(text), 3)
	if err != nil {
		t.Fatalf("Nearest: %v", err)
	}
	return len(hits) > 0 && hits[0].Memory.Text == text
}

// What is erased after a re-embed, or in the middle of one, is gone from old versions,
// copies and what was kept for going on.
func TestEraseAroundReembed(t *testing.T) {
	noHandlesLeft(t)
	path := t.TempDir()
	was := oldModel.memories("Lighthouse number %d", 10)
	secret := mem("The quibblesnort is hidden", withVector(oldModel.vector("The quibblesnort is hidden")))
	old := open(t, path, oldModel.options)
	insert(t, old, append(was, secret)...)
	s := open(t, path, wideModel.options)
	r, err := s.Reembed()
	if err != nil {
		t.Fatal(err)
	}
	keepAll(t, r, wideModel, nil)
	nothing := func(*journal.Row) bool { return false }
	if e, err := old.Erase(t.Context(), EraseRequest{Scrub: nothing}); err != nil || len(e.Left) != 1 || !strings.Contains(e.Left[0], "embedded anew just now") {
		t.Errorf("while it runs: %+v, %v", e, err)
	}
	if _, err := r.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := s.Erase(t.Context(), EraseRequest{IDs: []string{secret.ID}, Scrub: func(row *journal.Row) bool {
		row.Text, row.Metadata, row.Vector = journal.Erased, "{}", nil
		return true
	}})
	if err != nil || e.Rows != 1 || len(e.Left) > 0 {
		t.Errorf("%+v, %v", e, err)
	}
	err = filepath.WalkDir(path, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if bytes.Contains(text, []byte("quibblesnort")) {
			t.Errorf("it is still in %s", file)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(path, vectorsFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("vectors are left: %v", err)
	}
	wantModel(t, s, was, wideModel)
	if !found(t, s, wideModel, was[3].Text) {
		t.Error("not found afterwards")
	}
}

// B37, B104: another width, and another model of one width. Nothing is lost, ids,
// times, scopes and metadata stay, and everything is found again.
func TestReembed(t *testing.T) {
	for _, to := range []model{newModel, wideModel} {
		t.Run(to.name, func(t *testing.T) {
			noHandlesLeft(t)
			path := t.TempDir()
			was := oldModel.memories("Lighthouse number %d stands on a rock", 30)
			was[3].Scope, was[4].Category, was[5].Importance = "agent:main", "preference", 0.25
			first := open(t, path, oldModel.options)
			insert(t, first, was...)
			gone := oldModel.memories("Gone %d", 3)
			insert(t, first, gone...)
			remove(t, first, gone[0].ID, gone[1].ID, gone[2].ID)

			s := open(t, path, to.options)
			if s.CheckVectors() == nil {
				t.Fatal("vectors of another model are used")
			}
			waiting := mem("Stored while the vectors are of another model", withVector(to.vector("x")))
			insert(t, s, waiting)
			was = append(was, waiting)
			if got := matching(t, s, "lighthouse 7", 3); len(got) == 0 {
				t.Error("keyword search does not work before")
			}
			done := embedAll(t, s, to, nil)
			if done.Rows != 31 || done.Pending != 0 {
				t.Errorf("%+v", done)
			}
			wantModel(t, s, was, to)
			// The other process notices without being told: its model is the foreign one now.
			if first.CheckVectors() == nil {
				t.Error("the old model still compares its vectors")
			}
			if err := first.Write(t.Context(), "test", func(tx *Tx) error {
				return tx.Insert(mem("From a process with the old model", withVector(oldModel.vector("y"))))
			}); err != nil {
				t.Fatal(err)
			}
			if n, err := s.Pending(t.Context(), everyone(), 10); err != nil || len(n) != 1 {
				t.Errorf("%d wait, %v", len(n), err)
			}
			for _, st := range []*Store{s, open(t, path, to.options)} {
				if err := st.CheckVectors(); err != nil {
					t.Error(err)
				}
				for _, m := range was {
					if !found(t, st, to, m.Text) {
						t.Errorf("%q is not found by its vector", m.Text)
					}
				}
				if got := matching(t, st, "lighthouse 7", 3); len(got) == 0 || got[0] != "Lighthouse number 7 stands on a rock" {
					t.Errorf("by words: %q", got)
				}
			}
			// It goes on as a table does.
			insert(t, s, mem("Afterwards", withVector(to.vector("Afterwards"))))
			if !found(t, s, to, "Afterwards") || total(t, s) != 33 {
				t.Errorf("%d rows", total(t, s))
			}
			if _, err := os.Stat(filepath.Join(path, besideDir)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("what was built is left: %v", err)
			}
		})
	}
}
