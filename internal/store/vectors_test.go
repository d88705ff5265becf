package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

func by(fingerprint string, adopt bool) func(*Options) {
	return func(o *Options) { o.Fingerprint, o.AdoptVectors = fingerprint, adopt }
}

func reopened(t *testing.T, s *Store, change ...func(*Options)) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, s.path, change...)
}

// B90: the same width is not the same model.
func TestVectorsOfAnotherModel(t *testing.T) {
	noHandlesLeft(t)
	ctx := t.Context()
	s := open(t, t.TempDir(), by("model A", true))
	if v := s.Vectors(); !v.Match() || v.Recorded != "model A" || v.Adopted {
		t.Fatalf("a new table: %+v", v)
	}
	old := mem("zylophrast one")
	insert(t, s, old)

	s = reopened(t, s, by("model B", true))
	v := s.Vectors()
	var foreign *ForeignVectorsError
	if !errors.As(v.Err, &foreign) || v.Recorded != "model A" || v.Current != "model B" {
		t.Fatalf("another model: %+v", v)
	}
	for _, want := range []string{"model A", "model B", "keywords", "memory-pro reembed"} {
		if !strings.Contains(v.Err.Error(), want) {
			t.Errorf("%q does not say %q", v.Err, want)
		}
	}
	if _, err := s.Nearest(ctx, everyone(), memory.Narrow{}, vec("x"), 3); !errors.As(err, &foreign) {
		t.Errorf("Nearest: %v", err)
	}
	if got := matching(t, s, "zylophrast", 3); len(got) != 1 {
		t.Errorf("keywords find %q", got)
	}

	// A vector that is handed over all the same is left out, on every way in.
	fresh, metadata := mem("zylophrast two"), mem("zylophrast three")
	insert(t, s, fresh, metadata)
	read, err := s.Get(ctx, everyone(), old.ID)
	if err != nil || read.Vector == nil {
		t.Fatalf("%+v, %v", read, err)
	}
	read.Importance = 0.1
	metadata.Vector, metadata.Metadata.Embedding = vec("of B"), ""
	if err := s.Write(ctx, "test", func(tx *Tx) error { return tx.Update(read, metadata) }); err != nil {
		t.Fatal(err)
	}
	for _, m := range []memory.Memory{fresh, metadata} {
		if got, err := s.Get(ctx, everyone(), m.ID); err != nil || got.Vector != nil || got.Metadata.Embedding != memory.EmbeddingPending {
			t.Errorf("%q has vector %v, embedding %q, %v; want none, pending", m.Text, got.Vector, got.Metadata.Embedding, err)
		}
	}
	if got, _ := s.Get(ctx, everyone(), old.ID); !slices.Equal(got.Vector, old.Vector) || got.Importance != 0.1 || got.Metadata.Embedding != "" {
		t.Errorf("the old row lost its vector: %+v", got)
	}
	reworded := read
	reworded.Text = "zylophrast four"
	if err := s.Write(ctx, "test", func(tx *Tx) error { return tx.Update(reworded) }); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Get(ctx, everyone(), old.ID); got.Vector != nil || got.Metadata.Embedding != memory.EmbeddingPending {
		t.Errorf("a reworded row kept the vector of the old words: %+v", got)
	}
	if n, err := s.Pending(ctx, everyone(), 10); err != nil || len(n) != 3 {
		t.Errorf("%d rows wait, %v; want 3", len(n), err)
	}

	s = reopened(t, s, by("model A", true))
	if err := s.CheckVectors(); err != nil {
		t.Errorf("back with the first model: %v", err)
	}
}

func TestVectorsOfUnknownOrigin(t *testing.T) {
	tests := []struct {
		name    string
		adopt   bool
		vectors bool
		width   int
		match   bool
		adopted bool
	}{
		{name: "the operator named the model", adopt: true, vectors: true, width: width, match: true, adopted: true},
		{name: "nobody named it", vectors: true, width: width},
		{name: "another width", adopt: true, vectors: true, width: 12},
		{name: "rows without vectors", width: width, match: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			noHandlesLeft(t)
			dir := t.TempDir()
			rows := strings.ReplaceAll(earlyRows, `"category"`, `"scope":"global","category"`)
			if !tt.vectors {
				rows = `[{"id":"early-1","text":"the zylophrast hangs on the wall","scope":"global"}]`
			}
			table(t, dir, append(earlyFields(), column("scope", utf8Type)), rows)
			s := open(t, dir, by("a model", tt.adopt), func(o *Options) { o.Dimensions = tt.width })
			if v := s.Vectors(); v.Match() != tt.match || v.Adopted != tt.adopted || (v.Recorded != "") != tt.match || v.TableWidth != width {
				t.Errorf("%+v", v)
			}
			if got := matching(t, s, "zylophrast", 3); len(got) != 1 {
				t.Errorf("keywords find %q", got)
			}
			insert(t, s, mem("new", withVector(slices.Repeat([]float32{1}, tt.width))), mem("newer", withVector(nil)))
		})
	}
}

// A store learns from the notes of others without being opened again.
func TestNotesOfAnotherProcess(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	a := open(t, dir, by("model A", true))
	b := open(t, dir, by("model B", true)) // no vectors yet: the last one wins
	if a.CheckVectors() == nil || b.CheckVectors() != nil {
		t.Errorf("A %v, B %v; want B's table", a.CheckVectors(), b.CheckVectors())
	}
	late := mem("from A")
	insert(t, a, late)
	if got, _ := b.Get(t.Context(), everyone(), late.ID); got.Vector != nil {
		t.Error("A mixed its vector in")
	}
	if err := os.WriteFile(b.notes.path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.CheckVectors(); err == nil || !strings.Contains(err.Error(), notesFile) {
		t.Errorf("unreadable notes: %v", err)
	}
	// They are written anew without a vector in the table, or by a named model.
	if b = reopened(t, b, by("model B", false)); b.CheckVectors() != nil {
		t.Errorf("after the next start: %v", b.CheckVectors())
	}
	insert(t, b, mem("from B"))
	for _, adopt := range []bool{false, true} {
		if err := os.WriteFile(b.notes.path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if b = reopened(t, b, by("model B", adopt)); (b.CheckVectors() == nil) != adopt {
			t.Errorf("a model that was named: %v; %v", adopt, b.CheckVectors())
		}
	}
}

func TestFingerprintAtOnce(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	table(t, dir, append(earlyFields(), column("scope", utf8Type)), earlyRows)
	stores := make([]*Store, 4)
	var wg sync.WaitGroup
	for i := range stores {
		wg.Go(func() {
			name := []string{"model A", "model B"}[i%2]
			var err error
			if stores[i], err = Open(t.Context(), Options{Path: dir, Dimensions: width, Fingerprint: name, AdoptVectors: true}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	matching := map[string]bool{}
	for _, s := range stores {
		if s == nil {
			t.FailNow()
		}
		t.Cleanup(func() { s.Close() })
		if v := s.Vectors(); v.Match() {
			matching[v.Current] = true
		}
	}
	if len(matching) != 1 {
		t.Errorf("the vectors count as those of %v", matching)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "memories.lance", notesFile+".*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
