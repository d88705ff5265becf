package journal

import (
	"runtime"
	"strings"
	"testing"
)

// Reading holds one entry, and where the entries of one segment are, however long
// the journal is.
func TestReadingTakesTheMemoryOfOneEntry(t *testing.T) {
	const segments, bound = 30, 1 << 20
	o := quiet()
	o.files, o.SegmentBytes = newMemFS(), 256<<10
	j := open(t, memDir, o)
	text := strings.Repeat("x", 15_000) // three times in an entry
	for range segments {
		group := make([]*Entry, 6)
		for i := range group {
			group[i] = entry(text)
		}
		if err := j.Append(group...); err != nil {
			t.Fatal(err)
		}
	}
	if st, err := j.Stats(); err != nil || st.Bytes < segments*6*3*int64(len(text)) || st.Segments != segments {
		t.Fatalf("%+v, %v", st, err)
	}
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	for name, all := range map[string]func(func(Recorded, error) bool){"Since": j.Since(0), "Newest": j.Newest()} {
		n := 0
		for _, err := range all {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n%20 == 0 {
				if now := live(); now > before+bound {
					t.Fatalf("%s: %d bytes are held after %d entries", name, now-before, n)
				}
			}
		}
		if n != segments*6 {
			t.Errorf("%s: %d entries", name, n)
		}
	}
}
