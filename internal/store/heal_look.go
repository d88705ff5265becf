package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// findings is what a look at a table's newest versions shows.
type findings struct {
	versions []manifest.Version // all there are, newest first
	// torn are the newest ones, up to the first that can be read.
	torn []manifest.Version
	why  []error // for each torn one
	// head is the newest that can be read; nil if none can.
	head   *manifest.Manifest
	faults []manifest.Fault // of head's files
}

func (f findings) whole() bool {
	return len(f.versions) == 0 || (len(f.torn) == 0 && len(f.faults) == 0)
}

// rowFaults are those of fragments: rows cannot be read because of them.
func rowFaults(faults []manifest.Fault) (list []manifest.Fault) {
	for _, f := range faults {
		if f.OfFragment {
			list = append(list, f)
		}
	}
	return list
}

// named are the damaged files, for people.
func (f findings) named() (list []string) {
	for i, v := range f.torn {
		list = append(list, fmt.Sprintf("%s (%v)", v.File, cause(f.why[i])))
	}
	for _, fault := range f.faults {
		list = append(list, fault.String())
	}
	return list
}

// cause leaves out the place, which stands before it already.
func cause(err error) error {
	for {
		many, ok := err.(interface{ Unwrap() []error })
		if !ok {
			return err
		}
		err = many.Unwrap()[len(many.Unwrap())-1]
	}
}

// lookAt reads the newest manifest of a table and looks for its files. Maintenance
// of another process may put a new version in its place meanwhile, and delete files
// that only the old one had; then it begins again. The write lock does not prevent
// that.
func lookAt(table string) (f findings, err error) {
	const looks = 5
	for range looks {
		if f, err = lookOnce(table); err == nil && f.whole() {
			break
		}
		now, lerr := manifest.List(table)
		if lerr != nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || (len(now) > 0 && len(f.versions) > 0 && now[0] == f.versions[0]) {
			break
		}
	}
	return f, err
}

func lookOnce(table string) (f findings, err error) {
	if f.versions, err = manifest.List(table); err != nil {
		return f, err
	}
	for _, v := range f.versions {
		m, err := manifest.Read(table, v)
		if errors.Is(err, manifest.ErrDamaged) {
			f.torn, f.why = append(f.torn, v), append(f.why, err)
			continue
		}
		if err != nil {
			return f, err
		}
		f.head = m
		f.faults, err = m.Check()
		return f, err
	}
	return f, nil
}

// tableDir is where the table of a local database lies.
func tableDir(path string) string { return filepath.Join(path, tableName+".lance") }
