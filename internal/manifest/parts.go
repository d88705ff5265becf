package manifest

import (
	"fmt"
	"path"
)

// Fragment is a set of rows and the files they lie in.
type Fragment struct {
	ID uint64
	// Rows are live, Deleted ones are marked in the deletion file.
	Rows, Deleted uint64
	// Files are the data files and, last, the deletion file if there is one.
	Files []File
}

// Kind is what a file is for, and so how it ends.
type Kind int

// The kinds.
const (
	Data Kind = iota
	DeletedList
	DeletedBitmap
	IndexPart
)

// File is one file of a version.
type File struct {
	// Path is relative to the table's directory.
	Path string
	Kind Kind
	// Size in bytes; 0 if the manifest does not say.
	Size int64
	// Elsewhere is set for a file in another directory than the table's, which
	// is not looked at.
	Elsewhere bool
	// marked is how many rows a deletion file marks.
	marked uint64
}

// Index is one segment of an index.
type Index struct {
	UUID, Name string
	// Dir is relative to the table's directory.
	Dir string
	// Files may be empty although there are some: early versions list none.
	Files []File
	// Inline: everything is in the manifest, there need be no directory.
	Inline bool
}

func parseFragment(raw []byte) (Fragment, error) {
	var f Fragment
	parts, err := split(raw)
	if err != nil {
		return f, fmt.Errorf("a fragment: %w", err)
	}
	var physical uint64
	var deletion []byte
	for _, p := range parts {
		switch p.number {
		case 1:
			f.ID = p.value
		case 2:
			file, err := parseDataFile(p.bytes)
			if err != nil {
				return f, err
			}
			f.Files = append(f.Files, file)
		case 3:
			deletion = p.bytes
		case 4:
			physical = p.value
		}
	}
	if deletion != nil {
		file, err := parseDeletion(f.ID, deletion)
		if err != nil {
			return f, err
		}
		f.Deleted = file.marked
		f.Files = append(f.Files, file)
	}
	f.Rows = physical - min(physical, f.Deleted)
	return f, nil
}

func parseDataFile(raw []byte) (File, error) {
	f := File{Kind: Data}
	parts, err := split(raw)
	if err != nil {
		return f, fmt.Errorf("a data file: %w", err)
	}
	for _, p := range parts {
		switch p.number {
		case 1:
			f.Path = path.Join(dataDir, string(p.bytes))
		case 6:
			f.Size = int64(p.value)
		case 7:
			f.Elsewhere = true
		}
	}
	if f.Path == "" || f.Size < 0 {
		return f, fmt.Errorf("a data file without a name, or of %d bytes", f.Size)
	}
	return f, nil
}

// parseDeletion: the name of the file is made of the fragment and its numbers.
func parseDeletion(fragment uint64, raw []byte) (File, error) {
	f := File{Kind: DeletedList}
	parts, err := split(raw)
	if err != nil {
		return f, fmt.Errorf("a deletion file: %w", err)
	}
	var kind, version, id uint64
	for _, p := range parts {
		switch p.number {
		case 1:
			kind = p.value
		case 2:
			version = p.value
		case 3:
			id = p.value
		case 4:
			f.marked = p.value
		case 7:
			f.Elsewhere = true
		}
	}
	ending := "arrow"
	if kind != 0 {
		f.Kind, ending = DeletedBitmap, "bin"
	}
	f.Path = path.Join(deletionsDir, fmt.Sprintf("%d-%d-%d.%s", fragment, version, id, ending))
	return f, nil
}

func parseIndex(raw []byte) (Index, error) {
	var ix Index
	parts, err := split(raw)
	if err != nil {
		return ix, err
	}
	elsewhere := false
	for _, p := range parts {
		switch p.number {
		case 1:
			inner, err := split(p.bytes)
			if err != nil {
				return ix, err
			}
			for _, q := range inner {
				if q.number == 1 {
					ix.UUID = uuid(q.bytes)
				}
			}
		case 3:
			ix.Name = string(p.bytes)
		case 9:
			elsewhere = true
		case 10:
			file, err := parseIndexFile(p.bytes)
			if err != nil {
				return ix, err
			}
			ix.Files = append(ix.Files, file)
		}
	}
	if ix.UUID == "" {
		return ix, fmt.Errorf("index %q has no id", ix.Name)
	}
	ix.Dir = path.Join(indicesDir, ix.UUID)
	ix.Inline = elsewhere || systemIndex(ix.Name)
	for i := range ix.Files {
		ix.Files[i].Path = path.Join(ix.Dir, ix.Files[i].Path)
		ix.Files[i].Elsewhere = elsewhere
	}
	return ix, nil
}

func parseIndexFile(raw []byte) (File, error) {
	f := File{Kind: IndexPart}
	parts, err := split(raw)
	if err != nil {
		return f, err
	}
	for _, p := range parts {
		switch p.number {
		case 1:
			f.Path = string(p.bytes)
		case 2:
			f.Size = int64(p.value)
		}
	}
	return f, nil
}

// systemIndex: the library keeps records of its own in the form of indexes.
func systemIndex(name string) bool { return len(name) > 2 && name[:2] == "__" }
