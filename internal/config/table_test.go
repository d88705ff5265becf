package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// legal gives values other than the default that a key takes, and what they
// come out as.
func legal(k Key) []struct {
	raw  string
	want any
} {
	type pair = struct {
		raw  string
		want any
	}
	switch k.Type {
	case "boolean":
		return []pair{{fmt.Sprint(k.Default != true), k.Default != true}}
	case "integer":
		n := int(k.Max)
		return []pair{{fmt.Sprint(n), n}, {fmt.Sprintf("%q", fmt.Sprint(n)), n}}
	case "number":
		return []pair{{fmt.Sprint(k.Max), k.Max}}
	case "list":
		one := "one"
		if len(k.Enum) > 0 {
			one = k.Enum[0]
		}
		if k.Path == "autoRecallCategories" {
			one = "fact"
		}
		return []pair{{fmt.Sprintf("[%q]", one), []string{one}}}
	case "object":
		return []pair{{`{"x":{"description":"y"}}`, nil}}
	case "secret":
		if slices.Contains(lockAddress, k.Path) {
			return []pair{{`"redis://127.0.0.1"`, "(set)"}}
		}
		return []pair{{`"sk"`, "(set)"}}
	}
	if len(k.Enum) > 0 {
		var all []pair
		for _, e := range k.Enum {
			all = append(all, pair{fmt.Sprintf("%q", e), e})
		}
		return all
	}
	return []pair{{`"/some text"`, "/some text"}}
}

// switches are what has to be on for a key to be looked at.
var switches = map[string]string{
	"embedding": `"apiKey":"k","baseURL":"http://127.0.0.1:1"`, "memoryReflection": "", "mdMirror": `"enabled":true`,
}

// nest writes a dotted path as the object it means.
func nest(path, raw string) string {
	parts := strings.Split(path, ".")
	out := raw
	for i := len(parts) - 1; i >= 0; i-- {
		beside := ""
		if i == 1 && switches[parts[0]] != "" && !strings.Contains(switches[parts[0]], `"`+parts[1]+`"`) {
			beside = switches[parts[0]] + ","
		}
		out = fmt.Sprintf("{%s%q:%s}", beside, parts[i], out)
	}
	return out
}

// incomplete are keys that need another beside them.
var incomplete = []string{"scopes.default", "scopes.agentAccess", "locking.redis.enabled"}

// B117: every declared key shows with the value that was set, and is either
// read by something or owns up to waiting.
func TestEveryKeyCounts(t *testing.T) {
	for _, k := range Keys() {
		for _, value := range legal(k) {
			raw := nest(k.Path, value.raw)
			settings, err := Effective(json.RawMessage(raw), testEnv(nil))
			if err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			i := slices.IndexFunc(settings, func(s Setting) bool { return s.Key.Path == k.Path })
			got := settings[i]
			if !got.Set || (value.want != nil && k.AliasOf == "" && !k.Sensitive() && fmt.Sprint(got.Value) != fmt.Sprint(value.want)) {
				t.Errorf("%s: effective value %v (set %t), want %v", raw, got.Value, got.Set, value.want)
			}
			if k.Sensitive() && got.Value != nil && got.Value != "(set)" {
				t.Errorf("%s: a secret was shown: %v", raw, got.Value)
			}
			c := parsed(t, raw, testEnv(nil))
			if len(c.Problems) > 0 && !slices.Contains(incomplete, k.Path) {
				t.Errorf("%s: %q", raw, c.Problems)
			}
			if k.Built == slices.Contains(NotBuilt(c), k.Path) && k.Built {
				t.Errorf("%s: built, but named as waiting", raw)
			}
		}
		if k.Label == "" {
			t.Errorf("%s has no label", k.Path)
		}
	}
}

func TestOutOfRange(t *testing.T) {
	for _, k := range Keys() {
		if k.Type != "integer" && k.Type != "number" {
			continue
		}
		if k.Max <= k.Min {
			t.Errorf("%s has no range", k.Path)
		}
		if !isOn(k) || k.AliasOf != "" {
			continue
		}
		_, name := parent(k.Path)
		for _, raw := range []string{"-1e300", "1e300", "-7", `"99999999999999999999999999"`} {
			if c := parsed(t, nest(k.Path, raw), testEnv(nil)); !strings.Contains(said(c), name+":") {
				t.Errorf("%s = %s: nothing was said: %q", k.Path, raw, said(c))
			}
		}
	}
}

// isOn leaves out keys of features that are off by default.
func isOn(k Key) bool {
	return !strings.HasPrefix(k.Path, "embedding.") && !strings.HasPrefix(k.Path, "memoryReflection.") &&
		(&parser{given: map[string]any{}, values: defaults()}).on(k)
}

func defaults() map[string]any {
	p, err := parse(nil, testEnv(nil))
	if err != nil {
		panic(err)
	}
	return p.values
}

func TestNotBuilt(t *testing.T) {
	c := parsed(t, `{"smartExtraction":true,"sessionStrategy":"none","retrieval":{"rerank":"none","rerankModel":"x","recencyWeight":0.2,"filterNoise":true},
		"mdMirror":{"enabled":false,"dir":"/m"},"dreaming":{"enabled":"false","frequency":"x"},"autoRecallMinRepeated":0,"decay":{"betaCore":1},"autoRecall":true,
		"memoryReflection":{"messageCount":5},"storageMaintenance":{"autoCleanup":{"enabled":true}}}`, testEnv(nil))
	want := []string{"smartExtraction"}
	if !slices.Equal(NotBuilt(c), want) {
		t.Errorf("NotBuilt = %q, want %q", NotBuilt(c), want)
	}
	on := parsed(t, `{"sessionStrategy":"memoryReflection","memoryReflection":{"messageCount":5},"dreaming":{"enabled":true,"frequency":"x"}}`, testEnv(nil))
	if want := []string{"sessionStrategy", "memoryReflection.messageCount", "dreaming.enabled", "dreaming.frequency"}; !slices.Equal(NotBuilt(on), want) {
		t.Errorf("NotBuilt = %q, want %q", NotBuilt(on), want)
	}
}

func TestScopes(t *testing.T) {
	env := testEnv(map[string]string{"CLAWTEAM_MEMORY_SCOPE": "custom:team, ,bad name"})
	c := parsed(t, `{"scopes":{"default":"work","definitions":{"work":{"description":"the office"}},
		"agentAccess":{" alice ":["work","global"],"system":["global"],"bob":"work","carol":["a'b"],"dave":7,"":["work"]}}}`, env)
	for agent, want := range map[string][]string{
		"alice": {"work", "global"}, "system": {"global"}, "bob": {"work"}, "carol": {"agent:carol"}, "dave": {"agent:dave"},
	} {
		if !slices.Equal(c.Scopes.Access[agent], want) {
			t.Errorf("%s reaches %q, want %q", agent, c.Scopes.Access[agent], want)
		}
	}
	if c.Scopes.Default != "work" || !slices.Equal(c.Scopes.Everyone, []string{"custom:team"}) || len(c.Problems) != 3 {
		t.Errorf("%+v\n%s", c.Scopes, said(c))
	}
	if c := parsed(t, `{"scopes":{"agentAccess":["alice"]}}`, testEnv(nil)); !c.Scopes.OwnOnly || len(c.Problems) != 1 {
		t.Errorf("%+v %q", c.Scopes, c.Problems)
	}
}

// Any input gives a result or an error that names a key, and never a panic.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"config":{"config":{}}}`, `{"embedding":{"apiKey":["${A}",{"source":"env","id":"A"}],"dimensions":"1e3"}}`,
		`{"scopes":{"definitions":{"a b":1},"agentAccess":{"x":["y",3]},"default":"\u0000"}}`, `{"dbPath":"file:///%zz"}`, `{"dreaming":{"phases":{"deep":7}}}`,
		`{"autoRecallMaxItems":1e999,"autoRecallMinLength":-0.0,"retrieval":{"minScore":"NaN"}}`, "{\"\xff\":1}", `{"autoRecall":true}x`,
	} {
		f.Add([]byte(seed))
	}
	known := slices.Clone(blocks)
	for _, k := range Keys() {
		known = append(known, k.Path)
	}
	env := Env{Lookup: func(name string) (string, bool) { return "v", name == "A" }, Home: "/home/ada", BaseDir: "/state"}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := Parse(raw, env)
		if err == nil {
			if c.DBPath == "" || len(c.Problems) > 0 {
				t.Errorf("no error, but path %q and problems %q", c.DBPath, c.Problems)
			}
			return
		}
		e, ok := err.(*Error)
		if !ok || len(e.Problems) == 0 {
			t.Fatalf("error %T without problems", err)
		}
		for _, problem := range e.Problems {
			text := problem.Error()
			named := strings.HasPrefix(text, "config:") || slices.ContainsFunc(known, func(path string) bool { return strings.Contains(text, path) })
			if !named {
				t.Errorf("the error names no key: %q", text)
			}
		}
	})
}
