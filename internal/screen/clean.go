package screen

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"
)

// ErrNotUTF8 says that a text is not valid UTF-8.
var ErrNotUTF8 = errors.New("the text is not valid UTF-8; convert it to UTF-8 and send it again")

// terminal matches escape sequences of terminals, which are removed whole: of
// "\x1b[31m" the rest would stay as "[31m".
var terminal = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])")

// Clean makes text fit to be stored: terminal sequences and control characters
// are removed, line ends become "\n". It says how many characters were removed.
// Marks of direction, joiners and normal forms stay as the author typed them.
func Clean(text string) (clean string, removed int, err error) {
	if !utf8.ValidString(text) {
		return "", 0, ErrNotUTF8
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text)
	text = terminal.ReplaceAllStringFunc(text, func(s string) string {
		removed += utf8.RuneCountInString(s)
		return ""
	})
	clean = strings.Map(func(r rune) rune {
		if control(r) {
			removed++
			return -1
		}
		return r
	}, text)
	return clean, removed, nil
}

// control reports whether r steers a device instead of being text.
func control(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7F && r <= 0x9F
}
