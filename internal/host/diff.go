package host

import (
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// secretValue finds what a diff must not show around a change: it ends up in
// terminals, logs and bug reports.
var secretValue = regexp.MustCompile(`(?i)((?:key|token|secret|password|credential)[\w-]*["']?\s*:\s*)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`)

// Diff shows a change as people read it; empty when there is none.
func (f *File) Diff(text []byte) string {
	from := f.Path
	if f.Missing {
		from = "/dev/null"
	}
	var b strings.Builder
	for line := range strings.Lines(string(diff.Diff(from, f.Text, f.Path, text))) {
		if !strings.HasPrefix(line, "diff ") { // the library's own first line
			b.WriteString(secretValue.ReplaceAllString(line, `$1"…"`))
		}
	}
	return b.String()
}
