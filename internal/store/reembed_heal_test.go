package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// wantNoMixture checks that all is there, and that nobody who may compare the vectors
// meets one of another model.
func wantNoMixture(t *testing.T, s *Store, m model, want []memory.Memory) {
	t.Helper()
	rows := everyRow(t, s)
	for _, w := range want {
		if rows[w.ID].Text != w.Text {
			t.Errorf("%q is %q now", w.Text, rows[w.ID].Text)
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows, want %d", len(rows), len(want))
	}
	if s.CheckVectors() != nil {
		return
	}
	for _, r := range rows {
		if r.Vector != nil && !slices.Equal(r.Vector, m.vector(r.Text)) {
			t.Errorf("%s compares a vector that is not its own, of %q", m.name, r.Text)
		}
	}
}

// Whatever happens to the table after a re-embed, what the journal brings back mixes
// no vectors, and nothing is lost; another run puts everything right.
func TestReembedThenDamage(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, d damaged, old string){
		"the table removed":           func(t *testing.T, d damaged, _ string) { d.wipe(t, "") },
		"all manifests removed":       func(t *testing.T, d damaged, _ string) { d.wipe(t, "_versions/*") },
		"back before the re-embed":    func(t *testing.T, d damaged, _ string) { d.newestGone(t, 3) },
		"back to the re-embed":        func(t *testing.T, d damaged, _ string) { d.newestGone(t, 1) },
		"the newest file is short":    func(t *testing.T, d damaged, _ string) { d.cut(t, headOf(t, d.dir).Fragments[0].Files[0].Path, 100) },
		"the newest manifest is torn": func(t *testing.T, d damaged, _ string) { d.cut(t, headOf(t, d.dir).File, 40) },
		"an older copy": func(t *testing.T, d damaged, old string) {
			d.wipe(t, "")
			if err := os.CopyFS(d.table(), os.DirFS(old)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		for _, to := range []model{newModel, wideModel} {
			t.Run(name+" "+to.name, func(t *testing.T) {
				noHandlesLeft(t)
				d, old := damaged{dir: t.TempDir()}, t.TempDir()
				first := open(t, d.dir, oldModel.options)
				first.janitor.stop()
				was := oldModel.memories("Lighthouse number %d", 10)
				insert(t, first, was...)
				if err := first.checkpoint(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := os.CopyFS(old, os.DirFS(d.table())); err != nil {
					t.Fatal(err)
				}
				between := mem("Between", withVector(oldModel.vector("Between")))
				insert(t, first, between)
				if err := first.Close(); err != nil {
					t.Fatal(err)
				}
				s := open(t, d.dir, to.options)
				s.janitor.stop()
				embedAll(t, s, to, nil)
				was = append(was, between)
				for _, text := range []string{"Later one", "Later two"} {
					m := mem(text, withVector(to.vector(text)))
					insert(t, s, m)
					was = append(was, m)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				damage(t, d, old)
				for _, m := range []model{to, oldModel, to} {
					s, err := Open(t.Context(), Options{Path: d.dir, Dimensions: m.width, Fingerprint: m.name})
					if err != nil {
						t.Fatalf("%s: %v", m.name, err)
					}
					wantNoMixture(t, s, m, was)
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				}
				s = open(t, d.dir, to.options)
				if done := embedAll(t, s, to, nil); done.Rows != int64(len(was)) || done.Pending != 0 {
					t.Errorf("%+v", done)
				}
				wantModel(t, s, was, to)
			})
		}
	}
}

// A power cut between publishing the version and making it durable leads back to the
// old vectors, and the note with it; one after it keeps the new ones.
func TestReembedPowerCut(t *testing.T) {
	for _, step := range []string{stepReembedDone, stepReembedSettle, stepReembedSettled} {
		t.Run(step, func(t *testing.T) {
			noHandlesLeft(t)
			boot := func(name string) func(*Options) { return func(o *Options) { o.Boot = name } }
			dir, cut := t.TempDir(), t.TempDir()
			was := oldModel.memories("Lighthouse number %d", 10)
			first := open(t, dir, oldModel.options, boot("one"))
			insert(t, first, was...)
			if err := first.checkpoint(t.Context()); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir, newModel.options, boot("one"))
			r, err := s.Reembed()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close() //nolint:errcheck // what it keeps is synced
			keepAll(t, r, newModel, nil)
			s.fault = func(at string) error {
				if at != step {
					return nil
				}
				s.fault = nil
				return errors.Join(errors.New("cut"), os.CopyFS(cut, os.DirFS(dir)))
			}
			if _, err := r.Finish(t.Context()); err == nil {
				t.Error("it was not cut")
			}
			now := oldModel
			if step != stepReembedDone {
				now = newModel
			}
			after := open(t, cut, now.options, boot("two"))
			if err := after.CheckVectors(); err != nil {
				t.Error(err)
			}
			wantModel(t, after, was, now)
			if !found(t, after, now, was[3].Text) {
				t.Error("not found by its vector")
			}
		})
	}
}

// What is cut off, or of another model, is not used; the rest is.
func TestVectorFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors")
	make := func(fingerprint string, width int) *vectorFile {
		t.Helper()
		v, err := openVectorFile(path, fingerprint, width)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = v.close() })
		return v
	}
	v := make("a", 3)
	keys := []textKey{keyOf("one"), keyOf("two"), keyOf("three")}
	if err := v.add(keys, [][]float32{{1, 2, 3}, nil, {4, 5, 6}}); err != nil {
		t.Fatal(err)
	}
	if err := v.add(keys[:1], [][]float32{{9, 9, 9}}); err != nil || v.len() != 2 {
		t.Errorf("%d texts, %v", v.len(), err)
	}
	size := v.end
	for cut := range int64(2) * int64(v.recordSize()) {
		if err := os.Truncate(path, size-cut); err != nil {
			t.Fatal(err)
		}
		again := make("a", 3)
		want := 2 - int((cut+int64(v.recordSize())-1)/int64(v.recordSize()))
		if again.len() != want {
			t.Fatalf("cut by %d: %d texts, want %d", cut, again.len(), want)
		}
		if got, err := again.get(keys[0]); err != nil || (want > 0) != slices.Equal(got, []float32{1, 2, 3}) {
			t.Fatalf("cut by %d: %v, %v", cut, got, err)
		}
		if err := again.add(keys, [][]float32{{1, 2, 3}, nil, {4, 5, 6}}); err != nil {
			t.Fatal(err)
		}
	}
	// A flipped bit, and another model.
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-10] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if n := make("a", 3).len(); n != 1 {
		t.Errorf("%d texts after damage", n)
	}
	for _, other := range []*vectorFile{make("b", 3), make("b", 4), make("a", 3)} {
		if other.len() != 0 {
			t.Errorf("%d texts of another model", other.len())
		}
	}
}
