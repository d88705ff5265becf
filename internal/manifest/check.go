package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Fault is a file of a version that is not as the manifest says.
type Fault struct {
	// File is relative to the table's directory.
	File string
	// Problem is for people: "is missing", "has 12 of 4096 bytes".
	Problem string
	// Missing is set when there is nothing at all.
	Missing bool
	// Fragment is the number of the fragment the file belongs to, if OfFragment.
	Fragment   uint64
	OfFragment bool
	// Index is the name of the index the file belongs to; empty for a fragment's.
	Index string
}

func (f Fault) String() string { return f.File + " " + f.Problem }

// Check looks for the files of a version: is each there, as long as it should be,
// and does it end as its kind ends, with tables that make sense? It costs one look
// at the directory's entry and one short read a file. Damage to the rows inside a
// file is not seen.
//
// An error means that a file could not be looked at, which says nothing about it.
func (m *Manifest) Check() (faults []Fault, err error) {
	for _, fragment := range m.Fragments {
		for _, file := range fragment.Files {
			problem, err := m.look(file)
			if err != nil {
				return nil, err
			}
			if problem != "" {
				faults = append(faults, Fault{File: file.Path, Problem: problem, Missing: problem == missing,
					Fragment: fragment.ID, OfFragment: true})
			}
		}
	}
	for _, ix := range m.Indexes {
		files, err := m.indexFiles(ix)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			problem, err := m.look(file)
			if err != nil {
				return nil, err
			}
			if problem != "" {
				faults = append(faults, Fault{File: file.Path, Problem: problem, Missing: problem == missing, Index: ix.Name})
			}
		}
	}
	return faults, nil
}

// indexFiles is what the manifest lists or, failing that, what is there. A
// directory that should be there and is not counts as a missing file.
func (m *Manifest) indexFiles(ix Index) ([]File, error) {
	if len(ix.Files) > 0 || ix.Inline {
		return ix.Files, nil
	}
	entries, err := os.ReadDir(filepath.Join(m.table, ix.Dir))
	if errors.Is(err, fs.ErrNotExist) || (err == nil && len(entries) == 0) {
		return []File{{Path: ix.Dir, Kind: IndexPart}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking at index %q: %w", ix.Name, err)
	}
	var files []File
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			files = append(files, File{Path: path.Join(ix.Dir, entry.Name()), Kind: IndexPart})
		}
	}
	return files, nil
}

const missing = "is missing"

// look says what is wrong with a file, if anything is.
func (m *Manifest) look(file File) (problem string, err error) {
	if file.Elsewhere {
		return "", nil
	}
	at := filepath.Join(m.table, file.Path)
	info, err := os.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing, nil
	case err != nil:
		return "", fmt.Errorf("looking at %s: %w", at, err)
	case !info.Mode().IsRegular():
		return "is not a file", nil
	case file.Size > 0 && info.Size() != file.Size:
		return fmt.Sprintf("has %d bytes instead of %d", info.Size(), file.Size), nil
	}
	if file.Kind == DeletedBitmap {
		return lookAtBitmap(at, file.marked)
	}
	switch ext := path.Ext(file.Path); {
	case file.Kind == DeletedList:
		return lookAtEnd(at, info.Size(), "ARROW1")
	case file.Kind == IndexPart && !slices.Contains([]string{".lance", ".idx"}, ext):
		return "", nil
	}
	return lookInside(at, info.Size())
}

func lookAtEnd(at string, size int64, want string) (problem string, err error) {
	if size < int64(len(want)) {
		return fmt.Sprintf("has %d bytes, its end is missing", size), nil
	}
	f, err := os.Open(at)
	if err != nil {
		return "", fmt.Errorf("looking at %s: %w", at, err)
	}
	defer f.Close() //nolint:errcheck // read only
	end := make([]byte, len(want))
	if _, err := f.ReadAt(end, size-int64(len(want))); err != nil {
		return "", fmt.Errorf("looking at %s: %w", at, err)
	}
	if string(end) != want {
		return "does not end as such a file does", nil
	}
	return "", nil
}
