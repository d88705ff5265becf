package embed

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// language is what it takes to find the declarations of a programming language:
// lines at the outermost level that begin one. That is less than a parser and
// enough to keep functions and classes whole; a text that only looks like code is
// at worst split elsewhere.
type language struct {
	name        string
	declaration *regexp.Regexp
	// above begins a line that belongs to the declaration after it.
	above *regexp.Regexp
	// nesting: braces say what the outermost level is; otherwise indentation does.
	nesting bool
}

var (
	scriptDeclaration = `^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:(?:async\s+)?function\b|(?:abstract\s+)?class\s+\w|(?:const|let|var)\s+[\w{[][^=;]*=`
	languages         = []language{
		{"javascript", regexp.MustCompile(scriptDeclaration + `)`), regexp.MustCompile(`^(?://|/\*|\s\*|@)`), true},
		{"typescript", regexp.MustCompile(scriptDeclaration + `|(?:interface|enum|namespace|type)\s+\w+[^:]*[{=<])`), regexp.MustCompile(`^(?://|/\*|\s\*|@)`), true},
		{"python", regexp.MustCompile(`^(?:async\s+def|def|class)\s+\w+\s*[(:\[]`), regexp.MustCompile(`^(?:#|@)`), false},
	}
)

// languagesOf gives those of the names, all without any.
func languagesOf(names []string) []language {
	return slices.DeleteFunc(slices.Clone(languages), func(l language) bool {
		return len(names) > 0 && !slices.Contains(names, l.name)
	})
}

// enoughDeclarations make a text code.
const enoughDeclarations = 2

// blocksOf cuts code before each declaration; nil for what is no code.
func blocksOf(text string, known []language) []string {
	var best []int
	for _, l := range known {
		if starts := l.starts(text); len(starts) >= enoughDeclarations && len(starts) > len(best) {
			best = starts
		}
	}
	if best == nil {
		return nil
	}
	var blocks []string
	from := 0
	for _, at := range append(best, len(text)) {
		if at > from {
			blocks = append(blocks, text[from:at])
			from = at
		}
	}
	return blocks
}

// starts are the offsets of the lines where a declaration begins, with the
// comments and decorators right above it.
func (l language) starts(text string) (starts []int) {
	var state scan
	above, offset := -1, 0
	for line := range strings.Lines(text) {
		outermost := state.quote == "" && (!l.nesting && state.depth <= 0 || l.nesting && state.depth == 0)
		bare := strings.TrimRight(line, "\r\n")
		switch {
		case outermost && l.declaration.MatchString(bare):
			if above < 0 {
				above = offset
			}
			starts = append(starts, above)
			above = -1
		case (outermost || above >= 0) && l.above.MatchString(bare):
			if above < 0 {
				above = offset
			}
		default:
			above = -1
		}
		state.line(bare, l.nesting)
		offset += len(line)
	}
	return starts
}

// scan knows, line by line, whether one is inside a bracket or a quote that goes
// over several lines.
type scan struct {
	depth int
	quote string // what ends it: ` or */ or """ or '''
}

func (s *scan) line(line string, script bool) {
	for i := 0; i < len(line); {
		rest := line[i:]
		if s.quote != "" {
			switch {
			case strings.HasPrefix(rest, s.quote):
				i += len(s.quote)
				s.quote = ""
			case rest[0] == '\\':
				i += 2
			default:
				i++
			}
			continue
		}
		switch {
		case script && strings.HasPrefix(rest, "//"), !script && rest[0] == '#':
			return
		case script && strings.HasPrefix(rest, "/*"):
			s.quote, i = "*/", i+2
		case script && rest[0] == '`':
			s.quote, i = "`", i+1
		case !script && (strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, "'''")):
			s.quote, i = rest[:3], i+3
		case rest[0] == '"' || rest[0] == '\'':
			i += 1 + inQuotes(rest[1:], rest[0])
		case strings.IndexByte("{([", rest[0]) >= 0:
			s.depth, i = s.depth+1, i+1
		case strings.IndexByte("})]", rest[0]) >= 0:
			s.depth, i = max(s.depth-1, 0), i+1
		default:
			i++
		}
	}
}

// inQuotes is how far a text in quotes goes within its line, its end included.
func inQuotes(rest string, quote byte) int {
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return len(rest)
}

// grouped puts blocks that follow each other into parts; one that is too long
// alone is split like prose.
func (s splitter) grouped(blocks []string) (parts []string) {
	var group strings.Builder
	chars := 0
	flush := func() {
		if part := strings.TrimSpace(group.String()); part != "" {
			parts = append(parts, part)
		}
		group.Reset()
		chars = 0
	}
	for _, block := range blocks {
		n := utf8.RuneCountInString(block)
		if chars+n > s.size {
			flush()
		}
		if n > s.size {
			parts = append(parts, s.prose([]rune(block), s.overlap)...)
			continue
		}
		group.WriteString(block)
		chars += n
	}
	flush()
	return parts
}
