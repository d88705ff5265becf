package journal

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestACheckpointNeverGoesBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	a, b := open(t, dir, quiet()), open(t, dir, quiet())
	for i, step := range []struct {
		j    *Journal
		note Mark
		want Mark
	}{
		{a, Mark{Seq: 5, Version: 9, Boot: "a", At: epoch}, Mark{Seq: 5, Version: 9, Boot: "a", At: epoch}},
		{a, Mark{Seq: 5, Version: 9, Boot: "b", At: epoch}, Mark{Seq: 5, Version: 9, Boot: "b", At: epoch}},
		{b, Mark{Seq: 4, Version: 10}, Mark{Seq: 5, Version: 9, Boot: "b", At: epoch}},
		{b, Mark{Seq: 5, Version: 8}, Mark{Seq: 5, Version: 9, Boot: "b", At: epoch}},
		{b, Mark{Seq: 5, Version: 9, Boot: "b"}, Mark{Seq: 5, Version: 9, Boot: "b", At: epoch}},
		{b, Mark{Seq: 5, Version: 11}, Mark{Seq: 5, Version: 11, Boot: "boot-1", At: epoch}},
		{a, Mark{Seq: 5, Version: 10}, Mark{Seq: 5, Version: 11, Boot: "boot-1", At: epoch}},
		{a, Mark{Seq: 6, Version: 1}, Mark{Seq: 6, Version: 1, Boot: "boot-1", At: epoch}}, // another table
	} {
		if err := step.j.Checkpoint(step.note); err != nil {
			t.Fatal(err)
		}
		for name, j := range map[string]*Journal{"a": a, "b": b} {
			if got, err := j.Checkpointed(); got != step.want || err != nil {
				t.Errorf("step %d, %s reads %+v, %v; want %+v", i, name, got, err, step.want)
			}
		}
	}
}

func TestCheckpointsBesideEachOtherOnlyGoForward(t *testing.T) {
	dir := t.TempDir()
	const writers, marks = 3, 12
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			j, err := Open(dir, quiet())
			if err != nil {
				t.Error(err)
				return
			}
			last := uint64(0)
			for i := range marks {
				if err := j.Checkpoint(Mark{Seq: uint64(i*writers + w + 1), Version: 1}); err != nil {
					t.Error(err)
				}
				m, err := j.Checkpointed()
				if err != nil || m.Seq < last || m.Seq < uint64(i*writers+w+1) {
					t.Errorf("read %d, %v after %d and own %d", m.Seq, err, last, i*writers+w+1)
				}
				last = m.Seq
			}
		})
	}
	all.Wait()
	if m, err := open(t, dir, quiet()).Checkpointed(); err != nil || m.Seq != writers*marks {
		t.Errorf("ends at %d, %v; want %d", m.Seq, err, writers*marks)
	}
}

func TestACheckpointIsSetBackOnlyOnPurpose(t *testing.T) {
	j := open(t, t.TempDir(), quiet())
	if err := errors.Join(j.Checkpoint(Mark{Seq: 5, Version: 9}), j.SetBack(Mark{Seq: 4, Version: 7})); err != nil {
		t.Fatal(err)
	}
	want := Mark{Seq: 4, Version: 7, Boot: "boot-1", At: epoch}
	if got, err := j.Checkpointed(); got != want || err != nil {
		t.Errorf("read %+v, %v; want %+v", got, err, want)
	}
}

func TestADamagedCheckpointCountsAsNone(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, quiet())
	add(t, j, "one", "two")
	if err := j.Checkpoint(Mark{Seq: 2, Version: 3}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, checkpointName)
	whole := read(t, path)
	if got := catch(t, open(t, dir, quiet())); len(got) > 0 {
		t.Errorf("entries before the checkpoint are handed out: %v", got)
	}
	for i := range whole[:len(whole)-1] {
		bad := append([]byte{}, whole...)
		bad[i] ^= 0x10
		for _, b := range [][]byte{bad, whole[:i]} {
			write(t, path, b)
			k := open(t, dir, quiet())
			if m, err := k.Checkpointed(); err != nil || m != (Mark{}) {
				t.Fatalf("checkpoint %q: %+v, %v", b, m, err)
			}
			if got := catch(t, k); len(got) != 2 {
				t.Fatalf("checkpoint %q: handed out %v", b, got)
			}
			_ = k.Close()
		}
	}
	if err := j.Checkpoint(Mark{Seq: 2, Version: 3}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(whole), string(read(t, path))); diff != "" {
		t.Errorf("written anew:\n%s", diff)
	}
}

func TestNumbersGoOnAfterTheCheckpoint(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, quiet())
	if err := j.Checkpoint(Mark{Seq: 41, Version: 3}); err != nil {
		t.Fatal(err)
	}
	if got := add(t, j, "x"); got != 42 {
		t.Errorf("after a checkpoint at 41 and lost segments the next is %d", got)
	}
}

func TestTrimKeepsWhatIsNotCheckpointed(t *testing.T) {
	for _, tc := range []struct {
		name       string
		keep       int64
		checkpoint uint64
		oldest     string
	}{
		{"nothing checkpointed", 1, 0, "1 e1 v0"},
		{"enough room", 1 << 20, 20, "1 e1 v0"},
		{"up to the checkpoint", 1, 10, "11 e11 v0"},
		{"just before the end of a segment", 1, 9, "9 e9 v0"},
		{"never the newest", 1, 20, "19 e19 v0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			o := quiet()
			o.SegmentBytes = 600 // two entries
			o.KeepBytes = tc.keep
			j := open(t, dir, o)
			for i := 1; i <= 20; i++ {
				add(t, j, fmt.Sprintf("e%d", i))
			}
			if err := j.Checkpoint(Mark{Seq: tc.checkpoint, Version: 1}); err != nil {
				t.Fatal(err)
			}
			reader := j.Since(0)
			if err := j.Trim(); err != nil {
				t.Fatal(err)
			}
			got := since(t, j, 0)
			if got[0] != tc.oldest || got[len(got)-1] != "20 e20 v0" {
				t.Errorf("kept %v, want from %s", got, tc.oldest)
			}
			for _, err := range reader {
				if err != nil {
					t.Errorf("a reader from before: %v", err)
				}
			}
		})
	}
}

func TestTheJournalStaysBounded(t *testing.T) {
	o := quiet()
	o.files, o.SegmentBytes, o.KeepBytes = newMemFS(), 2_000, 10_000
	j := open(t, memDir, o)
	for i := 1; i <= 300; i++ {
		add(t, j, strings.Repeat("x", 100))
		if err := j.Checkpoint(Mark{Seq: uint64(i), Version: 1}); err != nil {
			t.Fatal(err)
		}
		if st, err := j.Stats(); err != nil || st.Bytes > o.KeepBytes+2*o.SegmentBytes {
			t.Fatalf("after %d entries: %+v, %v", i, st, err)
		}
	}
}

func TestAReaderGoesOnWhenSegmentsVanish(t *testing.T) {
	dir := t.TempDir()
	o := quiet()
	o.SegmentBytes, o.KeepBytes = 1, 1
	j := open(t, dir, o)
	for i := 1; i <= 9; i++ {
		add(t, j, fmt.Sprintf("e%d", i))
	}
	if err := j.Checkpoint(Mark{Seq: 6, Version: 1}); err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for r, err := range j.Since(0) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Seq == 2 {
			if err := j.Trim(); err != nil {
				t.Fatal(err)
			}
		}
		got = append(got, r.Seq)
	}
	if diff := cmp.Diff([]uint64{1, 2, 7, 8, 9}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What one process remembers as undone, another may have applied, noted in the
// checkpoint and removed, without a note that the first can read.
func TestWhatIsRememberedAndRemovedIsForgotten(t *testing.T) {
	dir := t.TempDir()
	o := quiet()
	o.SegmentBytes, o.KeepBytes = 1, 1
	a, b := open(t, dir, o), open(t, dir, o)
	add(t, a, "one")
	if diff := cmp.Diff([]string{"1 one"}, catch(t, b)); diff != "" {
		t.Fatal(diff)
	}
	add(t, a, "two")
	if err := errors.Join(a.Checkpoint(Mark{Seq: 1, Version: 1}), a.Trim()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2 two"}, catch(t, b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
