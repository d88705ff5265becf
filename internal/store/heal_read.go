package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// DamageError says that files of the table cannot be used. Nothing was changed.
type DamageError struct {
	Path string
	// Files are the damaged ones, each with what is wrong with it.
	Files []string
	// Inside is set when nothing shows from outside: Files is empty then.
	Inside bool
	Fix    string
	Err    error
}

func (e *DamageError) Error() string {
	if e.Inside {
		return fmt.Sprintf("a data file of the table in %s is damaged inside; %s", e.Path, e.Fix)
	}
	files := strings.Join(e.Files[:min(len(e.Files), 3)], ", ")
	if more := len(e.Files) - 3; more > 0 {
		files += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("the table in %s is damaged: %s; %s", e.Path, files, e.Fix)
}

func (e *DamageError) Unwrap() error { return e.Err }

const insideFix = "run `memory-pro doctor --repair`, which finds it, keeps it aside and brings back what it can"

const reopenFix = "run `memory-pro doctor --repair`, which takes them out of use, here too, and brings back what it can"

// explainRead looks at the table's files after a read failed, and names those that
// are damaged. Any other error comes back as it is.
func (s *Store) explainRead(ctx context.Context, err error) error {
	if err == nil || !s.local || ctx.Err() != nil || errors.Is(err, ErrClosed) || errors.Is(err, lance.ErrInvalid) ||
		errors.Is(err, lance.ErrConflict) || errors.Is(err, lance.ErrSchema) {
		return err
	}
	var known *DamageError
	if errors.As(err, &known) {
		return err
	}
	f, lerr := lookAt(tableDir(s.path))
	if (lerr != nil || f.whole()) && errors.Is(err, lance.ErrCorrupt) {
		return &DamageError{Path: s.path, Inside: true, Fix: insideFix, Err: err}
	}
	if lerr != nil || f.whole() {
		return err
	}
	return &DamageError{Path: s.path, Files: f.named(), Fix: reopenFix, Err: err}
}
