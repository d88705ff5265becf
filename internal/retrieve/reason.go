package retrieve

import (
	"fmt"
	"strings"
)

// reasonWords is how many of the words found a reason names.
const reasonWords = 3

// reason says in one line why a row was found.
func reason(x *row) string {
	var parts []string
	if h := x.hit; h.BM25 != nil {
		said := "words"
		if len(x.exact.Found) > 0 {
			said += " " + quoted(x.exact.Found)
		}
		parts = append(parts, fmt.Sprintf("%s (%.2f)", said, h.BM25.Score))
	} else if len(x.exact.Found) > 0 && h.Score > h.Fused {
		parts = append(parts, "words "+quoted(x.exact.Found))
	}
	if v := x.hit.Vector; v != nil {
		parts = append(parts, fmt.Sprintf("meaning (%.2f)", v.Score))
	}
	return strings.Join(parts, " and ")
}

// nowhere says that what was asked for by name is not there, so that nobody takes
// the name next to it for the answer.
func nowhere(identifiers []string) string {
	return "no memory found holds " + quoted(identifiers)
}

// quoted lists words, the first few of them.
func quoted(words []string) string {
	var out []string
	for i, w := range words {
		if i == reasonWords {
			out = append(out, "…")
			break
		}
		out = append(out, fmt.Sprintf("%q", w))
	}
	return strings.Join(out, ", ")
}
