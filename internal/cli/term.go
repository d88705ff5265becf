package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
)

// What goes to a person's terminal, and what does not:
//
//   - Colours and tables only when standard output is a terminal, colours not
//     with NO_COLOR. Everything else, a pipe or a file, gets plain lines that
//     stay as they are from version to version.
//   - Widths are columns on the screen: a Chinese character takes two.
//   - Text out of the database never steers the terminal (see visible).

// screen is the terminal that standard output leads to; the zero value is none.
type screen struct {
	width  int
	colour bool
}

const usualWidth = 80

// screen looks anew each time: a window may have been resized.
func (a *app) screen() screen {
	f, ok := a.out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return screen{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		width = usualWidth
	}
	return screen{width: width, colour: !config.PlainTerminal(config.Env{})}
}

// interactive reports whether there is somebody to ask.
func (a *app) interactive() bool {
	in, ok := a.in.(*os.File)
	return ok && term.IsTerminal(int(in.Fd())) && a.screen().width > 0
}

type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// painted has been made visible and may carry our own control sequences.
type painted string

func (s screen) paint(how style, text string) painted {
	text = visible(text)
	if !s.colour || how == "" {
		return painted(text)
	}
	return painted("\x1b[" + string(how) + "m" + text + "\x1b[0m")
}

// visible takes away what would steer a terminal or turn its lines around.
// Line ends and tabs stay.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return -1
		}
		return r
	}, text)
}

// write prints with every text argument made visible.
func write(w io.Writer, format string, args ...any) {
	shown := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			shown[i] = visible(arg)
		case error:
			shown[i] = visible(arg.Error())
		case fmt.Stringer:
			shown[i] = visible(arg.String())
		default:
			shown[i] = arg
		}
	}
	fmt.Fprintf(w, format, shown...)
}

// width is columns on the screen.
func width(text string) int { return uniseg.StringWidth(text) }

// fit brings a text to one line of at most so many columns.
func fit(text string, columns int) string {
	text = strings.Join(strings.Fields(visible(text)), " ")
	if width(text) <= columns {
		return text
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if used += g.Width(); used > columns-1 {
			break
		}
		b.WriteString(g.Str())
	}
	return strings.TrimSpace(b.String()) + "…"
}

// pad fills a text up to so many columns.
func pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(columns-width(text), 0))
}

// column of a table. The last one takes what is left of the line.
type column struct {
	title string
	most  int // columns on the screen; 0: no bound
	style style
	right bool
}

const gap = "  "

// table prints rows under their titles.
func (a *app) table(s screen, columns []column, rows [][]string) {
	widths := make([]int, len(columns))
	left := s.width
	for i, c := range columns[:len(columns)-1] {
		widths[i] = width(c.title)
		for _, row := range rows {
			widths[i] = max(widths[i], width(visible(row[i])))
		}
		if c.most > 0 {
			widths[i] = min(widths[i], max(c.most, len(c.title)))
		}
		left -= widths[i] + len(gap)
	}
	widths[len(columns)-1] = max(left, 8) // a screen narrower than that wraps
	line := func(cells []string, how func(i int) style) {
		var b strings.Builder
		for i, cell := range cells {
			cell = fit(cell, widths[i])
			if i > 0 {
				b.WriteString(gap)
			}
			if columns[i].right {
				cell = strings.Repeat(" ", widths[i]-width(cell)) + cell
			} else if i < len(cells)-1 {
				cell = pad(cell, widths[i])
			}
			b.WriteString(string(s.paint(how(i), cell)))
		}
		a.printf("%s\n", painted(b.String()))
	}
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.title
	}
	line(titles, func(int) style { return bold })
	for _, row := range rows {
		line(row, func(i int) style { return columns[i].style })
	}
}
