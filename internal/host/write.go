package host

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// writer adds to a text in the text's own manner: its indentation, its quotes,
// its line ends, its habit about the last comma.
type writer struct{ text string }

func (w writer) newline() string {
	if strings.Contains(w.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

func (w writer) quote(s string) string {
	quoted, _ := json.Marshal(s) // a string always has JSON
	if !strings.Contains(w.text, `"`) && strings.Contains(w.text, "'") && !strings.ContainsAny(string(quoted[1:len(quoted)-1]), `'"\`) {
		return "'" + string(quoted[1:len(quoted)-1]) + "'"
	}
	return string(quoted)
}

func (w writer) scalar(v any) string {
	if s, ok := v.(string); ok {
		return w.quote(s)
	}
	text, _ := json.Marshal(v) // booleans and numbers always have JSON
	return string(text)
}

// key writes a name as its neighbours are written.
func (w writer) key(name string, bare bool) string {
	if bare && identifier.MatchString(name) {
		return name
	}
	return w.quote(name)
}

// bareKeys reports whether names go without quotes: as in this object or, in an
// empty one, as at the top of the file.
func (w writer) bareKeys(n node) bool {
	for _, m := range n.members {
		if identifier.MatchString(m.key) {
			return !m.quoted
		}
	}
	root, err := scan(w.text)
	return err == nil && len(root.members) > 0 && !root.members[0].quoted
}

// lastComma reports whether the file's habit is a comma after the last member.
func (w writer) lastComma() bool {
	root, err := scan(w.text)
	return err == nil && root.trailing
}

// value writes a value over several lines; within is the indentation of the
// line it begins on.
func (w writer) value(v any, within, unit string, bare, trailing bool) string {
	object, ok := v.(map[string]any)
	if !ok {
		if list, ok := v.([]any); ok {
			var items []string
			for _, item := range list {
				items = append(items, w.scalar(item))
			}
			return "[" + strings.Join(items, ", ") + "]"
		}
		return w.scalar(v)
	}
	nl := w.newline()
	var b strings.Builder
	b.WriteString("{" + nl)
	names := slices.Sorted(maps.Keys(object))
	for i, name := range names {
		fmt.Fprintf(&b, "%s%s%s: %s", within, unit, w.key(name, bare), w.value(object[name], within+unit, unit, bare, trailing))
		if i < len(names)-1 || trailing {
			b.WriteByte(',')
		}
		b.WriteString(nl)
	}
	b.WriteString(within + "}")
	return b.String()
}

// inline writes a value on one line, with or without air inside its braces.
func (w writer) inline(v any, bare, air bool) string {
	object, ok := v.(map[string]any)
	if !ok {
		return w.value(v, "", "", bare, false)
	}
	var members []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		members = append(members, w.key(name, bare)+": "+w.inline(object[name], bare, air))
	}
	space := ""
	if air {
		space = " "
	}
	return "{" + space + strings.Join(members, ", ") + space + "}"
}

// insert adds a member, or an element when the name is empty, at the end.
func (w writer) insert(n node, name string, v any) string {
	text, closing := w.text, n.end-1
	bare := w.bareKeys(n)
	render := func(within, unit string, trailing bool) string {
		value := w.value(v, within, unit, bare, trailing)
		if n.kind == '[' {
			return value
		}
		return w.key(name, bare) + ": " + value
	}
	outer := indentAt(text, n.start)
	if len(n.members) == 0 {
		unit := w.unit()
		inner := strings.TrimRight(text[n.start+1:closing], " \t\r\n")
		comma := ""
		if w.lastComma() {
			comma = ","
		}
		return text[:n.start+1] + inner + w.newline() + outer + unit + render(outer+unit, unit, comma != "") + comma + w.newline() + outer + text[closing:]
	}
	last := n.members[len(n.members)-1]
	lineStart := strings.LastIndexAny(text[:closing], "\n") + 1
	if strings.TrimSpace(text[lineStart:closing]) != "" {
		// All on one line, so what is added is, too.
		added := w.inline(v, bare, text[n.start+1] == ' ')
		if n.kind == '{' {
			added = w.key(name, bare) + ": " + added
		}
		if n.trailing {
			return text[:last.afterComma] + " " + added + "," + text[last.afterComma:]
		}
		return text[:last.value.end] + ", " + added + text[last.value.end:]
	}
	within := indentAt(text, last.start)
	unit := strings.TrimPrefix(within, outer)
	if unit == "" || unit == within && outer != "" {
		unit = w.unit()
	}
	added := within + render(within, unit, n.trailing)
	if n.trailing {
		return text[:lineStart] + added + "," + w.newline() + text[lineStart:]
	}
	return text[:last.value.end] + "," + text[last.value.end:lineStart] + added + w.newline() + text[lineStart:]
}

// unit is one step of indentation, as the file takes it first.
func (w writer) unit() string {
	for line := range strings.Lines(w.text) {
		if indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]; indent != "" && strings.TrimSpace(line) != "" {
			return indent
		}
	}
	return "  "
}

// indentAt is the indentation of the line that holds an offset.
func indentAt(text string, at int) string {
	line := text[strings.LastIndexByte(text[:at], '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// remove takes a member out, with its line when nothing else is on it.
func remove(text string, n node, i int) string {
	m := n.members[i]
	start, end := m.start, m.value.end
	if m.afterComma > 0 {
		end = m.afterComma
	}
	lineStart := strings.LastIndexByte(text[:start], '\n') + 1
	rest := text[end:]
	if ownLine := strings.TrimSpace(text[lineStart:start]) == "" && strings.TrimSpace(rest[:lineEnd(rest)]) == ""; ownLine {
		start = lineStart
		end += lineEnd(rest)
		end += len(text[end:]) - len(strings.TrimPrefix(strings.TrimPrefix(text[end:], "\r"), "\n"))
	} else if i == 0 {
		end += len(rest) - len(strings.TrimLeft(rest, " \t"))
	} else {
		start = n.members[i-1].value.end
		if c := n.members[i-1].afterComma; c > 0 {
			start = c
		}
	}
	out := text[:start] + text[end:]
	if i > 0 && i == len(n.members)-1 && !n.trailing {
		// What is the last member now must not keep its comma.
		comma := n.members[i-1].afterComma - 1
		out = out[:comma] + out[comma+1:]
	}
	if len(n.members) == 1 {
		closing := n.end - 1 - (end - start)
		if strings.TrimSpace(out[n.start+1:closing]) == "" {
			out = out[:n.start+1] + out[closing:]
		}
	}
	return out
}
