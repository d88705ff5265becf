package host

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/titanous/json5"
)

// node is a value and where it stands in the text. The values themselves come
// from the JSON5 decoder; this only knows places, so that an edit can leave
// every other byte alone.
type node struct {
	start, end int
	kind       byte // '{', '[' or 0 for anything else
	members    []member
	trailing   bool // a comma after the last member
}

// member is an element of an object or, without a key, of an array.
type member struct {
	key        string
	start      int // of the key, or of the element
	quoted     bool
	value      node
	afterComma int // the offset after the comma that follows, 0 without one
}

type scanner struct {
	text string
	at   int
}

// scan finds the places of all values.
func scan(text string) (n node, err error) {
	s := &scanner{text: text}
	defer func() {
		if r := recover(); r != nil {
			problem, ok := r.(scanError)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("line %d: %s", 1+strings.Count(text[:min(s.at, len(text))], "\n"), string(problem))
		}
	}()
	n = s.value()
	s.space()
	if s.at < len(s.text) {
		s.fail("something follows the configuration")
	}
	return n, nil
}

type scanError string

func (s *scanner) fail(format string, args ...any) { panic(scanError(fmt.Sprintf(format, args...))) }

func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// space skips white space and comments.
func (s *scanner) space() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case strings.HasPrefix(rest, "//"):
			s.at += lineEnd(rest)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				s.fail("a comment does not end")
			}
			s.at += end + 4
		default:
			r, size := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(r) && r != '\ufeff' {
				return
			}
			s.at += size
		}
	}
}

func lineEnd(s string) int {
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		return i
	}
	return len(s)
}

func (s *scanner) value() node {
	s.space()
	n := node{start: s.at}
	switch c := s.peek(); c {
	case '{', '[':
		n.kind = c
		s.at++
		s.elements(&n)
	case '"', '\'':
		s.quoted()
	default:
		if s.word() == "" {
			s.fail("a value is missing")
		}
	}
	n.end = s.at
	return n
}

func (s *scanner) elements(n *node) {
	closing := byte('}')
	if n.kind == '[' {
		closing = ']'
	}
	for {
		s.space()
		if s.peek() == closing {
			s.at++
			return
		}
		m := member{start: s.at}
		if n.kind == '{' {
			s.key(&m)
		}
		m.value = s.value()
		s.space()
		n.trailing = s.peek() == ','
		if n.trailing {
			s.at++
			m.afterComma = s.at
		} else if s.peek() != closing {
			s.fail("expected a comma or %q", closing)
		}
		n.members = append(n.members, m)
	}
}

func (s *scanner) key(m *member) {
	if c := s.peek(); c == '"' || c == '\'' {
		m.quoted = true
		m.key = s.quoted()
	} else if m.key = s.word(); m.key == "" || strings.Contains(m.key, `\`) {
		s.fail("a key cannot be read")
	}
	s.space()
	if s.peek() != ':' {
		s.fail("expected a colon after %q", m.key)
	}
	s.at++
}

// quoted skips a string and returns what it says.
func (s *scanner) quoted() string {
	start, quote := s.at, s.peek()
	for s.at++; s.at < len(s.text) && s.peek() != quote; s.at++ {
		if s.peek() == '\\' {
			s.at++
		}
	}
	if s.at >= len(s.text) {
		s.at = start
		s.fail("a string does not end")
	}
	s.at++
	var said string
	if err := json5.Unmarshal([]byte(s.text[start:s.at]), &said); err != nil {
		s.at = start
		s.fail("a string cannot be read: %v", err)
	}
	return said
}

// word skips a number, a literal or a bare key.
func (s *scanner) word() string {
	start := s.at
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if strings.ContainsRune(`{}[]:,"'/`, r) || unicode.IsSpace(r) {
			break
		}
		s.at += size
	}
	return s.text[start:s.at]
}

// child finds a member; of several with one name the last counts, as for every
// reader of the file.
func (n node) child(key string) (int, bool) {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return i, true
		}
	}
	return 0, false
}
