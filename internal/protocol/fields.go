package protocol

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// params reads fields one by one and keeps the first error. Absent and null
// mean the default. Unknown fields are ignored: models add them, and refusing
// the call would lose the memory.
type params struct {
	tool   string
	fields map[string]json.RawMessage
	err    error
}

func openParams(tool string, raw json.RawMessage) (*params, error) {
	p := &params{tool: tool}
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if !utf8.Valid(raw) {
		return nil, &ParamError{Tool: tool, Problem: "parameters must be UTF-8"}
	}
	if err := json.Unmarshal(raw, &p.fields); err != nil {
		return nil, &ParamError{Tool: tool, Problem: "parameters must be a JSON object"}
	}
	return p, nil
}

func (p *params) fail(name, problem string) {
	if p.err == nil {
		p.err = &ParamError{Tool: p.tool, Param: name, Problem: problem}
	}
}

// get decodes a field; ok is false when it is absent or null.
func (p *params) get(name string) (v any, ok bool) {
	raw, present := p.fields[name]
	if !present || json.Unmarshal(raw, &v) != nil || v == nil {
		return nil, false
	}
	if _, isString := v.(string); isString && loneSurrogate(raw) {
		p.fail(name, "holds half of a surrogate pair, which is no character; send the text again as it was written")
	}
	return v, true
}

// loneSurrogate reports whether a JSON string escapes half a character. The
// decoder would put U+FFFD in its place, and the text would no longer be what
// the caller sent.
func loneSurrogate(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++ // whatever is escaped is no beginning of an escape
		if r := escaped(raw[i-1:]); utf16.IsSurrogate(r) {
			if i+11 > len(raw) || utf16.DecodeRune(r, escaped(raw[i+5:])) == utf8.RuneError {
				return true
			}
			i += 10
		}
	}
	return false
}

// escaped is the code unit of an escape \uXXXX at the start of raw, else -1.
func escaped(raw []byte) rune {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

// text is a required string with something in it.
func (p *params) text(name string) string {
	v, ok := p.get(name)
	if !ok {
		p.fail(name, "is required")
		return ""
	}
	s, isString := v.(string)
	switch {
	case !isString:
		p.fail(name, "must be a string, not "+kind(v))
	case strings.TrimSpace(s) == "":
		p.fail(name, "is empty; write some text")
	}
	return s
}

// word is an optional string.
func (p *params) word(name string) string {
	v, ok := p.get(name)
	if !ok {
		return ""
	}
	s, isString := v.(string)
	if !isString {
		p.fail(name, "must be a string, not "+kind(v))
	}
	return strings.TrimSpace(s)
}

// optional is an optional string kept as it is written; a blank one counts as
// left out.
func (p *params) optional(name string) string {
	v, ok := p.get(name)
	if !ok {
		return ""
	}
	s, isString := v.(string)
	if !isString {
		p.fail(name, "must be a string, not "+kind(v))
	}
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return s
}

// short refuses what is too long to be searched for.
func (p *params) short(name, value string) {
	if n := utf8.RuneCountInString(value); n > MaxQueryChars {
		p.fail(name, fmt.Sprintf("has %d characters; at most %d are searched, so shorten it to the words that matter", n, MaxQueryChars))
	}
}

// flag is an optional boolean; models often write it as a string.
func (p *params) flag(name string) bool {
	v, ok := p.get(name)
	if !ok {
		return false
	}
	switch v := v.(type) {
	case bool:
		return v
	case string:
		if b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(v))); err == nil {
			return b
		}
		p.fail(name, fmt.Sprintf("must be true or false, not %.40q", v))
	default:
		p.fail(name, "must be true or false, not "+kind(v))
	}
	return false
}

// number is an optional number, also as a numeric string, moved into [low, high].
func (p *params) number(name string, fallback, low, high float64) float64 {
	v, ok := p.get(name)
	if !ok {
		return fallback
	}
	var n float64
	switch v := v.(type) {
	case float64:
		n = v
	case string:
		var err error
		if n, err = strconv.ParseFloat(strings.TrimSpace(v), 64); err != nil || math.IsNaN(n) {
			p.fail(name, fmt.Sprintf("must be a number from %g to %g, not %.40q", low, high, v))
			return fallback
		}
	default:
		p.fail(name, fmt.Sprintf("must be a number from %g to %g, not %s", low, high, kind(v)))
		return fallback
	}
	return min(max(n, low), high)
}

// whole is number rounded down.
func (p *params) whole(name string, fallback, low, high int) int {
	return int(math.Floor(p.number(name, float64(fallback), float64(low), float64(high))))
}

func (p *params) category(fallback string) string {
	s := strings.ToLower(p.word("category"))
	if s == "" {
		return fallback
	}
	if !slices.Contains(memory.CategoryNames(), s) {
		p.fail("category", fmt.Sprintf("is %.40q; choose one of %s", s, strings.Join(memory.CategoryNames(), ", ")))
	}
	return s
}

func kind(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case float64:
		return "a number"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
