package memory

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func TestActiveAt(t *testing.T) {
	hour := time.Hour
	for _, c := range []struct {
		name string
		data Metadata
		want bool
	}{
		{"nothing stated", Metadata{}, true},
		{"begins now", Metadata{ValidFrom: noon}, true},
		{"begins later", Metadata{ValidFrom: noon.Add(time.Millisecond)}, false},
		{"invalidated later", Metadata{InvalidatedAt: noon.Add(hour)}, true},
		{"invalidated now", Metadata{InvalidatedAt: noon}, false},
		{"expires later", Metadata{ValidUntil: noon.Add(hour)}, true},
		{"expires now", Metadata{ValidUntil: noon}, false},
		{"expired", Metadata{ValidFrom: noon.Add(-2 * hour), ValidUntil: noon.Add(-hour)}, false},
	} {
		if got := (Memory{Metadata: c.data}).Active(noon); got != c.want {
			t.Errorf("%s: active = %v, want %v", c.name, got, c.want)
		}
	}
}

func TestNewMetadataRoundTrip(t *testing.T) {
	d := NewMetadata("Tea <strong>, not & coffee", Preferences, SourceManual, noon.Add(123456*time.Nanosecond))
	d.Relations = []Relation{{"supersedes", "old"}}
	d.Embedding = EmbeddingPending
	got, err := ParseMetadata(d.String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, got); diff != "" {
		t.Errorf("round trip (-want +got):\n%s", diff)
	}
	want := `{"l0_abstract":"Tea <strong>, not & coffee","l1_overview":"- Tea <strong>, not & coffee","l2_content":"Tea <strong>, not & coffee","memory_category":"preferences","tier":"working","access_count":0,"confidence":0.7,"last_accessed_at":1773144000000,"valid_from":1773144000000,"relations":[{"type":"supersedes","targetId":"old"}],"source":"manual","state":"confirmed","memory_layer":"durable","embedding":"pending"}`
	if diff := cmp.Diff(want, d.String()); diff != "" {
		t.Errorf("column value (-want +got):\n%s", diff)
	}
}

func TestParseMetadataIsLenient(t *testing.T) {
	d, err := ParseMetadata(`{"last_accessed_at":"garbage","valid_from":1750000000,"valid_until":"2026-03-01T10:00:00+08:00",
		"access_count":-3,"confidence":7,"tier":"gold","state":null,"relations":[{"type":"contradicts","targetId":"a"},{"type":"contradicts","targetId":"a"},{"type":""},4],
		"invalidated_at":1,"fact_key":12,"embedding":"local"}`)
	if err != nil {
		t.Fatal(err)
	}
	want := Metadata{
		ValidFrom: time.UnixMilli(1750000000000).UTC(), ValidUntil: time.UnixMilli(1772330400000).UTC(),
		Tier: TierWorking, Confidence: 1, State: StateConfirmed, Relations: []Relation{{"contradicts", "a"}},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("parsed (-want +got):\n%s", diff)
	}
}

func TestParseMetadataKeepsWhatIsNoObject(t *testing.T) {
	for _, raw := range []string{`{"tier":`, `[1,2]`, `plain words "quoted"`, `7`} {
		d, err := ParseMetadata(raw)
		if err == nil {
			t.Errorf("%q: no error", raw)
		}
		var out map[string]any
		if err := json.Unmarshal([]byte(d.String()), &out); err != nil || out[unparsedKey] != raw {
			t.Errorf("%q is lost in %s (%v)", raw, d, err)
		}
	}
	for _, raw := range []string{"", "{}", "null"} {
		if _, err := ParseMetadata(raw); err != nil {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

func TestUnknownKeysAreKeptVerbatim(t *testing.T) {
	raw := `{"support_info": {"slices":[ 1, 2 ]},"admission_audit":"{\"a\":1}","big":12345678901234567890,"html":"<b>&</b>","tier":"core"}`
	d, err := ParseMetadata(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"support_info":{"slices":[1,2]}`, `"admission_audit":"{\"a\":1}"`, `"big":12345678901234567890`, `"html":"<b>&</b>"`} {
		if !strings.Contains(d.String(), part) {
			t.Errorf("%s is missing from %s", part, d)
		}
	}
}

func TestArraysAreCapped(t *testing.T) {
	list := func(n int) string {
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(`{"type":"supersedes","targetId":"%d"}`, i)
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	d, _ := ParseMetadata(`{"sources":` + list(30) + `,"history":` + list(60) + `,"relations":` + list(20) + `,"contexts":` + list(70) + `}`)
	var out map[string][]Relation
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(d.String()), &all); err != nil {
		t.Fatal(err)
	}
	out = map[string][]Relation{}
	for _, k := range []string{"sources", "history", "relations", "contexts"} {
		var l []Relation
		if err := json.Unmarshal(all[k], &l); err != nil {
			t.Fatal(err)
		}
		out[k] = l
	}
	if n, first := len(out["sources"]), out["sources"][0].Target; n != 20 || first != "10" {
		t.Errorf("sources: %d from %s, want the last 20", n, first)
	}
	if n, first := len(out["history"]), out["history"][0].Target; n != 50 || first != "10" {
		t.Errorf("history: %d from %s, want the last 50", n, first)
	}
	if n, first := len(out["relations"]), out["relations"][0].Target; n != 16 || first != "0" {
		t.Errorf("relations: %d from %s, want the first 16", n, first)
	}
	if len(out["contexts"]) != 70 {
		t.Errorf("contexts were cut to %d", len(out["contexts"]))
	}
}

func TestLayers(t *testing.T) {
	for _, c := range []struct {
		kind   Category
		source string
		want   string
	}{
		{Profile, SourceManual, LayerDurable}, {Events, SourceAutoCapture, LayerDurable}, {Cases, SourceManual, LayerWorking},
		{Preferences, SourceReflection, LayerReflection}, {Patterns, SourceSessionSummary, LayerReflection},
	} {
		if got := NewMetadata("x", c.kind, c.source, noon).Layer; got != c.want {
			t.Errorf("layer of %s from %s = %s, want %s", c.kind, c.source, got, c.want)
		}
	}
}

func FuzzMetadata(f *testing.F) {
	for _, s := range []string{`{}`, `{"tier":"core","x":[1,{"y":null}],"sources":[1]}`, `{"a":1e400,"last_accessed_at":1e400}`, `{"":""}`, "\xff", `{"relations":[{"type":"a","targetId":"\u2028"}]}`, `{"l0_abstract":"\ud800"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		first, _ := ParseMetadata(raw)
		column := first.String()
		if !json.Valid([]byte(column)) || !utf8.ValidString(column) {
			t.Fatalf("%q became no JSON: %q", raw, column)
		}
		second, err := ParseMetadata(column)
		if err != nil {
			t.Fatalf("%q: own output is refused: %v", column, err)
		}
		if again := second.String(); again != column {
			t.Fatalf("unstable: %q, then %q", column, again)
		}
		var in, out map[string]json.RawMessage
		if json.Unmarshal([]byte(strings.ToValidUTF8(raw, "\uFFFD")), &in) != nil {
			return
		}
		if err := json.Unmarshal([]byte(column), &out); err != nil {
			t.Fatal(err)
		}
		for k := range in {
			if _, ok := out[k]; !ok && !known[k] {
				t.Fatalf("key %q of %q is lost in %q", k, raw, column)
			}
		}
	})
}
