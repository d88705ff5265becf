package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// many is a file of n rows with the faults of B103.
func many(n int) (file string, lines map[string]int) {
	var b strings.Builder
	lines = map[string]int{}
	for i := range n {
		id := memory.DerivedID("many", fmt.Sprint(i))
		switch i {
		case n / 2:
			lines["malformed"] = i + 1
			b.WriteString("{\"id\":\"" + id + "\",\"text\":\n")
		case n/2 + 10:
			lines["repeated"] = i + 1
			fmt.Fprintf(&b, "{\"id\":%q,\"text\":\"Another text under an id that is taken\",\"scope\":\"global\"}\n", memory.DerivedID("many", "5"))
		case n/2 + 20:
			lines["empty"] = i + 1
			fmt.Fprintf(&b, "{\"id\":%q,\"text\":\"\"}\n", id)
		case n/2 + 30:
			lines["huge"] = i + 1
			fmt.Fprintf(&b, "{\"id\":%q,\"text\":%q}\n", id, strings.Repeat("long ", 400_000))
		default:
			fmt.Fprintf(&b, "{\"id\":%q,\"text\":\"Statement %d about subject %d\",\"category\":\"fact\",\"scope\":\"agent:a%d\",\"importance\":0.5,\"timestamp\":%d}\n", id, i, i%97, i%3, 1750000000000+int64(i))
		}
	}
	return b.String(), lines
}

// stopAt cancels when so much was read.
type stopAt struct {
	io.Reader
	left int
	stop func()
}

func (s *stopAt) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if s.left -= n; s.left < 0 {
		s.stop()
	}
	return n, err
}

// B103: a large file with faults in it: they are told by line and kept, the rest
// is there; stopped half way and begun again it ends the same.
func TestLargeDamagedFile(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 2000
	}
	file, lines := many(n)
	f := start(t, nil, withWords)
	rejects := filepath.Join(t.TempDir(), "file.rejected.ndjson")
	ctx, cancel := context.WithCancel(t.Context())
	half := &stopAt{strings.NewReader(file), len(file) * 6 / 10, cancel}
	a, err := f.Import(ctx, ImportRequest{Who: Operator(), From: half, RejectFile: rejects})
	if err != nil || !a.Interrupted || a.Imported == 0 || a.Imported >= n-4 {
		t.Fatalf("stopped: %+v, %v", a, err)
	}
	if got := f.count(); got != int64(a.Imported) {
		t.Errorf("%d rows after %d were counted", got, a.Imported)
	}
	begun := time.Now()
	b := f.take(file, func(r *ImportRequest) { r.RejectFile = rejects })
	if b.Imported != n-4-a.Imported || b.Skipped != a.Imported || b.Rejected != 4 || f.count() != int64(n-4) {
		t.Errorf("again: %+v, %d rows", b, f.count())
	}
	if versions, err := os.ReadDir(filepath.Join(f.path, "memories.lance", "_versions")); err != nil || len(versions) > 100 {
		t.Errorf("%d versions on disk, %v", len(versions), err)
	}
	t.Logf("the second half: %d rows in %s", b.Imported, time.Since(begun))
	got := map[string]int{}
	for _, r := range b.Rejects {
		for name, says := range map[string]string{"malformed": "no JSON", "repeated": "on line 6 already", "empty": "empty", "huge": "at most 1048576"} {
			if strings.Contains(r.Reason, says) {
				got[name] = r.Line
			}
		}
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Errorf("lines (-want +got)\n%s", diff)
	}
	kept, err := os.ReadFile(rejects)
	if err != nil || bytes.Count(kept, []byte("\n")) != 4 || b.RejectFile != rejects {
		t.Errorf("the rejects: %v, %.300s", err, kept)
	}
	// Put right in place, the rejects can be imported.
	mended := regexp.MustCompile(`"text":""`).ReplaceAll(kept, []byte(`"text":"Mended"`))
	if c := f.take(string(mended)); c.Imported != 1 || c.Rejected != 2 || c.Differing != 1 {
		t.Errorf("mended: %+v", c)
	}
}
