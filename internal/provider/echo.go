package provider

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Servers repeat what they were sent: one that checks its input answers "value is
// not valid" with the value behind it. What was sent are questions and memories,
// and an error goes into logs.

const (
	// echoBytes in a row that stand in a text as well are no accident.
	echoBytes = 24
	// echoShort is the shortest text that is looked for as a whole, in quotes.
	echoShort = 3
	quoted    = "[text]"
)

// SaidError is an answer that is no failure by its status, and yet says that it is
// one, or is none that can be read.
type SaidError struct {
	// What happened, in our words; Said are the server's.
	What, Said string
	Err        error
}

func (e *SaidError) Error() string {
	if said := Public(e.Said); said != "" {
		return fmt.Sprintf("%s (it said: %s): %v", e.What, said, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.What, e.Err)
}

func (e *SaidError) Unwrap() error { return e.Err }

// Redact takes the keys and the texts of a request out of what the provider said
// about it, in place, so before anybody else has the error. Errors of other kinds are
// left as they are.
func Redact(err error, secrets []string, texts ...string) error {
	var status *StatusError
	if errors.As(err, &status) {
		status.Message = unquoted(Public(status.Message, secrets...), texts)
	}
	var said *SaidError
	if errors.As(err, &said) {
		said.Said = unquoted(Public(said.Said, secrets...), texts)
	}
	var request *url.Error // which quotes headers that cannot be read
	if errors.As(err, &request) {
		was := request.Err.Error()
		if words := unquoted(Public(was, secrets...), texts); strings.Contains(words, quoted) && !strings.Contains(was, quoted) {
			request.Err = &maskedError{words, request.Err}
		}
	}
	return err
}

// maskedError is an error in other words.
type maskedError struct {
	words string
	err   error
}

func (e *maskedError) Error() string { return e.words }
func (e *maskedError) Unwrap() error { return e.err }

// unquoted is a message without runs of 24 bytes that are part of one of the texts,
// and without shorter texts in quotes.
func unquoted(message string, texts []string) string {
	grams := map[string][]int{} // where each run of the message begins
	for i := 0; i+echoBytes <= len(message); i++ {
		grams[message[i:i+echoBytes]] = append(grams[message[i:i+echoBytes]], i)
	}
	repeated := make([]bool, len(message))
	for _, text := range texts {
		text = oneLine(text)
		if len(text) < echoBytes {
			continue
		}
		for i := 0; i+echoBytes <= len(text); i++ {
			for _, at := range grams[text[i:i+echoBytes]] {
				for k := range echoBytes {
					repeated[at+k] = true
				}
			}
		}
	}
	message = without(message, repeated)
	for _, text := range texts {
		if text = oneLine(text); len(text) < echoShort || len(text) >= echoBytes {
			continue
		}
		for _, q := range []string{`"`, `'`, "`", `\"`} {
			message = strings.ReplaceAll(message, q+text+q, q+quoted+q)
		}
	}
	return message
}

// without replaces the marked bytes; a character that is marked in part goes whole.
func without(message string, marked []bool) string {
	var b strings.Builder
	gone := false
	for at := 0; at < len(message); {
		_, n := utf8.DecodeRuneInString(message[at:])
		hit := false
		for k := range n {
			hit = hit || marked[at+k]
		}
		switch {
		case !hit:
			b.WriteString(message[at : at+n])
		case !gone:
			b.WriteString(quoted)
		}
		gone, at = hit, at+n
	}
	return b.String()
}
