package embed

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func kept(dir string) func(*Options) {
	return func(o *Options) { o.CacheDir = dir }
}

// A restart embeds nothing anew, neither questions nor statements; another model
// does, and a text that is not there.
func TestRestartDoesNotEmbedAgain(t *testing.T) {
	s := serve(t, byLength)
	dir := filepath.Join(t.TempDir(), "made when needed")
	use := func(want int, change func(*Options)) {
		t.Helper()
		before := s.requests()
		e := open(t, s, func(o *Options) { o.CacheDir = dir; change(o) })
		if v, err := e.EmbedQuery(t.Context(), "a question"); err != nil || v[0] != 10 {
			t.Fatalf("%v, %v", v, err)
		}
		if got, err := e.EmbedPassages(t.Context(), []string{"one", "fifteen"}); err != nil || got[0][0] != 3 || got[1][0] != 7 {
			t.Fatalf("%v, %v", got, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if n := s.requests() - before; n != want {
			t.Errorf("%d requests, want %d", n, want)
		}
	}
	use(2, func(*Options) {})
	use(0, func(*Options) {})
	use(0, func(o *Options) { o.CacheSize = -1 }) // from disk alone
	use(2, func(o *Options) { o.Model = "another" })
	use(0, func(*Options) {})
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		info, _ := os.Stat(f)
		data, _ := os.ReadFile(f)
		if info.Mode().Perm() != 0o600 || bytes.Contains(data, []byte("question")) || bytes.Contains(data, []byte("fifteen")) {
			t.Errorf("%s: mode %v, or it holds the text", f, info.Mode())
		}
	}
	if len(files) != 2 {
		t.Errorf("files %q", files)
	}
}

func TestVectorsOnDiskAge(t *testing.T) {
	s := serve(t, byLength)
	dir, now := t.TempDir(), time.Now()
	ask := func(want int, at time.Time) {
		t.Helper()
		before := s.requests()
		e := open(t, s, func(o *Options) {
			o.CacheDir, o.CacheTTL, o.Now = dir, time.Hour, func() time.Time { return at }
		})
		if _, err := e.EmbedQuery(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if n := s.requests() - before; n != want {
			t.Errorf("at %s: %d requests, want %d", at.Sub(now), n, want)
		}
	}
	ask(1, now)
	ask(0, now.Add(59*time.Minute))
	ask(1, now.Add(61*time.Minute))
	ask(0, now.Add(90*time.Minute))
	ask(1, now.Add(-48*time.Hour)) // written by a clock far ahead
}

// What is erased is gone from the files of every model, also of those that are
// not configured any more.
func TestForgetOnDisk(t *testing.T) {
	s := serve(t, byLength)
	dir := t.TempDir()
	for _, model := range []string{"first", "second"} {
		e := open(t, s, func(o *Options) { o.CacheDir, o.Model = dir, model })
		for _, text := range []string{"secret", "other"} {
			if _, err := e.EmbedQuery(t.Context(), text); err != nil {
				t.Fatal(err)
			}
			if _, err := e.EmbedPassage(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
	}
	e := open(t, s, func(o *Options) { o.CacheDir, o.Model = dir, "third" })
	if n, err := e.Forget("secret"); n != 4 || err != nil {
		t.Errorf("%d vectors, %v; want 4", n, err)
	}
	if n, err := ForgetIn(dir, "secret"); n != 0 || err != nil {
		t.Errorf("a second time: %d, %v", n, err)
	}
	again := open(t, s, func(o *Options) { o.CacheDir, o.Model = dir, "first" })
	before := s.requests()
	if _, err := again.EmbedQuery(t.Context(), "other"); err != nil || s.requests() != before {
		t.Errorf("another text is gone, too: %v", err)
	}
	if _, err := again.EmbedQuery(t.Context(), "secret"); err != nil || s.requests() != before+1 {
		t.Errorf("the text is still there: %v", err)
	}
	// Six bytes of a vector are enough to know it by: none is left in the files.
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files[1:] {
		data, _ := os.ReadFile(f)
		if k := keyOf(sha256.Sum256([]byte(again.Fingerprint())), Passage, "secret"); bytes.Contains(data, k[:6]) {
			t.Errorf("%s still knows the text", f)
		}
	}
	if n, err := ForgetIn(filepath.Join(dir, "nowhere [*]"), "x"); n != 0 || err != nil {
		t.Errorf("a directory that is not there: %d, %v", n, err)
	}
}

// Damage reads as missing, and what is written afterwards is found.
func TestDamagedFiles(t *testing.T) {
	for name, spoil := range map[string]func(path string, data []byte) []byte{
		"empty":          func(string, []byte) []byte { return nil },
		"cut":            func(_ string, d []byte) []byte { return d[:len(d)-3] },
		"another format": func(string, []byte) []byte { return []byte(strings.Repeat("not vectors at all", 100)) },
		"header":         func(_ string, d []byte) []byte { d[12] ^= 1; return d },
		"values":         func(_ string, d []byte) []byte { d[len(d)-2] ^= 1; return d },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, byLength)
			dir := t.TempDir()
			if _, err := open(t, s, kept(dir)).EmbedQuery(t.Context(), "abc"); err != nil {
				t.Fatal(err)
			}
			path := open(t, s, kept(dir)).cache.disk.path()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			// The vector is the last thing in the file, up to what is sparse.
			data = bytes.TrimRight(data, "\x00")
			if err := os.WriteFile(path, spoil(path, data), 0o600); err != nil {
				t.Fatal(err)
			}
			for i, want := range []int{2, 2} {
				if v, err := open(t, s, kept(dir)).EmbedQuery(t.Context(), "abc"); err != nil || v[0] != 3 || s.requests() != want {
					t.Errorf("use %d: %v, %v, %d requests, want %d", i+1, v, err, s.requests(), want)
				}
			}
		})
	}
	// Looking something up leaves no traces, and the place around it is not made.
	dir := filepath.Join(t.TempDir(), "not there", "vectors")
	off := serve(t, fixed(500, ""))
	if _, err := open(t, off, kept(filepath.Dir(dir))).EmbedQuery(t.Context(), "abc"); err == nil {
		t.Error("embedded by a server that fails")
	}
	if _, err := open(t, serve(t, byLength), kept(dir)).EmbedQuery(t.Context(), "abc"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); err == nil {
		t.Error("a directory was made")
	}
	// A place where nothing can be kept is no reason to fail.
	s := serve(t, byLength)
	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := open(t, s, kept(file))
	if v, err := e.EmbedQuery(t.Context(), "abc"); err != nil || v[0] != 3 {
		t.Errorf("%v, %v", v, err)
	}
}

// The file stays as small as it is meant to be, and the newest vectors stay in it.
func TestFileIsBounded(t *testing.T) {
	dir := t.TempDir()
	const width = 8
	origin := sha256.Sum256([]byte("fingerprint"))
	path := filepath.Join(dir, "small"+diskEnding)
	if err := makeTable(path, origin, width); err != nil {
		t.Fatal(err)
	}
	tb, err := readTable(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tb.file.Close()
	tb.buckets = 4 // 32 vectors
	vector := make([]float32, width)
	at := time.Unix(1_800_000_000, 0)
	for i := range 1000 {
		vector[0] = float32(i + 1)
		tb.put(keyOf(origin, Query, fmt.Sprint(i)), vector, at.Add(time.Duration(i)*time.Second))
	}
	info, err := tb.file.Stat()
	if err != nil || info.Size() > headerSize+4*bucketSize(width) {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	found := 0
	for i := range 1000 {
		if v, _, ok := tb.get(keyOf(origin, Query, fmt.Sprint(i))); ok {
			if v[0] != float32(i+1) {
				t.Errorf("vector %d is that of another text", i)
			}
			if found++; i < 900 {
				t.Errorf("vector %d outlived newer ones", i)
			}
		}
	}
	if found != 32 {
		t.Errorf("%d vectors are left, want 32", found)
	}
}

// Files of models nobody uses any more do not pile up.
func TestOldFilesGo(t *testing.T) {
	s := serve(t, byLength)
	dir := t.TempDir()
	for i := range 8 {
		e := open(t, s, func(o *Options) { o.CacheDir, o.Model = dir, fmt.Sprint("model-", i) })
		if _, err := e.EmbedQuery(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(time.Duration(i-100) * time.Minute)
		if err := os.Chtimes(e.cache.disk.path(), at, at); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != diskFiles {
		t.Errorf("%d files, want %d", len(files), diskFiles)
	}
}

// Several processes, here as several tables, write and read the same places at
// once: what is read is always a whole vector of the right text.
func TestFileIsShared(t *testing.T) {
	dir := t.TempDir()
	const width, texts = 64, 40
	origin := sha256.Sum256([]byte("fingerprint"))
	path := filepath.Join(dir, "shared"+diskEnding)
	var wg sync.WaitGroup
	for process := range 6 {
		tb, err := openTable(path, origin, width)
		if err != nil {
			t.Fatal(err)
		}
		tb.buckets = 1
		wg.Go(func() {
			defer tb.file.Close()
			for round := range 300 {
				i := (round*7 + process) % texts
				k := keyOf(origin, Passage, fmt.Sprint(i))
				if v, _, ok := tb.get(k); ok && slices.ContainsFunc(v, func(x float32) bool { return x != float32(i) }) {
					t.Errorf("text %d has %v", i, v[:4])
				}
				tb.put(k, slices.Repeat([]float32{float32(i)}, width), time.Unix(1_800_000_000+int64(round), 0))
			}
		})
	}
	wg.Wait()
}

// Whatever a file holds, it is either refused or read without fault.
func TestHostileFiles(t *testing.T) {
	dir := t.TempDir()
	origin := sha256.Sum256([]byte("fingerprint"))
	path := filepath.Join(dir, "x"+diskEnding)
	rapid.Check(t, func(t *rapid.T) {
		_ = os.Remove(path)
		tb, err := openTable(path, origin, 4)
		if err != nil {
			t.Fatal(err)
		}
		tb.put(keyOf(origin, Query, "a"), []float32{1, 2, 3, 4}, time.Unix(1_800_000_000, 0))
		info, _ := tb.file.Stat()
		for range rapid.IntRange(0, 20).Draw(t, "strokes") {
			at := rapid.Int64Range(0, info.Size()-1).Draw(t, "at")
			_, _ = tb.file.WriteAt(rapid.SliceOfN(rapid.Byte(), 1, 12).Draw(t, "bytes"), at)
		}
		_ = tb.file.Close()
		again, err := openTable(path, origin, 4)
		if err != nil {
			t.Fatal(err)
		}
		if v, _, ok := again.get(keyOf(origin, Query, "a")); ok && !slices.Equal(v, []float32{1, 2, 3, 4}) {
			t.Fatalf("read %v", v)
		}
		_ = again.file.Close()
		if _, err := ForgetIn(dir, "a"); err != nil {
			t.Fatal(err)
		}
	})
}
