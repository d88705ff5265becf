package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

const (
	// syncTries bounds how often others may commit while the mirror is brought up to
	// date before a reader goes through LanceDB instead.
	syncTries = 4
	// syncRows is how many rows a reader reads for it; more is done in the background.
	syncRows = 512
)

var (
	errTooMany  = errors.New("more than is held in memory")
	errNotHeld  = errors.New("this table's rows have no addresses that can be followed")
	errBehind   = errors.New("many rows were written since")
	errUnsteady = errors.New("others commit all the time")
)

// editionNow is the newest version. It is one look by LanceDB at the directory of
// versions, and one at the manifest: 0.1 ms.
func (s *Store) editionNow(ctx context.Context, known edition) (edition, error) {
	version, err := s.version(ctx)
	if err != nil {
		return edition{}, err
	}
	if uint64(version) == known.version.Number {
		if st, err := s.editionOf(known.version); err == nil {
			return st, nil
		}
	}
	list, err := manifest.List(tableDir(s.path))
	if err != nil {
		return edition{}, err
	}
	for _, v := range list {
		if v.Number == uint64(version) {
			return s.editionOf(v)
		}
	}
	return edition{}, fmt.Errorf("version %d of the table: %w", version, os.ErrNotExist)
}

func (s *Store) editionOf(version manifest.Version) (edition, error) {
	info, err := os.Stat(filepath.Join(tableDir(s.path), version.File))
	if err != nil {
		return edition{}, err
	}
	st := edition{version: version, size: info.Size(), changed: info.ModTime().UnixNano()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		st.inode = sys.Ino
	}
	return st, nil
}

// sync makes m the newest version. most is how many rows it may read for that, 0 for
// any number. Only one caller at a time.
func (s *Store) sync(ctx context.Context, m *mirror, most int) error {
	reread := false
	for range syncTries {
		seq := s.recent.held()
		now, err := s.editionNow(ctx, m.at)
		if err != nil {
			return err
		}
		if now == m.at {
			m.settle(now, seq)
			return nil
		}
		v, err := manifest.Read(tableDir(s.path), now.version)
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted meanwhile: there is a newer one
		}
		if err != nil {
			return err
		}
		if !v.Addressed() {
			return errNotHeld
		}
		d := m.compare(v)
		if most > 0 && d.rows > most {
			return errBehind
		}
		err = s.take(ctx, m, d)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		// Rows were read from the newest version, whichever that was then. A row of the
		// version that was to be made may be gone from it, and none can be more, unless
		// the fragments were numbered anew (see reembed_swap.go).
		again, err := s.editionNow(ctx, now)
		if err != nil || (again != now && !s.sameFiles(m, again)) {
			continue
		}
		if m.whole() {
			m.settle(now, seq)
			return nil
		}
		if again == now && reread {
			return errNotHeld // it does not say how many rows it has
		}
		reread = true
	}
	return errUnsteady
}

// sameFiles reports whether the fragments of a version that m has too are the same.
func (s *Store) sameFiles(m *mirror, at edition) bool {
	v, err := manifest.Read(tableDir(s.path), at.version)
	if err != nil {
		return false
	}
	for id, p := range partsOf(v) {
		if was, known := m.parts[id]; known && was.data != p.data {
			return false
		}
	}
	return true
}

// whole reports whether as many rows are held of each fragment as it has. One that is
// short was read while others had deleted it for a time; it is forgotten and read anew.
func (m *mirror) whole() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	whole := true
	for f, p := range m.parts {
		if m.live[f] != p.rows {
			m.forget(f)
			whole = false
		}
	}
	return whole
}

// sweep drops the rows of fragments that are not known: a reading that was stopped
// read some, or read them from a newer version. They may lie elsewhere by the time
// that is followed, and nothing else would take them out.
func (m *mirror) sweep() {
	for f := range m.live {
		if _, known := m.parts[f]; known {
			continue
		}
		for place := len(m.rows) - 1; place >= 0; place-- {
			if at := m.rows[place].address; at>>32 == f {
				m.remove(at)
			}
		}
		delete(m.live, f)
	}
}

// forget drops a fragment.
func (m *mirror) forget(fragment uint64) {
	for i := range m.parts[fragment].physical {
		m.remove(address(fragment, i))
	}
	delete(m.parts, fragment)
	delete(m.live, fragment)
}

// settle: m is the table at a version that holds everything recorded up to seq.
func (m *mirror) settle(at edition, seq uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at, m.seq = at, max(seq, m.seq)
	if m.twice {
		m.countTwins()
	}
}

// difference is what makes another version of a mirror.
type difference struct {
	gone    []uint64            // fragments that are no more, or have other files
	fresh   []uint64            // fragments to be read
	trimmed []manifest.Fragment // of which more rows are deleted
	parts   map[uint64]part
	rows    int // in the fresh ones
}

func (m *mirror) compare(v *manifest.Manifest) difference {
	d := difference{parts: partsOf(v)}
	for _, f := range v.Fragments {
		p := d.parts[f.ID]
		was, known := m.parts[f.ID]
		switch {
		case !known:
			d.fresh, d.rows = append(d.fresh, f.ID), d.rows+int(f.Rows)
		case was.data != p.data || was.physical != p.physical:
			d.gone, d.fresh, d.rows = append(d.gone, f.ID), append(d.fresh, f.ID), d.rows+int(f.Rows)
		case was.deleted != p.deleted:
			d.trimmed = append(d.trimmed, f)
		}
	}
	for id := range m.parts {
		if _, still := d.parts[id]; !still {
			d.gone = append(d.gone, id)
		}
	}
	return d
}

// partsOf describes the fragments of a version.
func partsOf(v *manifest.Manifest) map[uint64]part {
	parts := make(map[uint64]part, len(v.Fragments))
	for _, f := range v.Fragments {
		p := part{physical: f.Rows + f.Deleted, rows: f.Rows}
		var data strings.Builder
		for _, file := range f.Files {
			if file.Kind == manifest.Data {
				data.WriteString(file.Path)
				data.WriteByte('\n')
			} else {
				p.deleted = file.Path
			}
		}
		p.data = data.String()
		parts[f.ID] = p
	}
	return parts
}
