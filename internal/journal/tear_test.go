package journal

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample is one segment: what it says, and where each frame ends.
type sample struct {
	bytes []byte
	ends  []int64
	says  []string // "" for a done frame
}

// makeSample writes entries 1, then 2 and 3 in one group, a done frame, then 4.
func makeSample(t testing.TB) sample {
	t.Helper()
	dir := t.TempDir()
	j := open(failing{t}, dir, quiet())
	add(failing{t}, j, "one")
	add(failing{t}, j, "two", "three")
	if err := j.Done(2, 9); err != nil {
		t.Fatal(err)
	}
	add(failing{t}, j, "four")
	s := sample{bytes: read(t, segmentFiles(t, dir)[0])}
	for _, f := range frames(t, 1, s.bytes) {
		s.ends = append(s.ends, f.end)
		says := ""
		if f.kind.entry() {
			e, err := decodeEntry(f)
			if err != nil {
				t.Fatal(err)
			}
			says = fmt.Sprintf("%d %s", e.Seq, e.Operation)
		}
		s.says = append(s.says, says)
	}
	if len(s.ends) != 5 || s.ends[4] != int64(len(s.bytes)) {
		t.Fatalf("frames end at %v of %d", s.ends, len(s.bytes))
	}
	return s
}

// failing lets helpers take a testing.TB.
type failing struct{ testing.TB }

// undone is what Catch hands out when the first n bytes are there.
func (s sample) undone(n int) (says []string, whole int64) {
	says = []string{}
	if n >= len(magic) {
		whole = int64(len(magic))
	}
	done := false
	for i, end := range s.ends {
		if end > int64(n) {
			break
		}
		whole = end
		if s.says[i] == "" {
			done = true
		} else {
			says = append(says, s.says[i])
		}
	}
	if done {
		says = says[2:]
	}
	return says, whole
}

func TestATornTailIsCutAtEveryByte(t *testing.T) {
	s := makeSample(t)
	junk := map[string]func(n int) []byte{
		"short": func(int) []byte { return nil },
		"zeros": func(n int) []byte { return make([]byte, len(s.bytes)-n) },
		"ones":  func(n int) []byte { return bytes.Repeat([]byte{0xff}, len(s.bytes)-n) },
		"flip": func(n int) []byte {
			rest := bytes.Clone(s.bytes[n:])
			rest[0] ^= 1
			return rest
		},
	}
	for name, tail := range junk {
		t.Run(name, func(t *testing.T) {
			for n := range len(s.bytes) {
				if name == "flip" && int64(n) < s.ends[3] {
					continue // a hole, not a tail
				}
				m := newMemFS()
				o := quiet()
				o.files = m
				var log bytes.Buffer
				o.Logger = slog.New(slog.NewTextHandler(&log, nil))
				torn := append(bytes.Clone(s.bytes[:n]), tail(n)...)
				m.put(memDir+"/"+segmentName(1), torn)
				want, whole := s.undone(n)

				var read []string
				for r, err := range open(t, memDir, o).Since(0) {
					if err != nil {
						t.Fatalf("cut at %d: a reader gets %v", n, err)
					}
					read = append(read, r.Operation)
				}
				j := open(t, memDir, o)
				if diff := cmp.Diff(want, catch(t, j)); diff != "" {
					t.Fatalf("cut at %d (-want +got):\n%s", n, diff)
				}
				if f := m.names[memDir+"/"+segmentName(1)]; whole > emptySize && int64(len(f.data)) != whole {
					t.Fatalf("cut at %d leaves %d bytes, want %d", n, len(f.data), whole)
				} else if f != nil && whole <= emptySize && int64(len(f.data)) > emptySize {
					t.Fatalf("cut at %d leaves %d bytes of nothing", n, len(f.data))
				}
				said := log.String()
				if cut := len(torn) > int(max(whole, emptySize)); cut != strings.Contains(said, segmentName(1)) || (cut && !strings.Contains(said, fmt.Sprintf("offset=%d ", whole))) {
					t.Fatalf("cut at %d: logged %q", n, said)
				}
				add(t, j, "new")
				if got := since(t, open(t, memDir, o), 0); len(got) != len(read)+1 || !strings.HasSuffix(got[len(read)], " new v0") {
					t.Fatalf("cut at %d: after the next append %v, before %v", n, got, read)
				}
			}
		})
	}
}

// put lays a file on the disk for good.
func (m *memFS) put(path string, data []byte) {
	for _, p := range []string{filepath.Dir(path), path} {
		f := &memFile{fs: m, path: p, dir: p != path}
		if !f.dir {
			f.data, f.synch = bytes.Clone(data), bytes.Clone(data)
		}
		m.names[p], m.lasting[p] = f, f
	}
}

func TestADamagedEntryInTheMiddleIsNamedAndStays(t *testing.T) {
	s := makeSample(t)
	starts := append([]int64{int64(len(magic))}, s.ends[:4]...)
	for _, tc := range []struct {
		frame int
		want  []string
		lost  uint64
	}{
		{0, []string{"hole", "2 two v9", "3 three v0", "4 four v0"}, 1},
		{1, []string{"1 one v9", "hole", "3 three v0", "4 four v0"}, 2},
		{2, []string{"1 one v9", "2 two v9", "hole", "4 four v0"}, 3},
		{3, []string{"1 one v0", "2 two v0", "3 three v0", "4 four v0"}, 0}, // only a note
	} {
		for at := starts[tc.frame]; at < s.ends[tc.frame]; at++ {
			path := memDir + "/" + segmentName(1)
			bad := bytes.Clone(s.bytes)
			bad[at] ^= 0x20
			m := newMemFS()
			o := quiet()
			o.files = m
			m.put(path, bad)
			j := open(t, memDir, o)
			if diff := cmp.Diff(tc.want, since(t, j, 0)); diff != "" {
				t.Fatalf("frame %d, byte %d: Since (-want +got):\n%s", tc.frame, at, diff)
			}
			for _, err := range j.Since(0) {
				if err == nil {
					continue
				}
				var d *Damage
				want := Damage{File: path, Offset: starts[tc.frame], Bytes: s.ends[tc.frame] - starts[tc.frame], First: tc.lost, Last: tc.lost}
				if !errors.As(err, &d) || *d != want {
					t.Fatalf("frame %d, byte %d: got %+v, want %+v", tc.frame, at, d, want)
				}
				if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), fmt.Sprint(want.Offset)) {
					t.Fatalf("%q does not name file and offset", err)
				}
			}
			catch(t, j)
			if got := add(t, j, "five"); got != 5 {
				t.Fatalf("frame %d, byte %d: next number %d", tc.frame, at, got)
			}
			if after := m.names[path].data; !bytes.Equal(after[:len(bad)], bad) {
				t.Fatalf("frame %d, byte %d: damaged bytes were changed", tc.frame, at)
			}
			if diff := cmp.Diff(append(tc.want, "5 five v0"), since(t, j, 0)); diff != "" {
				t.Fatalf("frame %d, byte %d: after an append (-want +got):\n%s", tc.frame, at, diff)
			}
		}
	}
}

func TestADamagedHeaderCostsNothing(t *testing.T) {
	s := makeSample(t)
	for at := range magic {
		dir := t.TempDir()
		bad := bytes.Clone(s.bytes)
		bad[at] ^= 0x01
		write(t, filepath.Join(dir, segmentName(1)), bad)
		j := open(t, dir, quiet())
		if diff := cmp.Diff([]string{"1 one v9", "2 two v9", "3 three v0", "4 four v0"}, since(t, j, 0)); diff != "" {
			t.Errorf("byte %d (-want +got):\n%s", at, diff)
		}
		catch(t, j)
		add(t, j, "five")
		_ = j.Close()
	}
}

func TestASegmentOfANewerVersionIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, segmentName(1))
	newer := []byte(magicPrefix + "2\nwho knows what comes here")
	write(t, path, newer)
	j := open(t, dir, quiet())
	if _, err := j.Catch(); !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), path) {
		t.Errorf("Catch: %v", err)
	}
	if err := j.Append(entry("x")); !errors.Is(err, ErrNewer) {
		t.Errorf("Append: %v", err)
	}
	for _, err := range j.Since(0) {
		if !errors.Is(err, ErrNewer) {
			t.Errorf("Since: %v", err)
		}
	}
	if !bytes.Equal(read(t, path), newer) {
		t.Error("it was changed")
	}
}

func TestDamageInAnOldSegment(t *testing.T) {
	for name, spoil := range map[string]func([]byte) []byte{
		"zeros": func(b []byte) []byte { return make([]byte, len(b)) },
		"empty": func([]byte) []byte { return nil },
		"short": func(b []byte) []byte { return b[:len(b)-1] },
		"noise": func(b []byte) []byte { return bytes.Repeat([]byte("noise"), len(b)/5) },
		"other": func(b []byte) []byte {
			return append([]byte(magic), appendFrame(nil, seed(99), first, 3, []byte(`{"seq":3}`))...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := quiet()
			o.SegmentBytes = 1
			j := open(t, dir, o)
			for i := range 5 {
				add(t, j, fmt.Sprint("e", i+1))
			}
			if err := j.Done(5, 4); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, segmentName(3))
			write(t, path, spoil(read(t, path)))
			want := []string{"1 e1 v4", "2 e2 v4", "hole", "4 e4 v4", "5 e5 v4"}
			if name == "empty" {
				want = []string{"1 e1 v4", "2 e2 v4", "4 e4 v4", "5 e5 v4"}
			}
			if diff := cmp.Diff(want, since(t, j, 0)); diff != "" {
				t.Errorf("Since (-want +got):\n%s", diff)
			}
			if got := newest(t, j); len(got) != len(want) || got[0] != "5 e5 v4" {
				t.Errorf("Newest: %v", got)
			}
			if got := catch(t, open(t, dir, o)); len(got) > 0 {
				t.Errorf("Catch: %v", got)
			}
		})
	}
}

func FuzzSegment(f *testing.F) {
	s := makeSample(f)
	f.Add(s.bytes, 0, byte(0))
	f.Add(s.bytes[:100], 50, byte(1))
	f.Add([]byte(magic), 0, byte(0))
	f.Add([]byte{}, 0, byte(0))
	f.Add(append([]byte(magic), 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 1), 3, byte(7))
	f.Fuzz(func(t *testing.T, content []byte, at int, flip byte) {
		if n := len(content); n > 0 {
			content = bytes.Clone(content)
			content[((at%n)+n)%n] ^= flip
		}
		m := newMemFS()
		o := quiet()
		o.files = m
		m.put(memDir+"/"+segmentName(1), content)
		j := open(t, memDir, o)
		var read []uint64
		for r, err := range j.Since(0) {
			if err == nil {
				read = append(read, r.Seq)
			}
		}
		if _, err := j.Catch(); errors.Is(err, ErrNewer) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		// Whatever was there, what comes next is found, behind what was readable.
		seq := add(t, j, "next")
		var after []uint64
		for r, err := range open(t, memDir, o).Since(0) {
			if err == nil {
				after = append(after, r.Seq)
			}
		}
		if diff := cmp.Diff(append(read, seq), after); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}
