package config

import (
	"encoding/json"
)

// Setting is what a key came out as.
type Setting struct {
	Key Key
	// Value is nil for a key without a value or default; of a secret only its
	// presence is told.
	Value any
	// Set says that the configuration names the key.
	Set bool
}

// Effective lists every key with its value, for people who ask what counts. It
// needs no usable configuration unless the error is Fatal.
func Effective(raw json.RawMessage, env Env) ([]Setting, error) {
	p, err := parse(raw, env)
	if err != nil {
		return nil, err
	}
	all := make([]Setting, 0, len(keys))
	for _, k := range keys {
		_, set := p.given[k.Path]
		s := Setting{Key: k, Value: p.values[k.Path], Set: set}
		if k.Sensitive() && s.Value != nil {
			s.Value = "(set)"
		}
		all = append(all, s)
	}
	return all, nil
}
