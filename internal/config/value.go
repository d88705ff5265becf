package config

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// assign sets one key from the input or its default.
func (p *parser) assign(k Key) {
	v, given := p.given[k.Path]
	inUse := p.on(k)
	if k.Path == "dbPath" && p.env.DBPath != "" {
		p.keep(k, p.env.DBPath, true)
		return
	}
	if s, ok := v.(string); ok && strings.TrimSpace(s) == "" {
		given = false // what is left of an unset template
	}
	if given && k.AliasOf != "" {
		p.values[k.Path] = v // of an older name, for Effective; its target checks it
	} else if given {
		if out, ok := p.check(k, v, inUse); ok {
			p.keep(k, out, inUse)
			return
		}
	}
	if k.Default != nil {
		p.keep(k, k.Default, inUse)
	}
}

func (p *parser) keep(k Key, v any, inUse bool) {
	p.values[k.Path] = v
	if k.set != nil && inUse {
		k.set(&p.c, v)
	}
}

// check brings a value into the type of its key. Of a feature that is off only
// the form is looked at, and nobody hears of it.
func (p *parser) check(k Key, v any, inUse bool) (any, bool) {
	asWritten := k
	if older, ok := p.written[k.Path]; ok {
		asWritten.Path = older
	}
	out, err := p.convert(asWritten, v, inUse)
	if err != nil {
		if inUse {
			p.problem(k, err)
		}
		return nil, false
	}
	return out, true
}

func (p *parser) convert(k Key, v any, inUse bool) (any, error) {
	switch k.Type {
	case "secret":
		if !inUse {
			return []string{}, nil
		}
		return p.secrets(k, v)
	case "list":
		return p.list(k, v)
	case "object":
		if _, ok := v.(map[string]any); !ok {
			return nil, k.wrong(v)
		}
		return v, nil
	}
	if s, ok := v.(string); ok {
		expanded, err := p.expand(k.Path, s)
		if err != nil {
			return nil, err
		}
		v = strings.TrimSpace(expanded)
	}
	switch k.Type {
	case "boolean":
		return boolean(k, v)
	case "string":
		return enumerated(k, v)
	default:
		return p.number(k, v)
	}
}

func boolean(k Key, v any) (any, error) {
	switch v := v.(type) {
	case bool:
		return v, nil
	case string:
		if strings.EqualFold(v, "true") || strings.EqualFold(v, "false") {
			return strings.EqualFold(v, "true"), nil
		}
	}
	return nil, k.wrong(v)
}

func enumerated(k Key, v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, k.wrong(v)
	}
	if len(k.Enum) == 0 {
		return s, nil
	}
	if i := slices.IndexFunc(k.Enum, func(e string) bool { return strings.EqualFold(e, s) }); i >= 0 {
		return k.Enum[i], nil
	}
	return nil, k.wrong(v)
}

// number takes numbers and numbers written as strings.
func (p *parser) number(k Key, v any) (any, error) {
	var n float64
	var err error
	switch v := v.(type) {
	case json.Number:
		n, err = v.Float64()
	case string:
		n, err = strconv.ParseFloat(v, 64)
	default:
		return nil, k.wrong(v)
	}
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || (k.Type == "integer" && n != math.Trunc(n)) {
		return nil, k.wrong(v)
	}
	if within := min(max(n, k.Min), k.Max); within != n && (n != 0 || !k.ZeroToo) {
		if k.Exact {
			return nil, k.wrong(v)
		}
		p.c.notice("%s: %s is outside %s to %s; %s is used", k.Path, decimal(n), decimal(k.Min), decimal(k.Max), decimal(within))
		n = within
	}
	if k.Type == "integer" {
		return int(n), nil
	}
	return n, nil
}

// list takes a list of strings, or one string for a list of one.
func (p *parser) list(k Key, v any) (any, error) {
	items, ok := v.([]any)
	if !ok {
		items = []any{v}
	}
	out := []string{}
	for _, item := range items {
		s, ok := item.(string)
		if !ok {
			return nil, k.wrong(v)
		}
		s, err := p.expand(k.Path, s)
		if err != nil {
			return nil, err
		}
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		if len(k.Enum) > 0 && !slices.Contains(k.Enum, s) {
			return nil, k.wrong(s)
		}
		out = append(out, s)
	}
	return out, nil
}

func (k Key) wrong(v any) error { return &KeyError{k.Path, describe(v), k.allowed()} }
