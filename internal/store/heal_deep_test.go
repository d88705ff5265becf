package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// sixHundred is thirty memories and 600 in a file of their own, whose data file is
// returned.
func sixHundred(t *testing.T, journal bool) (d damaged, file string) {
	t.Helper()
	more := numbered("row %d zylophrast of many in one file, with words enough for pages of text", 600)
	d = thirty(t, journal, false, func(s *Store, _ []memory.Memory) { insert(t, s, more...) })
	d.all = append(d.all, more...)
	largest := uint64(0)
	for i, f := range d.head.Fragments {
		if f.Rows > largest {
			largest, file = f.Rows, d.data(i)
		}
	}
	return d, file
}

// hole zeroes bytes of a file, which keeps its size and its end.
func (d damaged) hole(t *testing.T, file string, from, n int64) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(d.table(), file), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, n), from); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestDamageInside: zeroed bytes anywhere in a data file are found and named, and
// after a repair every row that is on record, in a backup or still readable is
// there as it was.
func TestDamageInside(t *testing.T) {
	noHandlesLeft(t)
	for _, journal := range []bool{true, false} {
		for _, from := range []int64{0, 20_000, 80_000} {
			d, file := sixHundred(t, journal)
			d.hole(t, file, from, 3000)
			x, err := ExamineInside(t.Context(), Options{Path: d.dir})
			if err != nil {
				t.Fatalf("hole at %d: %v", from, err)
			}
			if !x.Inside || len(x.Damage) != 1 || !strings.Contains(x.Damage[0], file) || x.Unreadable == 0 || x.Unreadable > 600 {
				t.Errorf("hole at %d: %v, %d rows", from, x.Damage, x.Unreadable)
			}
			s := open(t, d.dir)
			r, err := s.Repair(t.Context(), nil)
			if err != nil || r.Lost != 600 {
				t.Fatalf("hole at %d: %+v, %v", from, r, err)
			}
			if journal && r.StillLost != 0 || !journal && r.StillLost != x.Unreadable {
				t.Errorf("hole at %d, journal %v: %d unreadable, %+v", from, journal, x.Unreadable, r)
			}
			d.asBefore(t, s, 630-int(r.StillLost))
			if again, err := s.Repair(t.Context(), nil); err != nil || again.BroughtBack() != 0 || again.StillLost != r.StillLost {
				t.Errorf("hole at %d, again: %+v, %v", from, again, err)
			}
			if _, err := os.Stat(filepath.Join(d.aside(t).Dir, file)); err != nil {
				t.Errorf("hole at %d: the file is not kept: %v", from, err)
			}
			if !journal && r.StillLost > 0 {
				if r, err := s.Repair(t.Context(), backup(0, d.all...)); err != nil || r.StillLost != 0 {
					t.Errorf("hole at %d, with a backup: %+v, %v", from, r, err)
				}
				d.asBefore(t, s, 630)
			}
			if x, err := ExamineInside(t.Context(), Options{Path: d.dir}); err != nil || x.Inside || x.Rows != 630 {
				t.Errorf("hole at %d, afterwards: %+v, %v", from, x, err)
			}
		}
	}
}

// asBefore checks that the store holds so many memories, each with its text.
func (d damaged) asBefore(t *testing.T, s *Store, n int) {
	t.Helper()
	want := map[string]string{}
	for _, m := range d.all {
		want[m.ID] = m.Text
	}
	got := 0
	err := s.Each(t.Context(), everyone(), memory.Narrow{}, true, func(ms []memory.Memory) error {
		for _, m := range ms {
			if got++; want[m.ID] != m.Text {
				t.Errorf("%q is %q", m.ID, m.Text)
			}
		}
		return nil
	})
	if err != nil || got != n {
		t.Errorf("%d memories, %v, want %d", got, err, n)
	}
}

// A read that meets such damage says where it is and what to do.
func TestReadingDamageInside(t *testing.T) {
	noHandlesLeft(t)
	d, file := sixHundred(t, true)
	s := open(t, d.dir)
	d.hole(t, file, 20_000, 3000)
	err := s.Each(t.Context(), everyone(), memory.Narrow{}, true, func([]memory.Memory) error { return nil })
	var de *DamageError
	if !errors.As(err, &de) || !de.Inside || !strings.Contains(err.Error(), "data file of the table in "+d.dir+" is damaged inside") ||
		!strings.Contains(err.Error(), "doctor --repair") {
		t.Errorf("%v", err)
	}
	if r, err := s.Repair(t.Context(), nil); err != nil || r.StillLost != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	d.asBefore(t, s, 630)
}

// While one repairs, another waits, and then says who it waited for.
func TestRepairsOneAfterTheOther(t *testing.T) {
	noHandlesLeft(t)
	d, s := lossy(t)
	other := open(t, d.dir, func(o *Options) { o.LockTimeout = 20 * time.Millisecond })
	free, err := s.repairAlone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var busy *RepairingError
	if _, err := other.Repair(t.Context(), nil); !errors.As(err, &busy) || busy.Holder.PID != os.Getpid() {
		t.Errorf("%v", err)
	}
	free()
	done := make(chan Repaired)
	for _, who := range []*Store{s, open(t, d.dir)} {
		go func() {
			r, err := who.Repair(t.Context(), backup(0, d.all...))
			if err != nil {
				t.Error(err)
			}
			done <- r
		}()
	}
	a, b := <-done, <-done
	if a.BroughtBack()+b.BroughtBack() != 6 || a.StillLost+b.StillLost != 0 || d.aside(t).Missing() {
		t.Errorf("%+v and %+v leave %+v", a, b, d.aside(t).Repair)
	}
}

// What an earlier repair counted as lost is not, when all that is on record is there.
func TestRepairClearsAnOldWarning(t *testing.T) {
	noHandlesLeft(t)
	d := thirty(t, true, false)
	s := open(t, d.dir)
	a := SetAside{At: start.Add(time.Hour), What: "data", Rows: 6, Repair: &RepairNote{StillLost: 6}}
	if err := errors.Join(a.begin(d.dir), a.write()); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Repair(t.Context(), nil); err != nil || r.StillLost != 0 || d.aside(t).Missing() {
		t.Errorf("%+v, %v, %+v", r, err, d.aside(t).Repair)
	}
}

// A journal that lost a part, or all of it, is not passed over.
func TestExamineMissesTheJournal(t *testing.T) {
	noHandlesLeft(t)
	d := thirty(t, true, false, func(s *Store, _ []memory.Memory) {
		if _, err := s.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	x, err := Examine(t.Context(), Options{Path: d.dir})
	if err != nil || x.Journal.Gone || len(x.Journal.Gaps) > 0 {
		t.Errorf("whole: %+v, %v", x.Journal, err)
	}
	j := JournalState{}
	j.gap(true, 7, 8)
	j.gap(false, 7, 12)
	j.gap(true, 7, 9)
	j.gap(true, 7, 12)
	if got := strings.Join(j.Gaps, ", "); got != "change 8, changes 8 to 11" {
		t.Errorf("%q", got)
	}
	if err := os.RemoveAll(filepath.Join(d.dir, journalDir)); err != nil {
		t.Fatal(err)
	}
	if x, err := Examine(t.Context(), Options{Path: d.dir}); err != nil || !x.Journal.Gone {
		t.Errorf("gone: %+v, %v", x.Journal, err)
	}
}

// Each part of a journal may be missing: the first, one between, and the last.
func TestExamineMissesAPartOfTheJournal(t *testing.T) {
	for i, want := range []string{"change 1", "change 2", "change 3"} {
		dir := t.TempDir()
		j, err := journal.Open(dir, journal.Options{SegmentBytes: 1})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := j.Catch(); err != nil {
				t.Fatal(err)
			}
			m := mem("x")
			e := &journal.Entry{Operation: "test", Changes: []journal.Change{{ID: m.ID, After: &journal.Row{ID: m.ID, Text: m.Text}}}}
			if err := errors.Join(j.Append(e), j.Done(e.Seq, int64(e.Seq))); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(j.Checkpoint(journal.Mark{Seq: 3, Version: 3, At: start}), j.Close()); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.log"))
		if err != nil || len(files) != 3 {
			t.Fatal(files, err)
		}
		var whole, s JournalState
		if err := whole.read(t.Context(), dir); err != nil || len(whole.Gaps) > 0 {
			t.Errorf("whole: %+v, %v", whole, err)
		}
		if err := os.Remove(files[i]); err != nil {
			t.Fatal(err)
		}
		if err := s.read(t.Context(), dir); err != nil || strings.Join(s.Gaps, ", ") != want {
			t.Errorf("without %s: %+v, %v, want %q", files[i], s, err, want)
		}
	}
}
