package engine

import (
	"context"
	"encoding/json"
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

var exportedAt = regexp.MustCompile(`"exportedAt":"[^"]*"`)

// Peer-defects A6, fault B45: export → import into a new database → export is
// equal byte for byte, in both formats, with vectors and without.
func TestRoundTrip(t *testing.T) {
	for _, format := range []string{"ndjson", "json"} {
		for _, vectors := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s vectors=%v", format, vectors), func(t *testing.T) {
				from := start(t, nil, withWords)
				from.put(ofEveryKind()...)
				r := ExportRequest{Format: format, Vectors: vectors}
				first := from.export(r)
				later := func(o *Options) { o.Now = func() time.Time { return now.Add(time.Hour) } }
				to := reopen(t, filepath.Join(t.TempDir(), "db"), nil, withWords, later)
				a := to.take(first)
				n := len(ofEveryKind())
				if counts(a) != [4]int{n, 0, 0, 0} || len(a.Notes) > 0 || a.Pending != 0 || a.Undated != 0 || a.Renamed != 0 {
					t.Errorf("first import: %+v", a)
				}
				if want := map[bool]int{true: n}[vectors]; a.Taken != want {
					t.Errorf("%d vectors came from the file, want %d", a.Taken, want)
				}
				second := to.export(r)
				if first == second {
					t.Error("the moment of the export is not in it")
				}
				plain := func(s string) string { return exportedAt.ReplaceAllString(s, "") }
				if diff := cmp.Diff(plain(first), plain(second)); diff != "" {
					t.Errorf("(-first +second)\n%s", diff)
				}
				if again := to.take(first); counts(again) != [4]int{0, 0, n, 0} || again.Differing != 0 {
					t.Errorf("second import: %+v", again)
				}
				if third := to.export(r); third != second {
					t.Error("importing what is there changed something")
				}
			})
		}
	}
}

// Peer-defect A5: an export has no upper limit, and says how many it holds.
func TestExportHasNoLimit(t *testing.T) {
	f := start(t, nil)
	const n = 1520
	f.put(numbered(n)...)
	var doc struct {
		Count    int
		Memories []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(f.export(ExportRequest{Format: "json"})), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Count != n || len(doc.Memories) != n {
		t.Errorf("count %d, %d memories, want %d", doc.Count, len(doc.Memories), n)
	}
	if lines := strings.Count(f.export(ExportRequest{}), "\n"); lines != n+2 {
		t.Errorf("%d lines, want %d and two", lines, n)
	}
}

// Only what was asked for goes out, and an agent exports what it may read.
func TestExportIsFiltered(t *testing.T) {
	f := start(t, nil, withWords)
	f.put(ofEveryKind()...)
	for name, c := range map[string]struct {
		r    ExportRequest
		want func(memory.Memory) bool
	}{
		"scope":    {ExportRequest{Who: Operator(), Scope: "agent:alice"}, func(m memory.Memory) bool { return m.Scope == "agent:alice" }},
		"category": {ExportRequest{Who: Operator(), Category: "preferences"}, func(m memory.Memory) bool { return m.Kind() == memory.Preferences }},
		"column":   {ExportRequest{Who: Operator(), Category: "reflection"}, func(m memory.Memory) bool { return m.Category == "reflection" }},
		"agent":    {ExportRequest{Who: Agent("bob", "")}, func(m memory.Memory) bool { return m.Scope == "global" }},
	} {
		t.Run(name, func(t *testing.T) {
			want := 0
			for _, m := range ofEveryKind() {
				if c.want(m) {
					want++
				}
			}
			c.r.Out = io.Discard
			a, err := f.Export(t.Context(), c.r)
			if err != nil || a.Count != want || want == 0 {
				t.Errorf("%d rows, want %d: %v", a.Count, want, err)
			}
		})
	}
	if _, err := f.Export(t.Context(), ExportRequest{Who: Agent("bob", ""), Scope: "agent:alice", Out: io.Discard}); FaultOf(err) != FaultDenied {
		t.Errorf("another's: %v", err)
	}
}

// A file is the old one until the new one is whole.
func TestExportIsAllOrNothing(t *testing.T) {
	f := start(t, nil)
	f.put(numbered(600)...)
	dir := t.TempDir()
	file := filepath.Join(dir, "out.json")
	if err := os.WriteFile(file, []byte("the old one"), 0o640); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Export(ctx, ExportRequest{Who: Operator(), File: file}); err == nil {
		t.Error("exported although nobody waits any more")
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "the old one" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if _, err := f.Export(t.Context(), ExportRequest{Who: Operator(), File: "/dev/full"}); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("to a full disk: %v", err)
	}
	a, err := f.Export(t.Context(), ExportRequest{Who: Operator(), File: file})
	if err != nil || a.Count != 600 || a.Format != "json" {
		t.Errorf("%+v, %v", a, err)
	}
	info, err := os.Stat(file)
	list, _ := os.ReadDir(dir)
	if err != nil || info.Size() != a.Bytes || info.Mode().Perm() != 0o640 || len(list) != 1 {
		t.Errorf("%d bytes of %d, mode %v, %d files, %v", info.Size(), a.Bytes, info.Mode(), len(list), err)
	}
}
