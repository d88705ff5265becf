package journal

import (
	"fmt"
	"sync"
	"testing"
)

// Readers in other processes see no lock. Whatever the writer does meanwhile, they
// read without an error, in order, and nothing applied that was taken back.
func TestReadersBesideAWriter(t *testing.T) {
	dir := t.TempDir()
	o := quiet()
	o.SegmentBytes, o.KeepBytes = 4000, 40_000
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for _, back := range []bool{false, true} {
		readers.Go(func() {
			j, err := Open(dir, o)
			if err != nil {
				t.Error(err)
				return
			}
			for {
				select {
				case <-stop:
					return
				default:
				}
				all := j.Since(0)
				if back {
					all = j.Newest()
				}
				last := uint64(0)
				for r, err := range all {
					if err != nil {
						t.Errorf("back %v: %v", back, err)
						return
					}
					if r.Version != 0 && r.Operation != fmt.Sprint("kept ", r.Seq) && r.Operation != Erased {
						t.Errorf("back %v: entry %d is in version %d and says %q", back, r.Seq, r.Version, r.Operation)
					}
					if !back && r.Seq <= last {
						t.Errorf("number %d comes after %d", r.Seq, last)
					}
					last = r.Seq
				}
			}
		})
	}
	j := open(t, dir, o)
	for i := range 80 {
		seq := add(t, j, "taken back", "taken back too")
		if err := j.Cancel(seq); err != nil {
			t.Fatal(err)
		}
		add(t, j, fmt.Sprint("kept ", seq), fmt.Sprint("kept ", seq+1))
		if err := j.Done(seq+1, int64(i+1)); err != nil {
			t.Fatal(err)
		}
		if i%16 == 0 {
			if _, err := j.Rewrite(func(e *Entry) bool {
				changed := e.Seq%7 == 0 && e.Operation != Erased
				e.Operation = Erased
				return changed
			}); err != nil {
				t.Fatal(err)
			}
			if err := j.Checkpoint(Mark{Seq: seq, Version: int64(i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	close(stop)
	readers.Wait()
}
