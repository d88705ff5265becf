package memory

import (
	"strings"

	"github.com/google/uuid"
)

// derivedSpace is the namespace of ids made from content.
var derivedSpace = uuid.MustParse("0d7c9a52-5a0e-4c43-8f0b-6f0f5d1f3b7e")

// DerivedID is an id (UUID version 5) that depends on the parts alone: what
// comes without an id gets the same one each time it is imported.
func DerivedID(parts ...string) string {
	// NUL keeps ("ab", "c") and ("a", "bc") apart; cleaned text holds none.
	return uuid.NewSHA1(derivedSpace, []byte(strings.Join(parts, "\x00"))).String()
}
