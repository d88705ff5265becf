package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// LanceDB does not sync what it writes to a local disk, so a power cut can leave a
// manifest torn or a file short, and other things damage files too. The library
// then refuses the table as a whole, or fails each query that meets the file. Here
// the table is looked at before the library opens it, and put right: nothing is
// deleted, what is taken out is kept and named (heal_aside.go), and the journal
// brings back what it holds.

// heal looks at the table and, if something is damaged, mends it under the write
// lock. A healthy table costs the reading of one manifest and a look at each of its
// files. Where nothing may be written, damage is only reported.
func (s *Store) heal(ctx context.Context) error {
	if !s.local {
		return nil
	}
	f, err := lookAt(tableDir(s.path))
	if err != nil {
		s.log.Warn("the files of the table could not be looked at before opening it", "path", s.path, "error", err)
		return nil
	}
	mark, cut, err := s.cutOff()
	if err != nil {
		s.log.Warn("whether the machine went down since the last use is not known", "path", s.path, "error", err)
	}
	if f.whole() && !cut {
		return nil
	}
	if s.readOnly != nil {
		return s.reportDamage(f)
	}
	if f.whole() && (len(f.versions) == 0 || f.versions[0].Number <= uint64(mark.Version)) {
		// Nothing came after the checkpoint. Noted now, before anything does; that
		// needs no lock, so that nobody waits for one after every start of the machine.
		if err := s.lookedAfter(); err != nil {
			s.log.Warn("the first use since the machine came up could not be noted", "path", s.path, "error", err)
		}
		return nil
	}
	return s.locked(ctx, "healing the table", func() error { return s.healLocked(ctx) })
}

// maxRemedies: two are enough, one for a power cut and one for what was damaged
// before, unless files are damaged meanwhile.
const maxRemedies = 4

// healLocked looks again, for another process may have mended the table meanwhile.
func (s *Store) healLocked(ctx context.Context) error {
	mark, cut, err := s.cutOff()
	if err != nil {
		return fmt.Errorf("looking at the checkpoint: %w", err)
	}
	for range maxRemedies {
		f, err := lookAt(tableDir(s.path))
		if err != nil {
			return fmt.Errorf("looking at the files of the table in %s: %w", s.path, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		r, found := remedy{}, false
		if cut {
			if r, found, err = s.planCutOff(f, mark); err != nil {
				return err
			}
		}
		if !found && f.whole() {
			break
		}
		if !found {
			if r, err = s.plan(f); err != nil {
				return err
			}
		}
		a, err := s.carryOut(f, r)
		if errors.Is(err, manifest.ErrForeign) {
			s.log.Error("files of the table are damaged, and it cannot be mended without them", "path", s.path, "files", f.named(), "error", err)
			break
		}
		if err != nil {
			return fmt.Errorf("healing the table in %s: %w; nothing was deleted", s.path, err)
		}
		s.logHealed(a, r)
	}
	if cut {
		return s.lookedAfter()
	}
	return nil
}

func (s *Store) logHealed(a *SetAside, r remedy) {
	args := []any{"path", s.path, "reason", a.Reason, "files", a.Faults, "aside", a.Dir, "version", a.Instead}
	switch {
	case a.Rows > 0:
		args = append(args, "rows", a.Rows, "next", "memory-pro doctor --repair")
		s.log.Error("the table was damaged; it is used without the rows that cannot be read", args...)
	case a.Unsure:
		s.log.Error("the table was damaged; an older version of it is used, and what came after it may be missing", args...)
	case r.replay:
		s.log.Warn("an older version of the table is used, and the journal is replayed over it", args...)
	default:
		s.log.Warn("the table was damaged and has been mended", args...)
	}
}

// reportDamage is for a database that cannot be written to. Rows that can be read
// are still read; without a manifest none can.
func (s *Store) reportDamage(f findings) error {
	if f.whole() {
		return nil
	}
	s.log.Error("files of the table are damaged, and it cannot be mended because nothing may be written", "path", s.path,
		"files", f.named(), "error", s.readOnly)
	if len(f.torn) == 0 {
		return nil
	}
	return &DamageError{Path: s.path, Files: f.named(), Err: f.why[0],
		Fix: "make the directory writable and open it once, or copy it to where it is"}
}
