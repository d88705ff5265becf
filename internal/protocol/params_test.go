package protocol

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// B15: every odd limit is either moved into the documented range or refused
// with an error that says what is allowed.
func TestRecallLimit(t *testing.T) {
	for _, c := range []struct {
		limit string
		want  int
		err   string
	}{
		{"10", 10, ""}, {"1", 1, ""}, {"0", 1, ""}, {"-3", 1, ""}, {"1e9", 20, ""}, {"1e300", 20, ""},
		{`"5"`, 5, ""}, {`" 7 "`, 7, ""}, {"2.7", 2, ""}, {"0.5", 1, ""}, {"null", 3, ""},
		{`"many"`, 0, `"limit" must be a number from 1 to 20, not "many"`},
		{`"NaN"`, 0, "must be a number"}, {`"Infinity"`, 20, ""},
		{"true", 0, "not a boolean"}, {"[5]", 0, "not a list"}, {"{}", 0, "not an object"},
	} {
		t.Run(c.limit, func(t *testing.T) {
			args, err := ParseRecall(json.RawMessage(`{"query":"q","limit":` + c.limit + `}`))
			if c.err != "" {
				var pe *ParamError
				if !errors.As(err, &pe) || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error = %v, want a ParamError containing %q", err, c.err)
				}
				return
			}
			if err != nil || args.Limit != c.want {
				t.Errorf("limit = %d, %v; want %d", args.Limit, err, c.want)
			}
		})
	}
}

func TestParseRecall(t *testing.T) {
	got, err := ParseRecall(json.RawMessage(`{"query":"tea","limit":5,"includeFullText":"TRUE","maxCharsPerItem":5,"scope":" global ","category":"Fact","unknown":1}`))
	if err != nil {
		t.Fatal(err)
	}
	want := RecallArgs{Query: "tea", Limit: 5, FullText: true, MaxChars: 60, Scope: "global", Category: "fact"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for raw, problem := range map[string]string{
		``:                             `"query" is required`,
		`[]`:                           "must be a JSON object",
		`{"query":null}`:               "is required",
		`{"query":" \n"}`:              "is empty",
		`{"query":7}`:                  "must be a string, not a number",
		`{"query":"q","category":"x"}`: "choose one of profile",
		`{"query":"q","scope":3}`:      "must be a string",
		`{"query":"q","includeFullText":"perhaps"}`:       "must be true or false",
		`{"query":"` + strings.Repeat("界", 10_001) + `"}`: "has 10001 characters",
	} {
		if _, err := ParseRecall(json.RawMessage(raw)); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%.60s: error = %v, want %q", raw, err, problem)
		}
	}
}

func TestParseStore(t *testing.T) {
	for raw, want := range map[string]StoreArgs{
		`{"text":"a"}`: {Text: "a", Importance: 0.7, Category: "other"},
		`{"text":"a","importance":0,"force":true}`:                           {Text: "a", Importance: 0, Category: "other", Force: true},
		`{"text":"a","importance":5}`:                                        {Text: "a", Importance: 1, Category: "other"},
		`{"text":"a","importance":"0.25"}`:                                   {Text: "a", Importance: 0.25, Category: "other"},
		`{"text":"a","importance":-1,"category":"profile","scope":"global"}`: {Text: "a", Category: "profile", Scope: "global"},
	} {
		got, err := ParseStore(json.RawMessage(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", raw, diff)
		}
	}
	if _, err := ParseStore(json.RawMessage(`{"text":"a","importance":"high"}`)); err == nil {
		t.Error(`importance "high" was accepted`)
	}
}

func TestParseUpdate(t *testing.T) {
	half := 0.5
	for raw, want := range map[string]UpdateArgs{
		`{"memoryId":" 1234abcd… ","text":" as written\n","importance":"0.5","category":"Fact"}`: {MemoryID: "1234abcd…", Text: " as written\n", Importance: &half, Category: "fact"},
		`{"query":"window seats"}`: {Query: "window seats"},
		`{"memoryId":"1234abcd","text":"  ","importance":null,"category":"","query":""}`: {MemoryID: "1234abcd"},
	} {
		got, err := ParseUpdate(json.RawMessage(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", raw, diff)
		}
	}
	for raw, problem := range map[string]string{
		`{"text":"a"}`:                                    `"memoryId" is required`,
		`{"memoryId":7}`:                                  "must be a string, not a number",
		`{"memoryId":"x","text":[]}`:                      "must be a string, not a list",
		`{"memoryId":"x","importance":true}`:              "must be a number from 0 to 1, not a boolean",
		`{"memoryId":"x","category":"food"}`:              "choose one of profile",
		`{"memoryId":"x","text":"half \ud83d end"}`:       "half of a surrogate pair",
		`{"query":"` + strings.Repeat("界", 10_001) + `"}`: "has 10001 characters",
	} {
		if _, err := ParseUpdate(json.RawMessage(raw)); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%.60s: error = %v, want %q", raw, err, problem)
		}
	}
}

func TestParseForget(t *testing.T) {
	for raw, want := range map[string]ForgetArgs{
		`{}`: {},
		`{"memoryId":"1234abcd","query":"tea","scope":" global"}`: {MemoryID: "1234abcd", Query: "tea", Scope: "global"},
	} {
		got, err := ParseForget(json.RawMessage(raw))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", raw, got, err)
		}
	}
	if _, err := ParseForget(json.RawMessage(`{"query":{"text":"tea"}}`)); err == nil || !strings.Contains(err.Error(), "not an object") {
		t.Errorf("an object as query: %v", err)
	}
}

// Half a surrogate pair is refused, because it cannot be stored as it was sent;
// whole pairs and escaped backslashes are text.
func TestLoneSurrogates(t *testing.T) {
	for text, bad := range map[string]bool{
		`\ud83d`: true, `\ude00`: true, `\ud83d\ud83d`: true, `\ude00\ud83d`: true, `a\uD83Dz`: true, `\ud83d\n`: true, `\ud83d\\ude00`: true,
		`\ud83d\ude00`: false, `\uD83D\uDE00!`: false, `\\ud83d`: false, `\\\\ud83d`: false, `\u00e9`: false, `\"`: false, `😀`: false,
	} {
		_, err := ParseStore(json.RawMessage(`{"text":"x` + text + `"}`))
		if (err != nil) != bad {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ParseStore(json.RawMessage("{\"text\":\"caf\xe9\"}")); err == nil {
		t.Error("bytes that are no UTF-8 were accepted")
	}
}

func TestToolSchemas(t *testing.T) {
	for _, tool := range Tools() {
		var s struct {
			Type       string
			Required   []string
			Properties map[string]map[string]any
		}
		if err := json.Unmarshal(tool.Parameters, &s); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		// The tools of whoever looks after the memory need not stand before every model.
		if s.Type != "object" || (tool.CatalogMode != "direct-only") != tool.Management || tool.Hint == "" || tool.Description == "" || tool.Label == "" {
			t.Errorf("%s is not complete: %+v", tool.Name, tool)
		}
		for _, r := range s.Required {
			if s.Properties[r] == nil {
				t.Errorf("%s requires %q, which it does not describe", tool.Name, r)
			}
		}
		for name, p := range s.Properties {
			if p["description"] == nil || p["type"] == nil {
				t.Errorf("%s.%s has no type or no description", tool.Name, name)
			}
		}
		if enum, _ := s.Properties["category"]["enum"].([]any); s.Properties["category"] != nil && len(enum) != 12 {
			t.Errorf("%s offers %d categories, want 12", tool.Name, len(enum))
		}
	}
}

func TestFaultsAreDistinct(t *testing.T) {
	codes := map[Code]Fault{}
	for _, row := range Faults() {
		if other, twice := codes[row.Code]; twice {
			t.Errorf("%s and %s share code %d", row.Fault, other, row.Code)
		}
		codes[row.Code] = row.Fault
		if CodeFor(row.Fault) != row.Code || DataFor(row.Fault).Fault != row.Fault {
			t.Errorf("%s does not find its own row", row.Fault)
		}
	}
	if CodeFor("unheard of") != CodeInternal {
		t.Error("an unknown fault is not an internal error")
	}
}
