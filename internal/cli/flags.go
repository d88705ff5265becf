package cli

import (
	"errors"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
)

// flagValue is a flag whose value is checked while it is read: another value
// than the one that was typed would answer another question.
type flagValue struct {
	kind  string
	shown func() string
	set   func(string) error
}

func (v flagValue) String() string {
	if v.shown == nil { // the zero value, which cobra's help compares with
		return ""
	}
	return v.shown()
}

func (v flagValue) Set(s string) error { return v.set(s) }

func (v flagValue) Type() string { return v.kind }

// text is a flag with a check of its own.
func text(p *string, check func(string) error) flagValue {
	return flagValue{"string", func() string { return *p }, func(s string) error {
		if err := check(s); err != nil {
			return err
		}
		*p = s
		return nil
	}}
}

// scopeName refuses what cannot be a scope's name. It is never left aside, for
// then all scopes would answer.
func scopeName(p *string) flagValue {
	return text(p, func(s string) error {
		if !config.ValidScope(s) {
			return errors.New("a scope is 1 to 100 letters, digits and . _ : -, for example agent:main")
		}
		return nil
	})
}
