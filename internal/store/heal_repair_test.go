package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// backup is one with those memories, made so long after the test began.
func backup(after time.Duration, ms ...memory.Memory) []Backup {
	return []Backup{{Name: "backup.jsonl", At: start.Add(after), Each: func(_ context.Context, fn func(memory.Memory) error) error {
		for _, m := range ms {
			if err := fn(m); err != nil {
				return err
			}
		}
		return nil
	}}}
}

// lossy is a database of the TypeScript plugin's kind in which six memories of
// thirty were lost with a file, opened.
func lossy(t *testing.T) (damaged, *Store) {
	t.Helper()
	d := thirty(t, false, false)
	d.cut(t, d.data(1), 10)
	return d, open(t, d.dir)
}

// batch is the six of one of the five files.
func (d damaged) batch(i int) []memory.Memory { return d.all[6*i : 6*i+6] }

func TestRepairBringsBack(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(d damaged, s *Store) []Backup
		want Repaired
		rows int64
	}{
		{"nothing", func(damaged, *Store) []Backup { return nil }, Repaired{Lost: 6, StillLost: 6}, 24},
		{"everything from a backup", func(d damaged, _ *Store) []Backup { return backup(0, d.all...) },
			Repaired{Lost: 6, FromBackup: 6, Backup: "backup.jsonl"}, 30},
		{"a part from a backup", func(d damaged, _ *Store) []Backup { return backup(0, append(d.batch(1)[:4:4], d.batch(2)...)...) },
			Repaired{Lost: 6, FromBackup: 4, StillLost: 2, Backup: "backup.jsonl"}, 28},
		{"from an older backup too", func(d damaged, _ *Store) []Backup {
			// The newest was made after the damage, and lacks what was lost then.
			return append(backup(time.Minute, d.batch(2)...), append(backup(0, d.batch(1)[:2]...), backup(0, d.batch(1)...)...)...)
		}, Repaired{Lost: 6, FromBackup: 6, Backup: "backup.jsonl"}, 30},
		{"nobody knows which", func(d damaged, _ *Store) []Backup {
			return backup(-time.Hour, append(d.batch(1), mem("forgotten before"))...)
		},
			Repaired{Lost: 6, StillLost: 6, Uncertain: 7, Backup: "backup.jsonl"}, 24},
		{"what was forgotten since stays so", func(d damaged, s *Store) []Backup {
			remove(t, s, d.batch(3)[0].ID)
			return backup(time.Hour, d.all...)
		}, Repaired{Lost: 6, FromBackup: 6, Backup: "backup.jsonl"}, 29},
	} {
		t.Run(c.name, func(t *testing.T) {
			noHandlesLeft(t)
			d, s := lossy(t)
			b := c.make(d, s)
			r, err := s.Repair(t.Context(), b)
			if err != nil || r != c.want {
				t.Errorf("%+v, %v, want %+v", r, err, c.want)
			}
			if n := total(t, s); n != c.rows {
				t.Errorf("%d memories, want %d", n, c.rows)
			}
			again, err := s.Repair(t.Context(), b)
			if err != nil || again.BroughtBack() != 0 || again.StillLost != c.want.StillLost {
				t.Errorf("again: %+v, %v", again, err)
			}
			note := d.aside(t)
			if missing := c.want.StillLost+c.want.Uncertain > 0; note.Missing() != missing || note.Repair == nil || note.Repair.BroughtBack != r.BroughtBack() {
				t.Errorf("%+v", note)
			}
		})
	}
}

// TestRepairFromTheJournal: a journal that does not reach back to the whole
// version still brings back the rows it holds, as they were last, whether
// maintenance came before the damage or not.
func TestRepairFromTheJournal(t *testing.T) {
	for name, maintained := range map[string]bool{"as written": false, "after maintenance": true} {
		t.Run(name, func(t *testing.T) { repairFromTheJournal(t, maintained) })
	}
}

func repairFromTheJournal(t *testing.T, maintained bool) {
	noHandlesLeft(t)
	d := thirty(t, false, false)
	s := open(t, d.dir)
	changed := d.batch(1)[0]
	changed.Text, changed.Vector = "changed zylophrast", vec("changed")
	if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(changed) }); err != nil {
		t.Fatal(err)
	}
	some := numbered("with a journal %d", 5)
	insert(t, s, some...)
	remove(t, s, some[0].ID)
	if maintained {
		if _, err := s.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// Every file, and not those of the newest version alone: where rows were merged
	// into a new file, the versions before are whole without it.
	files, err := filepath.Glob(filepath.Join(d.table(), "data", "*.lance"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	s = open(t, d.dir)
	r, err := s.Repair(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{}
	page, err := s.List(t.Context(), ListQuery{Who: everyone(), Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range page.Memories {
		texts = append(texts, m.Text)
	}
	slices.Sort(texts)
	want := []string{"changed zylophrast", "with a journal 1", "with a journal 2", "with a journal 3", "with a journal 4"}
	if !slices.Equal(texts, want) {
		t.Errorf("%q after %+v", texts, r)
	}
	hits, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, vec("changed"), 1)
	if err != nil || len(hits) != 1 || hits[0].Memory.ID != changed.ID {
		t.Errorf("%+v, %v", hits, err)
	}
}

func TestRepairOfAHealthyDatabase(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	insert(t, s, mem("x"))
	if r, err := s.Repair(t.Context(), backup(0, mem("forgotten long ago"))); err != nil || r != (Repaired{}) {
		t.Errorf("%+v, %v", r, err)
	}
	if n := total(t, s); n != 1 {
		t.Errorf("%d memories", n)
	}
}

func TestExamineNamesDamage(t *testing.T) {
	noHandlesLeft(t)
	d := thirty(t, true, false)
	d.cut(t, d.data(1), 10)
	x, err := Examine(t.Context(), Options{Path: d.dir})
	if err != nil || len(x.Damage) != 1 || !strings.Contains(x.Damage[0], d.data(1)) || x.Unreadable != 6 || x.Rows != 30 || len(x.SetAside) > 0 {
		t.Errorf("%+v, %v", x, err)
	}
	if err := open(t, d.dir).Close(); err != nil {
		t.Fatal(err)
	}
	x, err = Examine(t.Context(), Options{Path: d.dir})
	if err != nil || len(x.Damage) > 0 || x.Rows != 30 || len(x.SetAside) != 1 || x.SetAside[0].Missing() || x.Journal.Pending > 0 {
		t.Errorf("after opening: %+v, %v", x, err)
	}
}
