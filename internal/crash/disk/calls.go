package disk

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// call is one system call that has ended, as strace -f -xx prints it.
type call struct {
	name   string
	args   []string
	result int64
	begun  int // what the caller of parse said when it began
}

// parse reads strace's output and hands over each call that succeeded when it
// ended. begin is called when one begins, with what is known of it by then.
func parse(r io.Reader, begin func(name, args string) int, end func(call) error) error {
	lines := bufio.NewReaderSize(r, 1<<20)
	type started struct {
		text  string
		begun int
	}
	open := map[string]started{} // by thread
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		pid, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || text == "" {
			continue
		}
		text = strings.TrimLeft(text, " ")
		var begun int
		switch {
		case strings.HasPrefix(text, "---"), strings.HasPrefix(text, "+++"):
			continue
		case strings.HasPrefix(text, "<... "):
			_, rest, ok := strings.Cut(text, " resumed>")
			was, known := open[pid]
			if !ok || !known {
				return fmt.Errorf("reading the trace: %.200q resumes nothing", text)
			}
			delete(open, pid)
			text, begun = was.text+rest, was.begun
		default:
			name, args, _ := strings.Cut(text, "(")
			begun = begin(name, args)
		}
		if part, ok := strings.CutSuffix(text, " <unfinished ...>"); ok {
			open[pid] = started{part, begun}
			continue
		}
		c, ok, err := parseCall(text)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		c.begun = begun
		if err := end(c); err != nil {
			return fmt.Errorf("%w in %.300s", err, text)
		}
	}
}

// parseCall takes apart "name(args) = result". ok is false for a call that failed.
func parseCall(text string) (c call, ok bool, err error) {
	bad := fmt.Errorf("reading the trace: %.200q is no call", text)
	left, right, found := cutLast(text, ") = ")
	if !found {
		return c, false, bad
	}
	result, _, _ := strings.Cut(right, " ")
	n, err := strconv.ParseInt(result, 0, 64)
	if err != nil || n < 0 { // "?" of a call cut short, or an error
		return c, false, nil
	}
	name, args, found := strings.Cut(left, "(")
	if !found {
		return c, false, bad
	}
	return call{name: name, args: split(args), result: n}, true, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// split cuts arguments at commas that are in no bracket. Strings are in
// hexadecimal, so they hold neither.
func split(args string) []string {
	var list []string
	depth, from := 0, 0
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(args[from:i]))
				from = i + 1
			}
		}
	}
	return append(list, strings.TrimSpace(args[from:]))
}

// text decodes one string argument; a shortened one is an error.
func text(arg string) ([]byte, error) {
	inner, ok := strings.CutPrefix(arg, `"`)
	if !ok {
		return nil, fmt.Errorf("reading the trace: %.80q is no string", arg)
	}
	if inner, ok = strings.CutSuffix(inner, `"`); !ok {
		return nil, fmt.Errorf("reading the trace: the string %.80q was shortened", arg)
	}
	return hex.DecodeString(strings.ReplaceAll(inner, `\x`, ""))
}

// vectors decodes [{iov_base="…", iov_len=n}, …].
func vectors(arg string) ([]byte, error) {
	var all []byte
	for rest := arg; ; {
		_, after, ok := strings.Cut(rest, "iov_base=")
		if !ok {
			return all, nil
		}
		quoted, tail, ok := strings.Cut(after, ", iov_len=")
		if !ok {
			return nil, fmt.Errorf("reading the trace: %.80q is no vector", after)
		}
		part, err := text(quoted)
		if err != nil {
			return nil, err
		}
		all, rest = append(all, part...), tail
	}
}

func number(arg string) (int64, error) { return strconv.ParseInt(arg, 0, 64) }
