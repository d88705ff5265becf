package protocol

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// ParamError is a tool parameter that cannot be used. Its text is for the
// model, which can correct the call.
type ParamError struct {
	Tool, Param string
	// Problem says what was found and what is allowed.
	Problem string
}

func (e *ParamError) Error() string {
	if e.Param == "" {
		return e.Tool + ": " + e.Problem
	}
	return fmt.Sprintf("%s: parameter %q %s", e.Tool, e.Param, e.Problem)
}

// RecallArgs are the checked parameters of memory_recall.
type RecallArgs struct {
	Query    string
	Limit    int
	FullText bool
	MaxChars int
	Scope    string
	Category string
}

// StoreArgs are the checked parameters of memory_store.
type StoreArgs struct {
	Text       string
	Importance float64
	Category   string
	Scope      string
	Force      bool
}

// ParseRecall checks what a model sent to memory_recall.
func ParseRecall(raw json.RawMessage) (RecallArgs, error) {
	p, err := openParams(ToolRecall, raw)
	if err != nil {
		return RecallArgs{}, err
	}
	args := RecallArgs{
		Query:    p.text("query"),
		Limit:    p.whole("limit", DefaultLimit, 1, MaxLimit),
		FullText: p.flag("includeFullText"),
		MaxChars: p.whole("maxCharsPerItem", DefaultMaxChars, MinMaxChars, MaxMaxChars),
		Scope:    p.word("scope"),
		Category: p.category(""),
	}
	if n := utf8.RuneCountInString(args.Query); p.err == nil && n > MaxQueryChars {
		p.fail("query", fmt.Sprintf("has %d characters; at most %d are searched, so shorten it to the words that matter", n, MaxQueryChars))
	}
	return args, p.err
}

// ParseStore checks what a model sent to memory_store.
func ParseStore(raw json.RawMessage) (StoreArgs, error) {
	p, err := openParams(ToolStore, raw)
	if err != nil {
		return StoreArgs{}, err
	}
	args := StoreArgs{
		Text:       p.text("text"),
		Importance: p.number("importance", DefaultImportance, 0, 1),
		Category:   p.category(DefaultCategory),
		Scope:      p.word("scope"),
		Force:      p.flag("force"),
	}
	return args, p.err
}

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
	return v, true
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
		p.fail(name, fmt.Sprintf("must be true or false, not %q", v))
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
			p.fail(name, fmt.Sprintf("must be a number from %g to %g, not %q", low, high, v))
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
		p.fail("category", fmt.Sprintf("is %q; choose one of %s", s, strings.Join(memory.CategoryNames(), ", ")))
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
