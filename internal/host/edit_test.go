package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func fileWith(t *testing.T, text string) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "openclaw.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func p(path string) []string { return strings.Split(path, ".") }

func TestApply(t *testing.T) {
	slot := Edit{Path: p("plugins.slots.memory"), Value: "m-1"}
	for _, c := range []struct {
		name, text string
		edits      []Edit
		want       string
	}{
		{"empty object", "{}\n", []Edit{slot}, "{\n  \"plugins\": {\n    \"slots\": {\n      \"memory\": \"m-1\"\n    }\n  }\n}\n"},
		{"empty file", "", []Edit{{Path: p("a"), Value: true}}, "{\n  \"a\": true\n}\n"},
		{
			"plain JSON", "{\n  \"gateway\": {\"port\": 1},\n  \"plugins\": {\n    \"slots\": {\n      \"other\": \"x\"\n    }\n  }\n}\n",
			[]Edit{slot},
			"{\n  \"gateway\": {\"port\": 1},\n  \"plugins\": {\n    \"slots\": {\n      \"other\": \"x\",\n      \"memory\": \"m-1\"\n    }\n  }\n}\n",
		},
		{
			"comments, bare keys, single quotes, last comma",
			"// mine\n{\n\tplugins: {\n\t\tslots: {\n\t\t\tother: 'x', // stays\n\t\t\t/* and this */\n\t\t},\n\t},\n}",
			[]Edit{slot},
			"// mine\n{\n\tplugins: {\n\t\tslots: {\n\t\t\tother: 'x', // stays\n\t\t\t/* and this */\n\t\t\tmemory: 'm-1',\n\t\t},\n\t},\n}",
		},
		{
			"a comment after the last value", "{\n  \"a\": 1 // one\n}\n", []Edit{{Path: p("b"), Value: 2.0}},
			"{\n  \"a\": 1, // one\n  \"b\": 2\n}\n",
		},
		{"one line", `{plugins: {slots: {other: "x"}}}`, []Edit{slot}, `{plugins: {slots: {other: "x", memory: "m-1"}}}`},
		{"one line, nested", `{ "a": { "b": 1 } }`, []Edit{slot}, `{ "a": { "b": 1 }, "plugins": { "slots": { "memory": "m-1" } } }`},
		{"one line, last comma", `{a: {b: 1,},}`, []Edit{{Path: p("a.c"), Value: true}}, `{a: {b: 1, c: true,},}`},
		{"replaced", "{a: {b: 0x10 /* ten? */, c: 'y'}}", []Edit{{Path: p("a.b"), Value: false}}, "{a: {b: false /* ten? */, c: 'y'}}"},
		{"nothing to do", "{a: {b: 'y',}}", []Edit{{Path: p("a.b"), Value: "y"}}, "{a: {b: 'y',}}"},
		{"the last of two counts", `{"a": 1, "a": 2}`, []Edit{{Path: p("a"), Value: 3.0}}, `{"a": 1, "a": 3}`},
		{"windows line ends", "{\r\n  \"a\": 1\r\n}\r\n", []Edit{{Path: p("b"), Value: true}}, "{\r\n  \"a\": 1,\r\n  \"b\": true\r\n}\r\n"},
		{"braces in strings", `{"a": "}, // {", "b": {"c": "\"}"}}`, []Edit{{Path: p("b.d"), Value: true}}, `{"a": "}, // {", "b": {"c": "\"}", "d": true}}`},
		{"a key to quote", "{plugins: {}}", []Edit{{Path: p("plugins.m-1"), Value: true}}, "{plugins: {\n  \"m-1\": true\n}}"},
		{"into a list", `{"allow": ["a", "b"]}`, []Edit{{Path: p("allow"), Value: "c", Append: true}}, `{"allow": ["a", "b", "c"]}`},
		{"in the list already", `{"allow": ["a", 'c',]}`, []Edit{{Path: p("allow"), Value: "c", Append: true}}, `{"allow": ["a", 'c',]}`},
		{"a byte order mark", "\ufeff{}", []Edit{{Path: p("a"), Value: true}}, "\ufeff{\n  \"a\": true\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := fileWith(t, c.text).Apply(c.edits)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// What was added can be taken out again, and nothing else is left changed.
func TestApplyAndBack(t *testing.T) {
	add := []Edit{
		{Path: p("plugins.slots.memory"), Value: "m-1"},
		{Path: p("plugins.entries.m-1.enabled"), Value: true},
		{Path: p("plugins.entries.m-1.config.autoRecall"), Value: true},
	}
	for _, text := range []string{
		"{}\n",
		"{\n  \"plugins\": {}\n}\n",
		"{plugins: {slots: {other: 'x'}, entries: {}}}",
		"{\n  // a\n  plugins: {\n    slots: {\n      other: 'x', // b\n    },\n    entries: {\n      'z': {enabled: true}, // c\n    },\n  },\n}\n",
		"{\n  \"a\": 1, // one\n  \"plugins\": {\n    \"entries\": {\n      \"z\": {\"enabled\": true}\n    }\n  }\n}\n",
	} {
		before := fileWith(t, text)
		added, err := before.Apply(add)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		after := fileWith(t, string(added))
		var back []Edit
		for _, e := range add {
			// The topmost part that was not there is what goes.
			for depth := 1; depth <= len(e.Path); depth++ {
				if _, there := before.Get(e.Path[:depth]...); !there {
					back = append(back, Edit{Path: e.Path[:depth], Remove: true})
					break
				}
			}
		}
		got, err := after.Apply(back)
		if err != nil {
			t.Fatalf("%s: %v", added, err)
		}
		if diff := cmp.Diff(text, string(got)); diff != "" {
			t.Errorf("after\n%s\n(-want +got)\n%s", added, diff)
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	slot := []Edit{{Path: p("plugins.slots.memory"), Value: "m-1"}}
	for _, text := range []string{
		`{plugins: {$include: './plugins.json5'}}`,
		`{plugins: {slots: 'none'}}`,
		`[]`,
	} {
		f := fileWith(t, text)
		got, err := f.Apply(slot)
		var cannot *CannotError
		if !errors.As(err, &cannot) {
			t.Errorf("%s: %v %s; want CannotError", text, err, got)
		}
		if diff := cmp.Diff([]string{"openclaw config set plugins.slots.memory m-1"}, f.Commands(slot)); diff != "" {
			t.Errorf("commands (-want +got)\n%s", diff)
		}
	}
}

func TestWrite(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	f := fileWith(t, "{}\n")
	backup, err := f.Write([]byte("{a: 1}\n"), now)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{f.Path: "{a: 1}\n", backup: "{}\n"} {
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", path, got, err)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
	if _, err := f.Write([]byte("{b: 1}\n"), now); err == nil {
		t.Error("a file that changed meanwhile was overwritten")
	}
}

func TestDiffHidesSecrets(t *testing.T) {
	f := fileWith(t, "{\n  \"apiKey\": \"sk-very-secret\",\n  \"a\": 1\n}\n")
	text, err := f.Apply([]Edit{{Path: p("b"), Value: true}})
	if err != nil {
		t.Fatal(err)
	}
	got := f.Diff(text)
	if strings.Contains(got, "secret") || !strings.Contains(got, "+  \"b\": true") || !strings.HasPrefix(got, "--- ") {
		t.Errorf("diff:\n%s", got)
	}
}

// Whatever the text, an edit either leaves everything else as it was or refuses.
func FuzzApply(f *testing.F) {
	f.Add("{plugins: {slots: {other: 'x', // b\n},},}")
	f.Add("{\"plugins\": {\"a\": [1, {\"b\": \"}\"}]}}")
	f.Fuzz(func(t *testing.T, text string) {
		root, err := decode([]byte(text))
		if err != nil {
			return
		}
		file := &File{Path: "fuzz", Text: []byte(text), root: root}
		// Apply compares the decoded versions itself; here it must not panic.
		_, _ = file.Apply([]Edit{{Path: p("plugins.slots.memory"), Value: "m-1"}, {Path: p("plugins.a"), Remove: true}})
	})
}
