package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Parse checks a configuration object as the host or a file gives it. Empty
// input and null are an empty configuration.
func Parse(raw json.RawMessage, env Env) (Config, error) {
	p := parser{env: env.orOS(), flat: map[string]any{}}
	if err := p.flatten(raw); err != nil {
		return Config{}, err
	}
	var c Config
	if _, present := p.flat["embedding"]; present {
		c.Embedding = &Embedding{}
	}
	for _, k := range keys {
		if strings.HasPrefix(k.Path, "embedding.") && c.Embedding == nil {
			continue
		}
		p.assign(&c, k)
	}
	if c.Embedding != nil {
		p.finishEmbedding(&c)
	}
	p.finishPath(&c)
	p.noteUnknown(&c)
	if len(p.errs) > 0 {
		return Config{}, &Error{Problems: p.errs}
	}
	return c, nil
}

// Error is a configuration that cannot be used, with every problem found.
type Error struct{ Problems []error }

func (e *Error) Error() string {
	return "reading the configuration of memory-lancedb-pro: " + errors.Join(e.Problems...).Error()
}

// Unwrap gives the problems to errors.Is and errors.As.
func (e *Error) Unwrap() []error { return e.Problems }

// KeyError is one wrong value.
type KeyError struct{ Key, Found, Allowed string }

func (e *KeyError) Error() string {
	return fmt.Sprintf("%s: found %s; allowed: %s", e.Key, e.Found, e.Allowed)
}

type parser struct {
	env  Env
	flat map[string]any
	errs []error
}

// blocks are the keys that hold other keys.
var blocks = []string{"embedding", "retrieval"}

// flatten turns the object into dotted keys, one level deep, because that is
// how deep the settings go. Some hosts wrap the object as {"config": {…}}.
func (p *parser) flatten(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	var top any
	if err := json.Unmarshal(raw, &top); err != nil {
		return &Error{Problems: []error{fmt.Errorf("the configuration is not JSON: %w", err)}}
	}
	if top == nil {
		return nil
	}
	object, ok := top.(map[string]any)
	if !ok {
		return &Error{Problems: []error{&KeyError{"config", describe(top), "an object"}}}
	}
	if inner, wrapped := object["config"].(map[string]any); wrapped && object["embedding"] == nil {
		object = inner
	}
	for name, v := range object {
		if !slices.Contains(blocks, name) {
			p.flat[name] = v
			continue
		}
		if v == nil {
			continue
		}
		block, ok := v.(map[string]any)
		if !ok {
			p.errs = append(p.errs, &KeyError{name, describe(v), "an object"})
			continue
		}
		p.flat[name] = block
		for sub, v := range block {
			p.flat[name+"."+sub] = v
		}
	}
	return nil
}

// assign sets one key from the input or its default.
func (p *parser) assign(c *Config, k Key) {
	v, present := p.flat[k.Path]
	if !present || v == nil {
		if k.Default != nil {
			k.set(c, k.Default)
		}
		return
	}
	if k.Type == "secret" {
		secrets, err := p.secrets(k.Path, v)
		if err != nil {
			p.errs = append(p.errs, err)
			return
		}
		k.set(c, secrets)
		return
	}
	if s, ok := v.(string); ok {
		expanded, err := p.expand(k.Path, s)
		if err != nil {
			p.errs = append(p.errs, err)
			return
		}
		v = expanded
	}
	switch k.Type {
	case "boolean":
		b, ok := v.(bool)
		if s, isString := v.(string); isString && (s == "true" || s == "false") {
			b, ok = s == "true", true
		}
		if !ok {
			p.wrong(k, v)
			return
		}
		k.set(c, b)
	case "string":
		s, ok := v.(string)
		if !ok || (len(k.Enum) > 0 && !slices.Contains(k.Enum, s)) {
			p.wrong(k, v)
			return
		}
		k.set(c, s)
	default:
		p.assignNumber(c, k, v)
	}
}

func (p *parser) assignNumber(c *Config, k Key, v any) {
	n, ok := v.(float64)
	if s, isString := v.(string); isString {
		parsed, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		n, ok = parsed, err == nil
	}
	if !ok || math.IsNaN(n) || math.IsInf(n, 0) || (k.Type == "integer" && n != math.Trunc(n)) {
		p.wrong(k, v)
		return
	}
	if within := min(max(n, k.Min), k.Max); within != n {
		c.notice("%s: %g is outside %g to %g; %g is used", k.Path, n, k.Min, k.Max, within)
		n = within
	}
	if k.Type == "integer" {
		k.set(c, int(n))
		return
	}
	k.set(c, n)
}

func (p *parser) wrong(k Key, v any) {
	allowed := map[string]string{"boolean": "true or false", "string": "a string"}[k.Type]
	switch {
	case len(k.Enum) > 0:
		allowed = strings.Join(k.Enum, " or ")
	case k.Type == "integer":
		allowed = fmt.Sprintf("a whole number from %g to %g", k.Min, k.Max)
	case k.Type == "number":
		allowed = fmt.Sprintf("a number from %g to %g", k.Min, k.Max)
	}
	p.errs = append(p.errs, &KeyError{k.Path, describe(v), allowed})
}

func (p *parser) noteUnknown(c *Config) {
	known := slices.Clone(blocks)
	for _, k := range keys {
		known = append(known, k.Path)
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(p.flat)) {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		c.notice("this version does not use these keys and ignores them: %s", strings.Join(unknown, ", "))
	}
}

// placeholder is what "${NAME}" looks like in a string.
var placeholder = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

func (p *parser) expand(key, s string) (string, error) {
	var missing string
	out := placeholder.ReplaceAllStringFunc(s, func(m string) string {
		v, ok := p.env.Lookup(m[2 : len(m)-1])
		if !ok && missing == "" {
			missing = m[2 : len(m)-1]
		}
		return v
	})
	if missing != "" {
		return "", fmt.Errorf("%s: the environment variable %s is not set; set it where the gateway runs, or write the value itself", key, missing)
	}
	return out, nil
}

// describe says what a value is without repeating a long one.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		if len(v) > 60 {
			return "a string of " + strconv.Itoa(len(v)) + " bytes"
		}
		return strconv.Quote(v)
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
