package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var epoch = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// failer is what *testing.T and *rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// quiet are options without output and with a clock that stands.
func quiet() Options {
	return Options{Now: func() time.Time { return epoch }, Boot: "boot-1", Logger: slog.New(slog.DiscardHandler)}
}

func open(t failer, dir string, o Options) *Journal {
	t.Helper()
	j, err := Open(dir, o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return j
}

// entry is an entry that says s.
func entry(s string) *Entry {
	return &Entry{Actor: "cli", Operation: s, Changes: []Change{{ID: "id-" + s, After: &Row{ID: "id-" + s, Text: s, Vector: []float32{1, -2.5}}}}}
}

func add(t failer, j *Journal, says ...string) uint64 {
	t.Helper()
	group := make([]*Entry, len(says))
	for i, s := range says {
		group[i] = entry(s)
	}
	if err := j.Append(group...); err != nil {
		t.Fatalf("Append: %v", err)
	}
	return group[0].Seq
}

func catch(t failer, j *Journal) []string {
	t.Helper()
	undone, err := j.Catch()
	if err != nil {
		t.Fatalf("Catch: %v", err)
	}
	says := []string{}
	for _, e := range undone {
		says = append(says, fmt.Sprintf("%d %s", e.Seq, e.Operation))
	}
	return says
}

// since lists what Since yields as "number text version", holes as "hole".
func since(t failer, j *Journal, seq uint64) []string {
	t.Helper()
	says := []string{}
	for r, err := range j.Since(seq) {
		says = append(says, say(t, r, err))
	}
	return says
}

func newest(t failer, j *Journal) []string {
	t.Helper()
	says := []string{}
	for r, err := range j.Newest() {
		says = append(says, say(t, r, err))
	}
	return says
}

func say(t failer, r Recorded, err error) string {
	t.Helper()
	var hole *Damage
	switch {
	case errors.As(err, &hole):
		return "hole"
	case err != nil:
		t.Fatalf("iterating: %v", err)
	}
	return fmt.Sprintf("%d %s v%d", r.Seq, r.Operation, r.Version)
}

func segmentFiles(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t failer, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatalf("%v", err)
	}
}

// frames lists the frames of a segment's content.
func frames(t testing.TB, segment uint64, content []byte) []frame {
	t.Helper()
	s := &scanner{r: bytes.NewReader(content), path: "test", size: int64(len(content)), seed: seed(segment), newest: true, limit: math.MaxUint64, last: segment - 1}
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	var all []frame
	for {
		f, err := s.next()
		if errors.Is(err, io.EOF) || errors.Is(err, errTorn) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		f.body = bytes.Clone(f.body)
		all = append(all, f)
	}
}
