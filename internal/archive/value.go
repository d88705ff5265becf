package archive

import (
	"errors"
	"fmt"
)

// What can be wrong with the shape of a JSON value.
var (
	errUnfinished = errors.New("the file ends in the middle of it")
	errTooLong    = fmt.Errorf("it is longer than %d MB", maxElement>>20)
	errShape      = errors.New("quotes or brackets do not match")
)

// value measures the JSON value that comes next, i bytes ahead, without
// consuming it. It looks only at quotes, brackets, and at what may follow what,
// so that damage is noticed where it is and does not swallow the rows behind it.
// With an error, the length is how far it looked.
func (in *input) value(i int) (int, error) {
	var open []byte // brackets, innermost last
	var last byte   // the last byte outside texts that is no space
	inText := false
	for begin := i; ; i++ {
		c, ok := in.at(i)
		switch {
		case !ok:
			return i - begin, errUnfinished
		case i-begin > maxElement:
			return i - begin, errTooLong
		case inText:
			switch c {
			case '\\':
				i++
			case '\n':
				return i - begin, errShape // texts have no line ends; this one lost its quote
			case '"':
				inText, last = false, '"'
				if len(open) == 0 {
					return i + 1 - begin, nil
				}
			}
			continue
		case isSpace(c):
			if len(open) == 0 && last != 0 {
				return i - begin, nil
			}
			continue
		}
		switch c {
		case '"':
			if ended(last) {
				return i - begin, errShape
			}
			inText = true
		case '{', '[':
			if ended(last) || (len(open) > 0 && open[len(open)-1] == '{' && last != ':') {
				return i - begin, errShape
			}
			open = append(open, c)
		case '}', ']':
			if len(open) == 0 && last != 0 {
				return i - begin, nil // a number or a word before the bracket that holds it
			}
			if len(open) == 0 || open[len(open)-1] != c-2 {
				return i - begin, errShape
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return i + 1 - begin, nil
			}
		case ',':
			if len(open) == 0 {
				if last == 0 {
					return i - begin, errShape
				}
				return i - begin, nil
			}
		case ':':
			if len(open) == 0 {
				return i - begin, errShape
			}
		default:
			if ended(last) {
				return i - begin, errShape
			}
		}
		last = c
	}
}

// ended reports whether a value ended with c, so that only a comma, a colon or a
// closing bracket may follow.
func ended(c byte) bool { return c == '"' || c == '}' || c == ']' }

// rowKeys are what a row begins with.
var rowKeys = []string{`"id"`, `"text"`, `"category"`, `"scope"`, `"importance"`, `"timestamp"`, `"vector"`, `"metadata"`}

// resync looks for the next row behind the first byte: a brace that holds one of
// the columns first. It returns how far away it is, or false with the length of
// what is left; no more than maxElement is looked at.
func (in *input) resync() (int, bool) {
	last := byte(',')
	for i := 1; i < maxElement; i++ {
		c, ok := in.at(i)
		if !ok {
			return i, false
		}
		if c == '{' && last != ':' && in.startsRow(i+1) {
			return i, true
		}
		if !isSpace(c) {
			last = c
		}
	}
	return maxElement, false
}

func (in *input) startsRow(i int) bool {
	c, ok := in.at(i)
	for ; ok && isSpace(c); c, ok = in.at(i) {
		i++
	}
	for _, key := range rowKeys {
		if _, ok := in.at(i + len(key) - 1); ok && string(in.buf[in.pos+i:in.pos+i+len(key)]) == key {
			return true
		}
	}
	return false
}
