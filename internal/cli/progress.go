package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

const (
	redrawEvery = 100 * time.Millisecond // of a bar
	lineEvery   = 10 * time.Second       // of plain lines
)

// progress tells a person how far a long command is, on standard error: as a
// line that is drawn over on a terminal, as a line now and then elsewhere.
type progress struct {
	out   io.Writer
	what  string
	bytes int64 // of all; 0 when nobody knows
	width int   // of the terminal; 0 without one
	begun time.Time
	last  time.Time
	drawn bool
}

func (a *app) progress(what string, bytes int64, now time.Time) *progress {
	p := &progress{out: a.err, what: what, bytes: bytes, begun: now, last: now}
	if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.width = usualWidth
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width >= 20 {
			p.width = width
		}
	}
	return p
}

// show draws, if it is time to.
func (p *progress) show(done int, bytes int64, now time.Time) {
	every := lineEvery
	if p.width > 0 {
		every = redrawEvery
	}
	if now.Sub(p.last) < every {
		return
	}
	p.last = now
	if p.width == 0 {
		fmt.Fprintf(p.out, "memory-pro: %s\n", p.line(done, bytes, now, 0))
		return
	}
	p.drawn = true
	fmt.Fprintf(p.out, "\r\x1b[K%s", p.line(done, bytes, now, p.width-1))
}

// end takes the bar away.
func (p *progress) end() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

// barCells is the longest bar; one that would be shorter than leastCells is left out.
const (
	barCells   = 30
	leastCells = 8
)

// line is how far it is, in at most so many columns; 0 for plain text.
func (p *progress) line(done int, bytes int64, now time.Time, columns int) string {
	text := fmt.Sprintf("%d %s", done, p.what)
	if seconds := now.Sub(p.begun).Seconds(); seconds > 0 {
		text += fmt.Sprintf(", %.0f a second", float64(done)/seconds)
	}
	if p.bytes <= 0 {
		return fit(text, max(columns, usualWidth))
	}
	share := min(float64(bytes)/float64(p.bytes), 1)
	percent := fmt.Sprintf("%3.0f %%", 100*share)
	if columns == 0 {
		return strings.TrimSpace(percent) + ", " + text
	}
	cells := min(columns-width(text)-width(percent)-len("[] ")-2*len(gap), barCells)
	if cells < leastCells {
		return fit(percent+gap+text, columns)
	}
	full := int(share * float64(cells))
	return fmt.Sprintf("[%s%s] %s%s%s", strings.Repeat("#", full), strings.Repeat(".", cells-full), percent, gap, text)
}

// size is a number of bytes for people.
func size(bytes int64) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
