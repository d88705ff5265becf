package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// directory refuses the empty name: it is a variable that was not set, and not
// a wish for the configured database.
func directory(p *string) flagValue {
	return text(p, func(s string) error {
		if s == "" {
			return errors.New("name a directory, or leave the flag out for the configured one")
		}
		return nil
	})
}

// whole is a whole number with bounds.
func whole(p *int, value, least, most int) flagValue {
	*p = value
	return flagValue{"int", func() string { return strconv.Itoa(*p) }, func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return fmt.Errorf("give a whole number from %d to %d", least, most)
		}
		*p = n
		return nil
	}}
}

// fraction is a number from 0 to 1.
func fraction(p *float64, value float64) flagValue {
	*p = value
	return flagValue{"float", func() string { return strconv.FormatFloat(*p, 'g', -1, 64) }, func(s string) error {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || !(f >= 0 && f <= 1) { // not a number is neither
			return errors.New("give a number from 0 to 1")
		}
		*p = f
		return nil
	}}
}

// fileName refuses the empty name: it is a variable that was not set.
func fileName(p *string) flagValue {
	return text(p, func(s string) error {
		if s == "" {
			return errors.New("name a file")
		}
		return nil
	})
}

// oneOf takes one of a few words.
func oneOf(p *string, words ...string) flagValue {
	return text(p, func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("use %s", strings.Join(words, " or "))
		}
		return nil
	})
}
