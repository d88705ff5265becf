package store

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

func (d damaged) wipe(t *testing.T, pattern string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(d.table(), pattern))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
}

func (d damaged) newestGone(t *testing.T, n int) {
	t.Helper()
	for range n {
		d.remove(t, d.versionFile(t, 0))
	}
}

// TestTableBehindRecord: whatever part of the table is gone, what is on record comes
// back, is said, and is there once; vectors stay the model's.
func TestTableBehindRecord(t *testing.T) {
	const model = "a model"
	for name, c := range map[string]struct {
		damage func(t *testing.T, d damaged, old string)
		gone   bool // the whole table
	}{
		"the table removed":     {gone: true, damage: func(t *testing.T, d damaged, _ string) { d.wipe(t, "") }},
		"its contents removed":  {gone: true, damage: func(t *testing.T, d damaged, _ string) { d.wipe(t, "*") }},
		"all manifests removed": {gone: true, damage: func(t *testing.T, d damaged, _ string) { d.wipe(t, "_versions/*") }},
		"one manifest":          {damage: func(t *testing.T, d damaged, _ string) { d.newestGone(t, 1) }},
		"two manifests":         {damage: func(t *testing.T, d damaged, _ string) { d.newestGone(t, 2) }},
		"three manifests":       {damage: func(t *testing.T, d damaged, _ string) { d.newestGone(t, 3) }},
		"an older copy": {damage: func(t *testing.T, d damaged, old string) {
			d.wipe(t, "")
			if err := os.CopyFS(d.table(), os.DirFS(old)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		for _, boot := range []string{"one", "two"} {
			t.Run(name+", boot "+boot, func(t *testing.T) {
				noHandlesLeft(t)
				d, old := damaged{dir: t.TempDir()}, t.TempDir()
				s := open(t, d.dir, by(model, false), func(o *Options) { o.Boot = "one" })
				s.janitor.stop()
				kept := numbered("kept %d zylophrast", 4)
				insert(t, s, kept...)
				gone := mem("to be forgotten zylophrast")
				insert(t, s, gone)
				if err := s.checkpoint(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := os.CopyFS(old, os.DirFS(d.table())); err != nil {
					t.Fatal(err)
				}
				remove(t, s, gone.ID)
				for _, m := range numbered("later %d zylophrast", 4) {
					insert(t, s, m)
					kept = append(kept, m)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				c.damage(t, d, old)
				if x, err := Examine(t.Context(), Options{Path: d.dir}); err != nil || len(x.Damage) == 0 {
					t.Errorf("before: %v, %v", x.Damage, err)
				}
				var log bytes.Buffer
				again := open(t, d.dir, by(model, false), func(o *Options) { o.Boot, o.Logger = boot, slog.New(slog.NewTextHandler(&log, nil)) })
				if n := len(matching(t, again, "zylophrast", 100)); n != len(kept) {
					t.Errorf("%d by keyword, want %d", n, len(kept))
				}
				ids := map[string]bool{}
				for _, id := range idsOf(t, again) {
					ids[id] = true
				}
				for _, m := range kept {
					if !ids[m.ID] {
						t.Errorf("%q is gone", m.Text)
					}
				}
				if ids[gone.ID] || len(ids) != len(kept) {
					t.Errorf("%d memories, want %d; forgotten one there: %v", len(ids), len(kept), ids[gone.ID])
				}
				if err := again.CheckVectors(); err != nil {
					t.Error(err)
				}
				if hits, err := again.Nearest(t.Context(), everyone(), memory.Narrow{}, kept[0].Vector, 1); err != nil || len(hits) != 1 || hits[0].Memory.ID != kept[0].ID {
					t.Errorf("nearest: %v, %v", hits, err)
				}
				want := "older than the record"
				if c.gone {
					want = "the table was missing"
				}
				a := d.aside(t)
				if !strings.Contains(a.Reason, want) || !strings.Contains(a.Reason, "were put back") || strings.Contains(a.Reason, "backup") {
					t.Error(a.Reason)
				}
				if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), want) {
					t.Error(log.String())
				}
				insert(t, again, mem("after it"))
				if err := again.Close(); err != nil {
					t.Fatal(err)
				}
				if n := total(t, open(t, d.dir, by(model, false), func(o *Options) { o.Boot = boot })); n != int64(len(kept)+1) {
					t.Errorf("%d memories when opened again", n)
				}
				d.aside(t) // and still only one
				if x, err := Examine(t.Context(), Options{Path: d.dir}); err != nil || len(x.Damage) > 0 || len(x.SetAside) != 1 {
					t.Errorf("after: %+v, %v", x, err)
				}
			})
		}
	}
}

// TestTableGoneUnderOpenStore: another process puts it back, and the one that had it
// open goes on in it.
func TestTableGoneUnderOpenStoreReplay(t *testing.T) {
	noHandlesLeft(t)
	d := damaged{dir: t.TempDir()}
	s := open(t, d.dir)
	insert(t, s, numbered("row %d", 3)...)
	if err := s.checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.wipe(t, "")
	other := open(t, d.dir)
	if n := total(t, other); n != 3 {
		t.Errorf("%d memories for the other", n)
	}
	insert(t, other, mem("of the other"))
	insert(t, s, mem("of the first"))
	for who, one := range map[string]*Store{"first": s, "other": other} {
		if n := total(t, one); n != 5 {
			t.Errorf("%d memories for the %s", n, who)
		}
	}
}

// TestReplayLeavesOthersAlone: a table without a journal, an emptied one that is
// fitted to another model, and a directory nobody may write to.
func TestReplayLeavesOthersAlone(t *testing.T) {
	noHandlesLeft(t)
	t.Run("no journal", func(t *testing.T) {
		d := thirty(t, false, false)
		d.newestGone(t, 1)
		if n := total(t, open(t, d.dir)); n == 30 {
			t.Error("nothing is missing")
		}
		if list, err := asides(d.dir); err != nil || len(list) > 0 {
			t.Error(list, err)
		}
	})
	t.Run("another width", func(t *testing.T) {
		dir := t.TempDir()
		s := open(t, dir)
		m := mem("one")
		insert(t, s, m)
		remove(t, s, m.ID)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			s = open(t, dir, func(o *Options) { o.Dimensions = 2 * width })
			if s.CheckWidth() != nil || total(t, s) != 0 {
				t.Error("not fitted")
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if list, err := asides(dir); err != nil || len(list) > 0 {
			t.Error(list, err)
		}
	})
	t.Run("read only", func(t *testing.T) {
		d := thirty(t, true, false)
		d.newestGone(t, 1)
		var log bytes.Buffer
		s := &Store{path: d.dir, state: d.dir, local: true, readOnly: errors.New("read-only file system"), log: slog.New(slog.NewTextHandler(&log, nil)), now: atStart}
		s.openJournal("")
		if err := s.goBack(t.Context()); err != nil || !strings.Contains(log.String(), "older than the record") {
			t.Error(err, log.String())
		}
		if err := s.journal.Close(); err != nil {
			t.Error(err)
		}
		if list, err := asides(d.dir); err != nil || len(list) > 0 {
			t.Error(list, err)
		}
	})
}

// TestReplayOfTrimmedRecord: what the record does not hold any more is named, with
// the way to get it.
func TestReplayOfTrimmedRecord(t *testing.T) {
	noHandlesLeft(t)
	d := damaged{dir: t.TempDir()}
	s := open(t, d.dir)
	whole := s.journal
	var err error
	if s.journal, err = journal.Open(s.journalPath(), journal.Options{SegmentBytes: 1}); err != nil {
		t.Fatal(err)
	}
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	for _, m := range numbered("row %d", 4) {
		insert(t, s, m)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	segments, err := filepath.Glob(filepath.Join(d.dir, journalDir, "*.log"))
	if err != nil || len(segments) < 3 {
		t.Fatal(segments, err)
	}
	if err := os.Remove(segments[0]); err != nil {
		t.Fatal(err)
	}
	d.wipe(t, "")
	s = open(t, d.dir, func(o *Options) { o.Dimensions = 0 })
	if n := total(t, s); n != 3 {
		t.Errorf("%d memories", n)
	}
	if s.layout().width != width {
		t.Errorf("vectors are %d wide", s.layout().width)
	}
	if a := d.aside(t); !strings.Contains(a.Reason, "3 changes on record were put back") ||
		!strings.Contains(a.Reason, "begins at change 2") || !strings.Contains(a.Reason, "memory-pro backup restore latest") {
		t.Error(a.Reason)
	}
}
