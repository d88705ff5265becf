package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// remedy is what will make a table usable again.
type remedy struct {
	what   string // see SetAside.What
	reason string
	// leave are manifests to take out of the table: unreadable ones, and those
	// newer than the one to fall back to.
	leave []manifest.Version
	// base is the version to go on from; nil begins the table anew.
	base *manifest.Manifest
	// drop is what a new version of base does without.
	drop manifest.Drop
	// replay: the journal holds what is newer than base.
	replay bool
	// rows cannot be read any more; unsure: nobody knows what else is missing.
	rows   int64
	unsure bool
}

// maxCandidates bounds how far back a whole version is looked for.
const maxCandidates = 512

// plan chooses the remedy that loses least:
//
//  1. unreadable manifests are left out, the newest readable version counts;
//  2. if only indexes are damaged, a version without them;
//  3. if files of rows are damaged, the newest version that has all of its files,
//     provided that the journal holds what came after, or, where there is no
//     journal, that no fewer rows can be read in it and none that was deleted since;
//  4. otherwise a version without the damaged fragments.
func (s *Store) plan(f findings) (remedy, error) {
	if f.head == nil {
		return s.planAnew(f)
	}
	j, err := s.journalReach()
	if err != nil {
		return remedy{}, err
	}
	r := remedy{what: "manifest", leave: f.torn, base: f.head}
	if len(f.torn) > 0 {
		r.reason = fmt.Sprintf("the manifest of version %d cannot be read", f.versions[0].Number)
		r.replay, r.unsure = !j.none, !j.covers(f.head.Number)
	}
	r.drop.Indexes = indexesOf(f.faults)
	rows := rowFaults(f.faults)
	if len(rows) == 0 {
		if len(f.torn) == 0 {
			r.what, r.reason = "index", "files of an index are damaged"
		}
		return r, nil
	}
	r.what, r.reason = "data", "files of rows are damaged"
	damaged, lost := fragmentsOf(f.head, rows)
	older, faults, err := wholeBefore(f)
	if err != nil {
		return remedy{}, err
	}
	if older != nil && (j.covers(older.Number) || (j.none && older.Rows()+lost >= f.head.Rows() && !undoes(older, f.head))) {
		r.base, r.replay, r.drop = older, !j.none, manifest.Drop{Indexes: indexesOf(faults)}
		r.leave = slices.DeleteFunc(slices.Clone(f.versions), func(v manifest.Version) bool { return v.Number <= older.Number })
		r.unsure = j.none
		return r, nil
	}
	r.drop.Fragments, r.rows = damaged, int64(lost)
	return r, nil
}

// undoes reports whether an older version may hold rows that were deleted since.
// What was forgotten must not come back because a file is damaged.
func undoes(older, head *manifest.Manifest) bool {
	if older.Rows() > head.Rows() {
		return true
	}
	deleted := map[uint64]uint64{}
	for _, fragment := range head.Fragments {
		deleted[fragment.ID] = fragment.Deleted
	}
	return slices.ContainsFunc(older.Fragments, func(f manifest.Fragment) bool {
		now, there := deleted[f.ID]
		return there && now != f.Deleted
	})
}

// planAnew: no version can be read. The table is begun anew if everything that
// was ever stored in it is in the journal, or if nothing was.
func (s *Store) planAnew(f findings) (remedy, error) {
	r := remedy{what: "table", leave: f.torn, reason: "none of its manifests can be read"}
	if hasRows(tableDir(s.path)) {
		if !s.recordedFromTheStart() {
			return r, &SchemaError{
				Path: s.path, Problem: fmt.Sprintf("cannot be read: all of its manifests are damaged (%s)", f.named()[0]), Err: f.why[0],
				Fix: "restore the directory from a copy, or move it away and restore the newest backup with `memory-pro backup restore`",
			}
		}
		r.replay = true
	}
	return r, nil
}

// hasRows reports whether there are files of rows, of whatever version.
func hasRows(table string) bool {
	data, err := os.ReadDir(filepath.Join(table, "data"))
	return err == nil && len(data) > 0
}

// indexesOf returns the names of damaged indexes.
func indexesOf(faults []manifest.Fault) (names []string) {
	for _, f := range faults {
		if !f.OfFragment && !slices.Contains(names, f.Index) {
			names = append(names, f.Index)
		}
	}
	return names
}

// fragmentsOf returns the fragments of faults and how many rows they hold.
func fragmentsOf(m *manifest.Manifest, faults []manifest.Fault) (ids []uint64, rows uint64) {
	for _, fragment := range m.Fragments {
		if slices.ContainsFunc(faults, func(f manifest.Fault) bool { return f.Fragment == fragment.ID }) {
			ids, rows = append(ids, fragment.ID), rows+fragment.Rows
		}
	}
	return ids, rows
}

// wholeBefore is the newest version before the head that has all of its rows, and
// what else is wrong with it; nil if there is none.
func wholeBefore(f findings) (*manifest.Manifest, []manifest.Fault, error) {
	seen := 0
	for _, v := range f.versions {
		if v.Number >= f.head.Number {
			continue
		}
		if seen++; seen > maxCandidates {
			break
		}
		m, err := manifest.Read(f.head.Table(), v)
		if err != nil {
			continue // it is as good as not there
		}
		faults, err := m.Check()
		if err != nil {
			return nil, nil, err
		}
		if len(rowFaults(faults)) == 0 {
			return m, faults, nil
		}
	}
	return nil, nil, nil
}
