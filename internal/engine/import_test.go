package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// wordy is an embedder without a server.
type wordy struct{ fingerprint string }

func (wordy) EmbedQuery(_ context.Context, t string) ([]float32, error)   { return hashed(t), nil }
func (wordy) EmbedPassage(_ context.Context, t string) ([]float32, error) { return hashed(t), nil }
func (w wordy) EmbedPassages(_ context.Context, ts []string) ([][]float32, error) {
	vs := make([][]float32, len(ts))
	for i, t := range ts {
		vs[i] = hashed(t)
	}
	return vs, nil
}
func (wordy) Dimensions() int       { return width }
func (wordy) Model() string         { return "wordy" }
func (w wordy) Fingerprint() string { return w.fingerprint }

func withWords(o *Options) { o.Embedder = wordy{"wordy 1"} }

func (f *fixture) export(r ExportRequest) string {
	f.t.Helper()
	var b bytes.Buffer
	r.Who, r.Out = Operator(), &b
	if _, err := f.Export(f.t.Context(), r); err != nil {
		f.t.Fatal(err)
	}
	return b.String()
}

func (f *fixture) take(file string, change ...func(*ImportRequest)) ImportAnswer {
	f.t.Helper()
	r := ImportRequest{Who: Operator(), From: strings.NewReader(file)}
	for _, c := range change {
		c(&r)
	}
	a, err := f.Import(f.t.Context(), r)
	if err != nil {
		f.t.Fatal(err)
	}
	if a.Read != a.Imported+a.Replaced+a.Skipped+a.Rejected {
		f.t.Errorf("the counts do not add up: %+v", a)
	}
	return a
}

// counts are what a test says about an answer: imported, replaced, skipped, rejected.
func counts(a ImportAnswer) [4]int { return [4]int{a.Imported, a.Replaced, a.Skipped, a.Rejected} }

// all are the rows by text.
func (f *fixture) all() map[string]memory.Memory {
	f.t.Helper()
	db, err := f.opened(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	rows := map[string]memory.Memory{}
	err = db.Each(f.t.Context(), everything(), memory.Narrow{}, true, func(ms []memory.Memory) error {
		for _, m := range ms {
			rows[m.Text] = m
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return rows
}

// ofEveryKind are rows that an export must carry unchanged.
func ofEveryKind() []memory.Memory {
	var ms []memory.Memory
	add := func(text, scope string, column memory.StoredCategory, change ...func(*memory.Memory)) {
		i := len(ms)
		m := memory.Memory{
			ID: memory.DerivedID("kind", fmt.Sprint(i)), Text: text, Vector: hashed(text), Category: column, Scope: scope,
			Importance: []float64{0, 1, 0.7, 0.123456789, 0.95}[i%5], Time: now.Add(-time.Duration(i) * 37 * time.Minute),
		}
		m.Metadata = memory.NewMetadata(text, memory.CategoryOf(column, text), memory.SourceManual, m.Time)
		for _, c := range change {
			c(&m)
		}
		ms = append(ms, m)
	}
	for i, column := range []memory.StoredCategory{"preference", "fact", "decision", "entity", "reflection", "other", "recipe"} {
		add(fmt.Sprintf("A %s of alice", column), "agent:alice", column)
		add(fmt.Sprintf("A %s for all, number %d", column, i), "global", column)
	}
	add("Line one\nline two\twith a tab", "project:x", "fact")
	add(`Quotes " \ {"id":"x"} ],"count":0}`, "custom:a.b-c_d", "fact")
	add("雪の結晶は六角形 🌨️ e\u0301", "user:雪"[:5]+"yuki", "fact")
	add("Replaced since", "agent:alice", "preference", func(m *memory.Memory) {
		m.Metadata.InvalidatedAt, m.Metadata.SupersededBy = now, "mem-md-7"
		m.Metadata.Relations = []memory.Relation{{Type: "superseded_by", Target: "mem-md-7"}}
	})
	add("Expired since", "agent:alice", "fact", func(m *memory.Memory) { m.Metadata.ValidUntil = now.Add(-time.Hour) })
	add("Of an older table", "global", "fact", func(m *memory.Memory) {
		m.ID, m.Time = "mem-md-7", time.UnixMilli(1).UTC().Add(40*365*24*time.Hour)
		m.Metadata.Extra = map[string]json.RawMessage{"support_info": json.RawMessage(`{"slices":[{"context":"work","strength":0.5}]}`), "zeta": json.RawMessage(`1.50`)}
	})
	return ms
}

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

// Vectors of a file are used only when the same model wrote them.
func TestVectorsOfAFile(t *testing.T) {
	from := start(t, nil, withWords)
	m := ofEveryKind()[0]
	m.Vector = leaning(0.5, 3) // nothing the embedder would say
	from.put(m)
	file := from.export(ExportRequest{Vectors: true})
	for name, c := range map[string]struct {
		embedder func(*Options)
		want     []float32
	}{
		"the same model": {withWords, m.Vector},
		"another model":  {func(o *Options) { o.Embedder = wordy{"wordy 2"} }, hashed(m.Text)},
		"no model":       {func(*Options) {}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			to := reopen(t, filepath.Join(t.TempDir(), "db"), nil, c.embedder)
			to.take(file)
			got := to.all()[m.Text]
			if diff := cmp.Diff(c.want, got.Vector); diff != "" {
				t.Errorf("vector (-want +got)\n%s", diff)
			}
			if waits := got.Metadata.Embedding == memory.EmbeddingPending; waits != (c.want == nil) {
				t.Errorf("metadata %s", got.Metadata)
			}
		})
	}
}

// B50: in a bulk of ten, a vector of the wrong length and an empty text cost two
// rows, and are reported; a hundred bulks at once store all that is usable.
func TestBulkWithBadRows(t *testing.T) {
	f := start(t, nil, withWords)
	bulk := func(i int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "{\"format\":\"memory-pro.export\",\"version\":1,\"vectors\":true,\"fingerprint\":\"wordy 1\",\"dimensions\":%d}\n", width)
		for row := range 10 {
			text, vector := fmt.Sprintf("Statement %d of bulk %d", row, i), hashed("x")
			if row == 3 {
				vector = vector[:5]
			}
			if row == 6 {
				text = " "
			}
			line, _ := json.Marshal(map[string]any{"id": memory.NewID(), "text": text, "vector": vector, "scope": "global"})
			fmt.Fprintf(&b, "%s\n", line)
		}
		return b.String()
	}
	a := f.take(bulk(0))
	want := []Reject{{5, fmt.Sprintf("its vector has 5 numbers, those of the table have %d", width)}, {8, "its text is empty"}}
	if diff := cmp.Diff(want, a.Rejects); diff != "" || a.Imported != 8 {
		t.Errorf("%+v (-want +got)\n%s", a, diff)
	}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if a := f.take(bulk(i + 1)); counts(a) != [4]int{8, 0, 0, 2} {
				t.Errorf("bulk %d: %+v", i, a)
			}
		})
	}
	wg.Wait()
	if n := f.count(); n != 808 {
		t.Errorf("%d rows, want 808", n)
	}
}

// B22 and B23: what is not as it should be becomes something usable, and every
// row can be found.
func TestNumbersOfAFile(t *testing.T) {
	f := start(t, nil, withWords)
	row := func(name, member string) string { return fmt.Sprintf("{\"text\":\"Row %s\",%s}\n", name, member) }
	in2025 := time.UnixMilli(1750000000000).UTC()
	times := map[string]struct {
		json string
		want time.Time
	}{
		"seconds": {"1750000000", in2025}, "milliseconds": {"1750000000000", in2025}, "digits": {`"1750000000"`, in2025},
		"float": {"1.75e12", in2025}, "zero": {"0", now}, "negative": {"-5", now}, "no day": {`"2026-02-30"`, now},
		"zone":  {`"2026-03-01T10:00:00+08:00"`, time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)},
		"day":   {`"2026-03-01"`, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		"early": {`"1994-03-01T00:00:00Z"`, now},
		"null":  {"null", now}, "object": {"{}", now}, "word": {`"yesterday"`, now}, "huge": {"1e300", now}, "no number": {`"NaN"`, now},
	}
	var b strings.Builder
	for name, c := range times {
		b.WriteString(row(name, `"scope":"times","timestamp":`+c.json+`,"metadata":{"last_accessed_at":"garbage"}`))
	}
	b.WriteString(row("bare", `"scope":"times"`) + row("bad", `"timestamp":NaN`))
	a := f.take(b.String())
	if counts(a) != [4]int{len(times) + 1, 0, 0, 1} || a.Undated != 10 {
		t.Errorf("times: %+v", a)
	}
	rows := f.all()
	for name, c := range times {
		if got := rows["Row "+name]; !got.Time.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got.Time, c.want)
		}
		found, err := f.Recall(t.Context(), RecallRequest{Who: Operator(), Query: "Row " + name, Scope: "times", Limit: 20})
		if err != nil || !slices.Contains(texts(found), "Row "+name) {
			t.Errorf("%s is not found: %q %v", name, texts(found), err)
		}
		for _, h := range found.Hits {
			if math.IsNaN(h.Score) {
				t.Errorf("%s: no score", name)
			}
		}
	}
	for name, c := range map[string]struct {
		file string
		want []float64
	}{
		"the old scale": {"1 2 3 4 5", []float64{.2, .4, .6, .8, .95}},
		"ours":          {"1 0 0.5 1.0 0.95", []float64{1, 0, .5, 1, .95}},
		"anything":      {`-1 1e9 "high" null "0.9" 0.25 {}`, []float64{0, 1, .7, .7, .9, .25, .7}},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i, v := range strings.Fields(c.file) {
				b.WriteString(row(fmt.Sprint(name, i), `"importance":`+v))
			}
			f.take(b.String())
			rows := f.all()
			for i, want := range c.want {
				if got := rows[fmt.Sprint("Row ", name, i)].Importance; got != want {
					t.Errorf("row %d: %v, want %v", i, got, want)
				}
			}
		})
	}
}

// What is there already stays, unless the file is to win.
func TestOnConflict(t *testing.T) {
	f := start(t, nil, withWords)
	f.put(ofEveryKind()...)
	file := f.export(ExportRequest{})
	changed := strings.Replace(file, "A fact of alice", "A fact of alice, corrected", 1)
	vectors := f.all()
	if a := f.take(changed); a.Skipped != a.Read || a.Differing != 1 {
		t.Errorf("skip: %+v", a)
	}
	if _, ok := f.all()["A fact of alice"]; !ok {
		t.Error("the file won")
	}
	replace := func(r *ImportRequest) { r.Replace = true }
	dry := func(r *ImportRequest) { r.DryRun = true }
	before := f.export(ExportRequest{})
	if a := f.take(changed, replace, dry); a.Replaced != 1 || a.Imported != 0 {
		t.Errorf("forecast: %+v", a)
	}
	if f.export(ExportRequest{}) != before {
		t.Error("a dry run changed something")
	}
	if a := f.take(changed, replace); a.Replaced != 1 || a.Skipped != a.Read-1 {
		t.Errorf("replace: %+v", a)
	}
	rows := f.all()
	if got, ok := rows["A fact of alice, corrected"]; !ok || !slices.Equal(got.Vector, hashed(got.Text)) {
		t.Errorf("the new text has the vector %v", got.Vector)
	}
	// A change beside the text leaves the vector alone.
	moved := strings.Replace(changed, `"category":"recipe"`, `"category":"menu"`, 1)
	if a := f.take(moved, replace); a.Replaced != 1 || a.Pending != 0 {
		t.Errorf("moved: %+v", a)
	}
	for text, m := range f.all() {
		if m.Vector == nil || !strings.Contains(text, "corrected") && !slices.Equal(m.Vector, vectors[text].Vector) {
			t.Errorf("%q has another vector", text)
		}
	}
}

// A file that says little is taken twice without a difference.
func TestBareRows(t *testing.T) {
	f := start(t, nil, withWords)
	file := `{"text":"I like tea"}
{"text":"Mara is on call","category":"EVENTS","scope":"team"}
{"id":7,"text":"An id of another kind"}
{"id":"","text":"An empty id"}
{"id":"0A0A0A0A-0000-4000-8000-00000000000B","text":"In capitals"}
{"text":"I like tea"}
{"id":"mem-md-3","text":"red\u001b[31m and\u0000 loud\u2028next","metadata":"no JSON"}
`
	a := f.take(file)
	if counts(a) != [4]int{6, 0, 1, 0} || a.Renamed != 4 {
		t.Errorf("first: %+v", a)
	}
	first := f.export(ExportRequest{})
	f.now = func() time.Time { return now.Add(time.Hour) }
	if a := f.take(file); counts(a) != [4]int{0, 0, 7, 0} || a.Differing != 0 {
		t.Errorf("second: %+v", a)
	}
	if a := f.take(file, func(r *ImportRequest) { r.Replace = true }); counts(a) != [4]int{0, 0, 7, 0} {
		t.Errorf("replacing: %+v", a)
	}
	if diff := cmp.Diff(exportedAt.ReplaceAllString(first, ""), exportedAt.ReplaceAllString(f.export(ExportRequest{}), "")); diff != "" {
		t.Errorf("(-first +second)\n%s", diff)
	}
	rows := f.all()
	if m := rows["Mara is on call"]; m.Category != memory.StoredDecision || m.Kind() != memory.Events || m.Scope != "team" {
		t.Errorf("%+v", m)
	}
	if m := rows["An id of another kind"]; string(m.Metadata.Extra["originalId"]) != `"7"` || m.Scope != "global" {
		t.Errorf("%+v", m)
	}
	if m := rows["In capitals"]; m.ID != "0a0a0a0a-0000-4000-8000-00000000000b" {
		t.Errorf("%+v", m)
	}
	if m := rows["red and loud\nnext"]; m.ID != "mem-md-3" || string(m.Metadata.Extra["unparsed_metadata"]) != `"no JSON"` {
		t.Errorf("%+v", rows)
	}
	// Somewhere else they are other memories.
	if a := f.take(file, func(r *ImportRequest) { r.Scope = "copy" }); a.Imported != 4 {
		t.Errorf("elsewhere: %+v", a)
	}
}

// A row out of reach is not shown to everybody by the way.
func TestScopesOfAFile(t *testing.T) {
	f := start(t, nil)
	a := f.take(`{"text":"blank","scope":""}
{"text":"null","scope":null}
{"text":"not a name","scope":"a b"}
{"text":"private","scope":"agent:bob"}
{"text":"nothing said"}`)
	var lines []int
	for _, r := range a.Rejects {
		lines = append(lines, r.Line)
	}
	if !slices.Equal(lines, []int{1, 2, 3}) || a.Imported != 2 {
		t.Errorf("%+v", a)
	}
	if rows := f.all(); rows["private"].Scope != "agent:bob" || rows["nothing said"].Scope != "global" {
		t.Errorf("%+v", rows)
	}
	alice := ImportRequest{Who: Agent("alice", ""), From: strings.NewReader(`{"text":"a","scope":"agent:bob"}` + "\n" + `{"text":"mine"}`)}
	if a, err := f.Import(t.Context(), alice); err != nil || counts(a) != [4]int{1, 0, 0, 1} {
		t.Errorf("as alice: %+v, %v", a, err)
	}
	if m := f.all()["mine"]; m.Scope != "agent:alice" {
		t.Errorf("%+v", m)
	}
}

// While the provider is down rows are stored and wait; when it refuses, nothing
// is pretended.
func TestImportWithoutVectors(t *testing.T) {
	p := newProvider(t)
	p.set(func(p *provider) { p.status = 503 })
	f := start(t, p.embedding(), func(o *Options) { o.OneShot = true })
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "{\"text\":\"Statement number %d\"}\n", i)
	}
	a := f.take(b.String())
	if a.Imported != 1000 || a.Pending != 1000 || !strings.Contains(a.PendingBecause, "fault of its own") {
		t.Errorf("%+v", a)
	}
	if len(p.asked) > 2000 {
		t.Errorf("a provider that is down was asked for %d texts", len(p.asked))
	}
	p.set(func(p *provider) { p.status = 401 })
	_, err := f.Import(t.Context(), ImportRequest{Who: Operator(), From: strings.NewReader(`{"text":"Another one"}`)})
	if FaultOf(err) != FaultProvider {
		t.Errorf("refused: %v", err)
	}
	if n := f.count(); n != 1000 {
		t.Errorf("%d rows", n)
	}
	// One text that the provider does not take costs only its vector.
	p.set(func(p *provider) {
		p.status, p.answer = 0, func(text string) string {
			if strings.Contains(text, "poison") {
				return "[]"
			}
			return ""
		}
	})
	a = f.take(`{"text":"Another one"}` + "\n" + `{"text":"poison"}`)
	if a.Imported != 2 || a.Pending != 1 {
		t.Errorf("%+v", a)
	}
}

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

// fifty is a file of fifty rows with fixed ids.
func fifty() string {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, "{\"id\":%q,\"text\":\"Statement number %d\",\"scope\":\"global\"}\n", memory.DerivedID("fifty", fmt.Sprint(i)), i)
	}
	return b.String()
}

// importers names the database to a second process of this test.
const importers = "MEMORY_PRO_TEST_IMPORTERS"

// fourImporters take the same file at the same time.
func fourImporters(t *testing.T, f *fixture) (imported int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 4 {
		wg.Go(func() {
			a := f.take(fifty())
			mu.Lock()
			defer mu.Unlock()
			imported += a.Imported
			if a.Imported+a.Skipped != 50 {
				t.Errorf("%+v", a)
			}
		})
	}
	wg.Wait()
	return imported
}

// B33: eight writers in two processes import the same file; each id is there once.
func TestManyImportTheSameIDs(t *testing.T) {
	if path := os.Getenv(importers); path != "" {
		fmt.Printf("imported=%d\n", fourImporters(t, reopen(t, path, nil, withWords)))
		return
	}
	f := start(t, nil, withWords)
	f.count() // the table is there
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestManyImportTheSameIDs$", "-test.v")
	other.Env = append(os.Environ(), importers+"="+f.path)
	var out bytes.Buffer
	other.Stdout, other.Stderr = &out, &out
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	here := fourImporters(t, f)
	if err := other.Wait(); err != nil {
		t.Fatalf("the other process: %v\n%s", err, &out)
	}
	var there int
	if _, line, ok := strings.Cut(out.String(), "imported="); ok {
		_, _ = fmt.Sscanf(line, "%d", &there) // 0 fails below
	}
	if here+there != 50 || f.count() != 50 || len(f.all()) != 50 {
		t.Errorf("%d were imported here and %d there; %d rows, %d different", here, there, f.count(), len(f.all()))
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
