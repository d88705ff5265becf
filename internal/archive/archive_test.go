package archive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

var at = time.Date(2026, 3, 2, 9, 0, 0, 123e6, time.UTC)

func mem(i int, text string) memory.Memory {
	return memory.Memory{
		ID: memory.DerivedID("test", fmt.Sprint(i)), Text: text, Category: memory.StoredReflection, Scope: "agent:alice",
		Importance: float64(i%11) / 10, Time: at.Add(time.Duration(i) * time.Millisecond),
		Vector:   []float32{0.1, -2.5e-7, float32(i) + 1},
		Metadata: memory.NewMetadata(text, memory.Patterns, memory.SourceManual, at),
	}
}

// awkward are rows whose text tempts a reader to lose its way.
func awkward() []memory.Memory {
	texts := []string{
		"plain", `quotes " and \ and \" and {"id":"x"}`, "two\nlines\tand a tab", "雪の結晶 🌨️ é e\u0301 \u202e",
		`},{"id":"00000000-0000-4000-8000-000000000001","text":"inside"}`, "<b>&amp;</b>", "\u2028 and \u0085",
		`{"format":"memory-pro.export","end":true}`, strings.Repeat("long ", 50_000), `"memories":[`,
	}
	var ms []memory.Memory
	for i, text := range texts {
		ms = append(ms, mem(i, text))
	}
	ms[3].Metadata.Extra = map[string]json.RawMessage{"openclaw_corpus": json.RawMessage(`{"a":[1,2,{"b":"}"}]}`)}
	return ms
}

func written(t *testing.T, format Format, vectors bool, ms ...memory.Memory) ([]byte, Summary) {
	t.Helper()
	var b bytes.Buffer
	h := Header{At: at, Filters: Filters{Scope: "agent:alice"}, Vectors: vectors, Database: "db"}
	if vectors {
		h.Fingerprint, h.Dimensions = `p "model" <3>`, 3
	}
	w, err := NewWriter(&b, format, h)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(ms...); err != nil {
		t.Fatal(err)
	}
	s, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if s.Count != len(ms) || s.Bytes != int64(b.Len()) {
		t.Errorf("summary %+v for %d rows in %d bytes", s, len(ms), b.Len())
	}
	return b.Bytes(), s
}

// told is one item in short: its text, or its line and why there is none.
func told(it Item) string {
	if it.Err != nil {
		return fmt.Sprintf("%d: %v", it.Line, it.Err)
	}
	return it.Row.Memory.Text
}

func readAll(t *testing.T, r io.Reader, vectors bool) (*Reader, []Item) {
	t.Helper()
	f, err := NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	if vectors {
		f.UseVectors()
	}
	var items []Item
	for {
		it, err := f.Next()
		if err == io.EOF {
			return f, items
		}
		if err != nil {
			t.Fatal(err)
		}
		it.Raw = bytes.Clone(it.Raw)
		items = append(items, it)
	}
}

func tell(items []Item) []string {
	out := []string{}
	for _, it := range items {
		out = append(out, told(it))
	}
	return out
}

// What was written is read again, row for row, in every format, also a byte at a time.
func TestWrittenIsRead(t *testing.T) {
	for _, format := range []Format{NDJSON, JSON, Backup} {
		for _, vectors := range []bool{false, true} {
			for _, ms := range [][]memory.Memory{nil, awkward()[:1], awkward()} {
				t.Run(fmt.Sprintf("%s vectors=%v rows=%d", format, vectors, len(ms)), func(t *testing.T) {
					b, _ := written(t, format, vectors, ms...)
					for name, r := range map[string]io.Reader{"whole": bytes.NewReader(b), "halves": iotest.HalfReader(bytes.NewReader(b)), "eof with data": iotest.DataErrReader(bytes.NewReader(b))} {
						f, items := readAll(t, r, vectors)
						if f.Format() != format || len(f.Notes()) > 0 {
							t.Errorf("%s: format %s, notes %q", name, f.Format(), f.Notes())
						}
						var got []memory.Memory
						for _, it := range items {
							if it.Err != nil {
								t.Fatalf("%s: line %d: %v", name, it.Line, it.Err)
							}
							got = append(got, it.Row.Memory)
						}
						if len(got) != len(ms) {
							t.Fatalf("%s: %d rows of %d", name, len(got), len(ms))
						}
						for i, m := range ms {
							g := got[i]
							if !vectors {
								m.Vector = nil
							}
							if g.Metadata.String() != m.Metadata.String() {
								t.Errorf("%s: metadata %s, want %s", name, g.Metadata, m.Metadata)
							}
							g.Metadata, m.Metadata = memory.Metadata{}, memory.Metadata{}
							if diff := cmp.Diff(m, g); diff != "" {
								t.Errorf("%s: row %d (-want +got)\n%s", name, i, diff)
							}
						}
						if f.Offset() != int64(len(b)) && format != JSON {
							t.Errorf("%s: offset %d of %d", name, f.Offset(), len(b))
						}
						h := f.Header()
						if format != Backup && (!h.At.Equal(at) || h.Filters.Scope != "agent:alice" || h.Vectors != vectors || vectors && h.Fingerprint != `p "model" <3>`) {
							t.Errorf("%s: header %+v", name, h)
						}
					}
				})
			}
		}
	}
}

// The document is the one the TypeScript plugin's import reads; B45: a timestamp
// is an integer literal.
func TestTheDocumentIsThePlugins(t *testing.T) {
	b, _ := written(t, JSON, true, mem(10, "tea"), mem(3, "cocoa"))
	var doc struct {
		Version, ExportedAt string
		Count               int
		Filters             map[string]string
		Memories            []struct {
			ID, Text, Category, Scope, Metadata string
			Importance                          float64
			Timestamp                           json.Number
			Vector                              []float32
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Version != "1.0" || doc.ExportedAt != "2026-03-02T09:00:00.123Z" || doc.Count != 2 || doc.Filters["scope"] != "agent:alice" || len(doc.Memories) != 2 {
		t.Errorf("document %+v", doc)
	}
	m := doc.Memories[0]
	if m.Timestamp != "1772442000133" || m.Importance != 1 || len(m.Vector) != 3 || m.Category != "reflection" || !json.Valid([]byte(m.Metadata)) {
		t.Errorf("row %+v", m)
	}
}

// A document that somebody made readable, members in any order, is the same document.
func TestAnIndentedDocument(t *testing.T) {
	b, _ := written(t, JSON, true, awkward()...)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, b, "", "  "); err != nil {
		t.Fatal(err)
	}
	_, want := readAll(t, bytes.NewReader(b), true)
	f, got := readAll(t, &pretty, true)
	if diff := cmp.Diff(tell(want), tell(got)); diff != "" || len(f.Notes()) > 0 || f.Header().Dimensions != 3 {
		t.Errorf("%q %+v (-want +got)\n%s", f.Notes(), f.Header(), diff)
	}
	if got[1].Line <= got[0].Line+5 {
		t.Errorf("the second row is said to be on line %d, the first on %d", got[1].Line, got[0].Line)
	}
	_, other := readAll(t, strings.NewReader(`{ "memories" : [ {"vector":[],"metadata":{"tier":"core"},"text":"tea"} ] , "count" : 1, "version":"1.0"}`), true)
	if len(other) != 1 || other[0].Row.Memory.Text != "tea" || other[0].Row.Memory.Metadata.Tier != memory.TierCore {
		t.Errorf("%+v", other)
	}
}

// Rows are told by their line, whatever is wrong with them, and the others come.
func TestDamage(t *testing.T) {
	row := func(text string) string { return fmt.Sprintf(`{"id":"id-%s","text":"%s"}`, text, text) }
	for _, c := range []struct {
		name, file string
		want       []string
		note       string
	}{
		{"lines", row("a") + "\n{\"id\":\n\n  " + row("b") + "\r\nnull\n7\n\"x\"\n[1]\n{}\n" + row("c"), []string{
			"a", "2: it is no JSON: unexpected end of JSON input", "b", "5: it is no row: a row is a JSON object with at least a text",
			"6: it is no row: a row is a JSON object with at least a text", "7: it is no row: a row is a JSON object with at least a text",
			"8: it is no row: a row is a JSON object with at least a text", "9: it has no text", "c"}, ""},
		{"list", "[" + row("a") + `,null,"x",7,{"category":5},` + row("b") + "]", []string{
			"a", "1: it is no row: a row is a JSON object with at least a text", "1: it is no row: a row is a JSON object with at least a text",
			"1: it is no row: a row is a JSON object with at least a text", "1: it has no text", "b"}, ""},
		{"not a number", `{"memories":[` + row("a") + `,{"id":"id-n","text":"n","timestamp":NaN},` + row("b") + `]}`, []string{
			"a", "1: it is no JSON: invalid character 'N' looking for beginning of value", "b"}, ""},
		{"no closing quote", "{\"memories\":[\n" + row("a") + ",\n{\"id\":\"id-x\",\"text\":\"never},\n" + row("b") + ",\n" + row("c") + "\n]}", []string{
			"a", "3: quotes or brackets do not match", "b", "c"}, ""},
		{"no closing quote on one line", `{"memories":[` + row("a") + `,{"id":"id-x","text":"never},` + row("b") + `,` + row("c") + `]}`, []string{
			"a", "1: quotes or brackets do not match", "b", "c"}, ""},
		{"no closing brace", "[\n" + row("a") + ",\n{\"id\":\"id-x\",\"text\":\"x\",\n" + row("b") + ",\n" + row("c") + "\n]", []string{
			"a", "3: quotes or brackets do not match", "b", "c"}, ""},
		{"a bracket too many", "[" + row("a") + ",{\"id\":\"x\",\"text\":[}," + row("b") + "]", []string{
			"a", "1: quotes or brackets do not match", "b"}, ""},
		{"no commas", "[" + row("a") + row("b") + "\n" + row("c") + ",]", []string{"a", "b", "c"}, ""},
		{"cut in a row", "[\n" + row("a") + ",\n{\"id\":\"id-x\",\"te", []string{"a", "3: the file ends in the middle of it"}, "cut off"},
		{"cut between rows", "[\n" + row("a") + ",\n", []string{"a"}, "cut off"},
		{"wrong count", `{"version":"1.0","count":3,"memories":[` + row("a") + `]}`, []string{"a"}, "3 memories; it holds 1"},
		{"wrong count behind", `{"memories":[` + row("a") + `],"count":0}`, []string{"a"}, "0 memories; it holds 1"},
		{"no UTF-8", row("a") + "\n{\"text\":\"\xff\"}\n" + row("b"), []string{"a", "2: it is not valid UTF-8", "b"}, ""},
		{"a text too long", row("a") + "\n{\"text\":\"" + strings.Repeat("x", 2<<20) + "\"}\n" + row("b"), []string{
			"a", "2: its text has 2097152 bytes, at most 1048576 are kept; split it", "b"}, ""},
		{"a row too long", row("a") + "\n{\"text\":\"" + strings.Repeat("x", maxElement+10) + "\"}\n" + row("b"), []string{
			"a", "2: it is longer than 32 MB", "b"}, ""},
		{"an element too long", "[" + row("a") + ",\n{\"text\":\"" + strings.Repeat("x", maxElement+10) + "\"},\n" + row("b") + "]", []string{
			"a", "2: it is longer than 32 MB", "b"}, ""},
		{"empty text", row("a") + "\n{\"text\":\" \\n \"}\n{\"text\":5}\n{\"text\":null}", []string{
			"a", "2: its text is empty", "3: its text is 5, not a text", "4: it has no text"}, ""},
		{"a byte order mark", "\xef\xbb\xbf" + row("a"), []string{"a"}, ""},
		{"rejects of an import", `{"rejected":{"line":4,"reason":"no text"},"row":` + row("a") + "}\n" +
			`{"rejected":{"line":5},"raw":"{\"text\":\"b\"}"}` + "\n" + `{"rejected":{"line":6},"raw":"{\"te"}`, []string{
			"a", "b", "3: it is no JSON: unexpected end of JSON input"}, ""},
		{"nothing", " \n", []string{}, ""},
		{"an empty list", "[]", []string{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, items := readAll(t, strings.NewReader(c.file), false)
			if diff := cmp.Diff(c.want, tell(items)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if notes := strings.Join(f.Notes(), "; "); (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

// Whatever byte of a row is lost or changed, and wherever the file is cut, it is
// noticed: by a row that cannot be read or by the checksum.
func TestDamageOfOurOwnIsNoticed(t *testing.T) {
	b, _ := written(t, Backup, false, mem(1, "tea at four"), mem(2, "cocoa at five"))
	trailer := bytes.Index(b, []byte(markPrefix))
	for i := range len(b) - 1 {
		if _, err := verify(bytes.NewReader(b[:i])); err == nil {
			t.Fatalf("cut after %d bytes of %d: not noticed", i, len(b))
		}
		if i >= trailer-1 {
			continue
		}
		for name, damaged := range map[string][]byte{
			"changed": append(append(bytes.Clone(b[:i]), b[i]^0x10), b[i+1:]...), "lost": append(bytes.Clone(b[:i]), b[i+1:]...),
		} {
			report, err := verify(bytes.NewReader(damaged))
			if err == nil {
				t.Fatalf("byte %d %s is not noticed: %+v", i, name, report)
			}
		}
	}
	if _, err := verify(bytes.NewReader(b)); err != nil {
		t.Errorf("undamaged: %v", err)
	}
}

func TestNoRows(t *testing.T) {
	for _, file := range []string{"id,text\n1,tea", "hello", `{"version":"1.0","exportedAt":"x"}`, `{"memories":"none"}`, `{"memories":{"a":1}}`, "\x1f\x8b\x08"} {
		if _, err := NewReader(strings.NewReader(file)); err == nil {
			t.Errorf("%q is taken for memories", file)
		}
	}
}

// A file that can no longer be read says so; it is not taken for a short one.
func TestReadingFails(t *testing.T) {
	for _, head := range []string{"", "[", `{"text":"a"}` + "\n" + `{"te`, `[{"text":"a"},{"te`, `{"memories":[`} {
		r := io.MultiReader(strings.NewReader(head), iotest.ErrReader(io.ErrClosedPipe))
		f, err := NewReader(r)
		for err == nil {
			_, err = f.Next()
		}
		if err != io.ErrClosedPipe {
			t.Errorf("%q: %v", head, err)
		}
	}
}
