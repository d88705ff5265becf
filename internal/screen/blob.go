package screen

import "strings"

const (
	// longestRun is how long a run of the characters of base64, hex and their
	// like may be and still be a word, an identifier or an address.
	longestRun = 100
	// foldedLine is the shortest line of an encoded file that was folded.
	foldedLine = 60
)

// withoutBlobs takes encoded data out of a text: runs in one piece, and runs
// that were folded into lines of equal length. It is written by hand because a
// pattern that counts to a hundred is a hundred times slower.
func withoutBlobs(s string) string {
	var b strings.Builder
	changed := false
	lines := strings.SplitAfter(s, "\n")
	for i := 0; i < len(lines); {
		n := folded(lines[i:])
		if n >= 2 {
			i, changed = i+n, true
			b.WriteByte('\n')
			continue
		}
		line, cut := withoutRuns(lines[i])
		b.WriteString(line)
		changed = changed || cut
		i++
	}
	if !changed {
		return s
	}
	return b.String()
}

// folded counts the lines from the first on that hold nothing but encoded data:
// all as long as the first, but for the last, which may be shorter.
func folded(lines []string) int {
	width := 0
	for i, line := range lines {
		text := strings.TrimRight(line, " \t\n")
		full := len(text) >= foldedLine && encoded(text)
		switch {
		case i == 0 && !full:
			return 0
		case i == 0:
			width = len(text)
		case len(text) == width && full:
		case i > 1 && text != "" && len(text) < width && encoded(text):
			return i + 1
		default:
			return i
		}
	}
	return len(lines)
}

func encoded(s string) bool {
	s = strings.TrimRight(s, "=")
	for i := range len(s) {
		if !encodedByte(s[i]) {
			return false
		}
	}
	return true
}

// withoutRuns replaces each run that is too long by a space.
func withoutRuns(s string) (string, bool) {
	var b strings.Builder
	done, start := 0, -1
	for i := 0; i <= len(s); i++ {
		if i < len(s) && encodedByte(s[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && i-start > longestRun {
			b.WriteString(s[done:start])
			b.WriteByte(' ')
			for i < len(s) && s[i] == '=' {
				i++
			}
			done = i
		}
		start = -1
	}
	if done == 0 {
		return s, false
	}
	return b.String() + s[done:], true
}

func encodedByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '_' || c == '-'
}
