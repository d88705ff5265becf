package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// Whatever the terminal's width, a bar stays on one line of it and says how far
// it is.
func TestProgressFits(t *testing.T) {
	begun := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for columns := 20; columns <= 200; columns++ {
		for _, bytes := range []int64{0, 500, 1000, 2000} {
			p := &progress{what: "rows", bytes: 1000, begun: begun}
			line := p.line(1_234_567, bytes, begun.Add(100*time.Second), columns)
			if width(line) > columns || strings.ContainsAny(line, "\n\r") {
				t.Fatalf("%d columns: %q", columns, line)
			}
			if columns >= 60 && (!strings.Contains(line, "1234567 rows, 12346 a second") || !strings.Contains(line, "[")) {
				t.Fatalf("%d columns: %q", columns, line)
			}
		}
	}
	p := &progress{what: "rows", begun: begun}
	if line := p.line(5, 0, begun, 40); line != "5 rows" {
		t.Errorf("without a size and time: %q", line)
	}
}

// On a terminal the line is drawn over and taken away; elsewhere it comes every
// ten seconds and is a line.
func TestProgressShows(t *testing.T) {
	begun := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	run := func(width int) string {
		var out bytes.Buffer
		p := &progress{out: &out, what: "rows", bytes: 1000, width: width, begun: begun, last: begun}
		for ms := range 2500 {
			p.show(ms, int64(ms*1000/2500), begun.Add(time.Duration(ms)*10*time.Millisecond))
		}
		p.end()
		return out.String()
	}
	plain := run(0)
	if n := strings.Count(plain, "\n"); n != 2 || strings.ContainsAny(plain, "\r\x1b") {
		t.Errorf("%d plain lines: %q", n, plain)
	}
	drawn := run(60)
	if n := strings.Count(drawn, "\r\x1b[K"); n < 200 || n > 260 || strings.Contains(drawn, "\n") || !strings.HasSuffix(drawn, "\r\x1b[K") {
		t.Errorf("drawn %d times, ends %q", n, drawn[len(drawn)-20:])
	}
}
