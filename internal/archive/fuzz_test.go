package archive

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Whatever a file holds: reading it ends, every row can be stored, and written
// again it is read as it was.
func FuzzReader(f *testing.F) {
	for _, format := range []Format{NDJSON, JSON, Backup} {
		var b bytes.Buffer
		w, _ := NewWriter(&b, format, Header{At: at, Vectors: true, Fingerprint: "p", Dimensions: 3, Database: "db"})
		_ = w.Write(mem(1, "tea"), mem(2, `},{"id":"x","text":"inside"}`))
		_, _ = w.Finish()
		f.Add(b.Bytes())
	}
	for _, seed := range []string{
		`{"memories":[null,"x",7,{"category":5},{"text":"a","importance":3},{"te`, `[{"text":"a"},{"text":"b]`, "[[[[", `{"a":{"memories":[`,
		`{"format":"memory-pro.export","end":true,"count":-1}`, `{"rejected":1,"raw":"{\"rejected\":1,\"raw\":\"{}\"}"}`,
		`{"text":"a","timestamp":1e999,"vector":"AAAA"}` + "\n" + `{"text":"b","timestamp":"2026-02-30","vector":[1,null]}`, "\xef\xbb\xbf[",
		`{"text":"a","metadata":"{\"relations\":[{\"type\":1}]}","id":12}` + "\r\n\r\n", `{"text":"\ud83d","scope":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		rows := wholly(t, file)
		var again bytes.Buffer
		w, err := NewWriter(&again, NDJSON, Header{At: at, Vectors: true, Fingerprint: "p"})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(rows...); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		second := wholly(t, again.Bytes())
		if len(second) != len(rows) {
			t.Fatalf("%d rows became %d in\n%s", len(rows), len(second), &again)
		}
		for i, m := range rows {
			g := second[i]
			if g.ID != m.ID || g.Text != m.Text || g.Category != m.Category || g.Scope != m.Scope || g.Importance != m.Importance ||
				millis(g) != millis(m) || len(g.Vector) != len(m.Vector) || g.Metadata.String() != m.Metadata.String() {
				t.Fatalf("row %d was %+v and is %+v", i, m, g)
			}
		}
	})
}

// wholly reads a file to its end and checks what every reader relies on.
func wholly(t *testing.T, file []byte) (rows []memory.Memory) {
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	r.UseVectors()
	for items := 0; ; items++ {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			if int64(r.Offset()) > int64(len(file)) {
				t.Fatalf("read %d of %d bytes", r.Offset(), len(file))
			}
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		if items > len(file) {
			t.Fatal("more rows than bytes")
		}
		if it.Line < 1 || it.Line > 1+bytes.Count(file, []byte("\n")) {
			t.Fatalf("line %d of %q", it.Line, file)
		}
		if it.Err != nil {
			continue
		}
		m := it.Row.Memory
		if strings.TrimSpace(m.Text) == "" || !utf8.ValidString(m.Text) || math.IsNaN(m.Importance) || m.Importance < 0 || m.Importance > 1 ||
			(m.ID != "" && !memory.ValidID(m.ID)) || (m.Vector != nil && len(m.Vector) == 0) {
			t.Fatalf("a row that cannot be stored: %+v", m)
		}
		m.Metadata, _ = memory.ParseMetadata(m.Metadata.String()) // rows without any get the defaults
		rows = append(rows, m)
	}
}
