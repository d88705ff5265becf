package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Error holds every problem found in a configuration. Unless it is Fatal, the
// Config beside it is usable: each problem's key counts as absent.
type Error struct {
	Problems []error
	// Fatal says that nothing of the configuration could be read.
	Fatal bool
}

func (e *Error) Error() string {
	return "reading the configuration of memory-lancedb-pro: " + errors.Join(e.Problems...).Error()
}

// Unwrap gives the problems to errors.Is and errors.As.
func (e *Error) Unwrap() []error { return e.Problems }

// Without takes the problems that are target out of an error of Parse.
func Without(err, target error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	rest := slices.DeleteFunc(slices.Clone(e.Problems), func(p error) bool { return errors.Is(p, target) })
	if len(rest) == 0 {
		return nil
	}
	return &Error{Problems: rest, Fatal: e.Fatal}
}

// Fatal reports whether an error of Parse or Load leaves nothing to go on with.
func Fatal(err error) bool {
	var e *Error
	return err != nil && (!errors.As(err, &e) || e.Fatal)
}

// fatal is a configuration of which nothing can be used.
func fatal(err error) *Error { return &Error{Problems: []error{err}, Fatal: true} }

// KeyError is one wrong value.
type KeyError struct{ Key, Found, Allowed string }

func (e *KeyError) Error() string {
	return fmt.Sprintf("%s: found %s; allowed: %s", e.Key, e.Found, e.Allowed)
}

// allowed says what a key takes.
func (k Key) allowed() string {
	switch {
	case len(k.Enum) > 0 && k.Type == "list":
		return "a list of " + strings.Join(k.Enum, ", ")
	case len(k.Enum) > 0:
		return strings.Join(k.Enum, " or ")
	}
	zero := ""
	if k.ZeroToo {
		zero = "0, or "
	}
	switch k.Type {
	case "boolean":
		return "true or false"
	case "integer":
		return fmt.Sprintf("%sa whole number from %s to %s", zero, decimal(k.Min), decimal(k.Max))
	case "number":
		return fmt.Sprintf("%sa number from %s to %s", zero, decimal(k.Min), decimal(k.Max))
	case "list":
		return "a list of strings"
	case "object":
		return "an object"
	case "secret":
		return `a string, or {"source": "env" or "file", "id": name or path}`
	}
	return "a string"
}

// decimal writes a bound as people write it, without an exponent.
func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// describe says what a value is without repeating a long one.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		if len(v) > 30 {
			return "a very long number"
		}
		return v.String()
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
