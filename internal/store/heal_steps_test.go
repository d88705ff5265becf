package store

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// TestHealingMayStopAnywhere: whatever step the first attempt to heal ends at, the
// next one brings the database to the same state.
func TestHealingMayStopAnywhere(t *testing.T) {
	stopped := errors.New("stopped")
	for name, c := range map[string]struct {
		journal bool
		damage  func(*testing.T, damaged)
		want    int
	}{
		"manifests": {true, func(t *testing.T, d damaged) {
			for i := range 3 {
				d.zero(t, d.versionFile(t, i))
			}
		}, 30},
		"rows, journal": {true, func(t *testing.T, d damaged) { d.remove(t, d.data(1)) }, 30},
		"rows, none":    {false, func(t *testing.T, d damaged) { d.remove(t, d.data(1)) }, 24},
		"everything": {true, func(t *testing.T, d damaged) {
			for i := range d.versionCount(t) {
				d.zero(t, d.versionFile(t, i))
			}
		}, 30},
	} {
		base := thirty(t, c.journal, false)
		c.damage(t, base)
		for stop := 1; stop <= 4; stop++ {
			t.Run(fmt.Sprintf("%s, step %d", name, stop), func(t *testing.T) {
				noHandlesLeft(t)
				d := damaged{dir: t.TempDir(), all: base.all}
				if err := os.CopyFS(d.dir, os.DirFS(base.dir)); err != nil {
					t.Fatal(err)
				}
				at := 0
				s := &Store{path: d.dir, state: d.dir, local: true, lockTimeout: time.Minute, now: atStart, log: slog.New(slog.DiscardHandler)}
				s.lock = newFileLock(d.dir, s.now)
				s.fault = func(string) error {
					if at++; at == stop {
						return stopped
					}
					return nil
				}
				s.openJournal("")
				if err := s.heal(t.Context()); err != nil && !errors.Is(err, stopped) {
					t.Fatal(err)
				}
				again := open(t, d.dir)
				if n := total(t, again); int(n) != c.want {
					t.Errorf("%d memories, want %d", n, c.want)
				}
			})
		}
	}
}

func atStart() time.Time { return start }

// TestReach: how far back the journal goes decides whether the table may.
func TestReach(t *testing.T) {
	open := func(t *testing.T) *Store {
		s := &Store{state: t.TempDir(), now: atStart, log: slog.New(slog.DiscardHandler)}
		s.openJournal("boot")
		return s
	}
	record := func(t *testing.T, s *Store, version int64) {
		t.Helper()
		if _, err := s.journal.Catch(); err != nil {
			t.Fatal(err)
		}
		e := &journal.Entry{Operation: "test", Changes: []journal.Change{{ID: "x"}}}
		if err := s.journal.Append(e); err != nil {
			t.Fatal(err)
		}
		if version > 0 {
			if err := s.journal.Done(e.Seq, version); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := open(t)
	r, err := s.journalReach()
	if err != nil || !r.none || r.covers(5) || s.recordedFromTheStart() {
		t.Errorf("no journal: %+v, %v", r, err)
	}
	for _, version := range []int64{3, 5, 7, 0} {
		record(t, s, version)
	}
	if r, err = s.journalReach(); err != nil || r.none {
		t.Fatalf("%+v, %v", r, err)
	}
	for version, want := range map[uint64]struct {
		seq     uint64
		covered bool
	}{1: {0, false}, 2: {0, true}, 3: {1, true}, 4: {1, true}, 5: {2, true}, 6: {2, true}, 7: {3, true}, 9: {3, true}} {
		if seq, ok := r.last(version); seq != want.seq || ok != want.covered || r.covers(version) != want.covered {
			t.Errorf("version %d: entry %d, %v, want %+v", version, seq, ok, want)
		}
	}
	if !s.recordedFromTheStart() {
		t.Error("it begins with the table, and does not count as such")
	}
	if err := s.journal.Checkpoint(journal.Mark{Seq: 3, Version: 7}); err != nil {
		t.Fatal(err)
	}
	if r, err = s.journalReach(); err != nil {
		t.Fatal(err)
	}
	if err := r.setBack(5); err != nil {
		t.Fatal(err)
	}
	if mark, err := s.journal.Checkpointed(); err != nil || mark.Seq != 2 || mark.Version != 5 || mark.Boot != "boot" {
		t.Errorf("%+v, %v", mark, err)
	}
}

// TestForeignVersionsAreTrusted: what another program wrote after the checkpoint
// has no journal to come back from.
func TestForeignVersionsAreTrusted(t *testing.T) {
	for version, want := range map[string]bool{"14.0.2": true, "15.1.0": true, "2.0.0": false, "": false, "x": false} {
		if got := ours(&manifest.Manifest{Writer: version}); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
	d := thirty(t, true, false)
	s := &Store{path: d.dir, state: d.dir, local: true, boot: "another", now: atStart, log: slog.New(slog.DiscardHandler)}
	f, err := lookAt(d.table())
	if err != nil {
		t.Fatal(err)
	}
	mark := journal.Mark{Version: int64(d.head.Number) - 2}
	r, found, err := s.planCutOff(f, mark)
	if err != nil || !found || len(r.leave) != 2 || r.base.Number != d.head.Number-2 {
		t.Errorf("ours: %+v, %v, %v", r, found, err)
	}
	f.head.Writer = "2.0.0"
	if _, found, err := s.planCutOff(f, mark); err != nil || found {
		t.Errorf("of another program: %v, %v", found, err)
	}
	// A checkpoint whose version is gone, or cannot be read, decides nothing.
	f.head.Writer = "14.0.2"
	if err := os.Remove(filepath.Join(d.table(), f.versions[2].File)); err != nil {
		t.Fatal(err)
	}
	f.versions = append(f.versions[:2:2], f.versions[3:]...)
	if _, found, err := s.planCutOff(f, mark); err != nil || found {
		t.Errorf("without its version: %v, %v", found, err)
	}
}
