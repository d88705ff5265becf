package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

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
