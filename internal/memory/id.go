package memory

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/google/uuid"
)

var (
	uuidPattern   = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	prefixPattern = regexp.MustCompile(`^[0-9a-f]{8}[0-9a-f-]{0,27}$`)
	// Older tables hold ids that are not UUIDs; Markdown imports use mem-md-N.
	legacyPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{2,127}$`)
)

// MinPrefix is the shortest id prefix accepted: 32 bits, so that two of ten
// thousand memories share one about once in a hundred stores.
const MinPrefix = 8

// NewID makes a random (version 4) UUID.
func NewID() string { return uuid.NewString() }

// ValidID reports whether s can be the id of a row, ours or an older one.
func ValidID(s string) bool { return uuidPattern.MatchString(s) || legacyPattern.MatchString(s) }

// IsUUID reports whether s is a whole UUID, in either letter case.
func IsUUID(s string) bool { return uuidPattern.MatchString(strings.ToLower(s)) }

// Ref is a reference to a memory as a caller wrote it.
type Ref struct {
	// Text is the id, or the start of one when Prefix is set.
	Text   string
	Prefix bool
}

// ParseRef reads a full id or a prefix of at least eight hex digits. Dots and an
// ellipsis at the end, as shortened ids are printed, are dropped.
func ParseRef(s string) (Ref, error) {
	text := strings.TrimRight(strings.TrimSpace(s), ".…")
	lower := strings.ToLower(text)
	switch {
	case uuidPattern.MatchString(lower):
		return Ref{Text: lower}, nil
	case prefixPattern.MatchString(lower):
		return Ref{Text: lower, Prefix: true}, nil
	case legacyPattern.MatchString(text):
		return Ref{Text: text}, nil
	}
	return Ref{}, fmt.Errorf("%.80q is no memory id; pass the full id or its first %d or more characters, or search for the memory by what it says", s, MinPrefix)
}
