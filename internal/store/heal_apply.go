package store

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// Steps at which a test may have healing fail.
const (
	stepHealKeep   = "heal: keep"   // nothing is done yet
	stepHealChange = "heal: change" // everything has its second name, the checkpoint is set back
	stepHealLeave  = "heal: leave"  // before each manifest that is taken out
)

// carryOut carries a remedy out. The caller holds the write lock. It is done in an
// order in which a crash anywhere leaves a table that is healed again: first
// everything concerned gets its second name, then the checkpoint is set back, then
// the version that does without is published, and manifests are taken out last.
func (s *Store) carryOut(f findings, r remedy) (a *SetAside, err error) {
	table := tableDir(s.path)
	a = &SetAside{
		At: s.now().UTC(), What: r.what, Reason: r.reason, Version: f.versions[0].Number,
		Faults: f.named(), Rows: r.rows, Unsure: r.unsure,
	}
	dropping := len(r.drop.Fragments)+len(r.drop.Indexes) > 0
	switch {
	case r.base != nil && dropping:
		a.Instead = f.versions[0].Number + 1
	case r.base != nil:
		a.Instead = r.base.Number
	}
	if dropping {
		if err := r.base.Editable(); err != nil {
			return a, err
		}
	}
	if err := a.begin(s.state); err != nil {
		return a, fmt.Errorf("making a directory for what is set aside: %w", err)
	}
	if err := s.at(stepHealKeep); err != nil {
		return a, err
	}
	taken := false // from the table; until then the directory holds second names only
	defer func() {
		if err != nil && !taken {
			_ = os.RemoveAll(a.Dir) // or each attempt would leave one
		}
	}()
	if err := s.keepAll(a, f, r); err != nil {
		return a, fmt.Errorf("setting files aside in %s: %w", a.Dir, err)
	}
	if err := a.write(); err != nil {
		return a, fmt.Errorf("setting files aside in %s: %w", a.Dir, err)
	}
	if r.replay {
		var from uint64
		if r.base != nil {
			from = r.base.Number
		}
		j, err := s.journalReach()
		if err == nil {
			err = j.setBack(from)
		}
		if err != nil {
			return a, fmt.Errorf("setting the checkpoint back: %w", err)
		}
	}
	if err := s.at(stepHealChange); err != nil {
		return a, err
	}
	if r.base == nil {
		taken, s.begunAnew = true, true
		return a, a.moveTable(s.path)
	}
	if err := s.olderVectors(r.base.Number); err != nil {
		return a, err
	}
	if dropping {
		if _, err := r.base.Without(r.drop, a.Instead, s.now()); err != nil {
			return a, err
		}
	}
	taken = true
	for _, v := range r.leave {
		if err := s.at(stepHealLeave); err != nil {
			return a, err
		}
		if err := a.remove(table, v.File); err != nil {
			return a, fmt.Errorf("setting %s aside: %w", v.File, err)
		}
	}
	return a, manifest.SyncDir(filepath.Join(table, path.Dir(f.versions[0].File)))
}

// olderVectors is told that the table will go on from an older version. If that is from
// before a re-embed, its vectors are not what the note says, and nobody uses them
// until they are made anew.
func (s *Store) olderVectors(version uint64) error {
	if s.notes == nil {
		return nil // a table is healed by itself
	}
	n, err := s.notes.read()
	if err != nil || n.From <= version {
		return nil
	}
	n.Fingerprint, n.Adopted, n.Mark, n.From = UnknownModel, false, UnknownModel, 0
	return s.notes.write(n)
}

// leaveUnfinished sets a table aside that has no version and no rows: whoever was
// making it is gone. The caller holds the write lock, and has waited long enough
// for programs that take none.
func (s *Store) leaveUnfinished() error {
	table := tableDir(s.path)
	f, err := lookAt(table)
	if err != nil || len(f.versions) > 0 {
		return err
	}
	if hasRows(table) {
		return unfinishedError(s.path, lance.ErrExists)
	}
	a := &SetAside{At: s.now().UTC(), What: "table", Reason: "it was not made to its end, and holds nothing"}
	err = a.begin(s.state)
	if err == nil {
		err = errors.Join(a.write(), a.moveTable(s.path))
	}
	if err != nil {
		return fmt.Errorf("setting the unfinished table in %s aside: %w", s.path, err)
	}
	s.logHealed(a, remedy{})
	return nil
}

// moveTable takes the whole table out.
func (a *SetAside) moveTable(path string) error {
	table := tableDir(path)
	return errors.Join(os.Rename(table, filepath.Join(a.Dir, filepath.Base(table))), manifest.SyncDir(path), manifest.SyncDir(a.Dir))
}

// keepAll gives everything that the remedy concerns a second name, since the
// library deletes files that no version refers to when it cleans up.
func (s *Store) keepAll(a *SetAside, f findings, r remedy) error {
	if r.base == nil {
		return nil // the directory is moved whole
	}
	table := tableDir(s.path)
	wanted := filesOf(r.base, nil)
	var kept []string
	for _, v := range r.leave {
		kept = append(kept, v.File)
		if r.what == "uncertain" {
			continue // the journal holds the rows; the files would only take up room
		}
		if m, err := manifest.Read(table, v); err == nil {
			for file := range filesOf(m, nil) {
				if !wanted[file] {
					kept = append(kept, file)
				}
			}
		}
	}
	if len(r.drop.Fragments)+len(r.drop.Indexes) > 0 {
		kept = append(kept, r.base.File)
		for file := range filesOf(r.base, &r.drop) {
			kept = append(kept, file)
		}
	}
	if len(f.torn) > 0 && r.what != "uncertain" {
		orphans, err := orphans(table, f)
		if err != nil {
			return err
		}
		kept = append(kept, orphans...)
	}
	for _, file := range kept {
		if err := a.keep(table, file); err != nil {
			return err
		}
	}
	return nil
}

// filesOf lists the files of a version, or of the part of it that is dropped.
func filesOf(m *manifest.Manifest, only *manifest.Drop) map[string]bool {
	files := map[string]bool{}
	for _, fragment := range m.Fragments {
		if only == nil || slices.Contains(only.Fragments, fragment.ID) {
			for _, file := range fragment.Files {
				files[file.Path] = !file.Elsewhere
			}
		}
	}
	for _, ix := range m.Indexes {
		if only == nil || slices.Contains(only.Indexes, ix.Name) {
			for _, file := range ix.Files {
				files[file.Path] = !file.Elsewhere
			}
		}
	}
	return files
}

// orphans are files of rows that no readable version refers to. They may belong to
// a version whose manifest is torn.
func orphans(table string, f findings) (list []string, err error) {
	known := map[string]bool{}
	for _, v := range f.versions {
		if m, err := manifest.Read(table, v); err == nil {
			for file := range filesOf(m, nil) {
				known[file] = true
			}
		}
	}
	for _, dir := range []string{"data", "_deletions"} {
		entries, err := os.ReadDir(filepath.Join(table, dir))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for _, entry := range entries {
			if file := path.Join(dir, entry.Name()); !known[file] && entry.Type().IsRegular() {
				list = append(list, file)
			}
		}
	}
	return list, nil
}
