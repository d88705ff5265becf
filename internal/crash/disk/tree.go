package disk

import (
	"os"
	"path/filepath"
	"slices"
)

const rootDir = 1

// file is the content of a file.
type file struct{ data []byte }

// tree is a directory with everything below it. Files and directories have
// numbers, names lead to numbers.
type tree struct {
	files map[int]*file
	dirs  map[int]map[string]int
	next  int
}

func newTree() *tree {
	return &tree{files: map[int]*file{}, dirs: map[int]map[string]int{rootDir: {}}, next: rootDir + 1}
}

// load reads what lies in a directory.
func load(root string) (*tree, error) {
	tr := newTree()
	var read func(dir int, path string) error
	read = func(dir int, path string) error {
		list, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range list {
			id, at := tr.number(), filepath.Join(path, e.Name())
			tr.dirs[dir][e.Name()] = id
			if e.IsDir() {
				tr.dirs[id] = map[string]int{}
				if err := read(id, at); err != nil {
					return err
				}
				continue
			}
			data, err := os.ReadFile(at)
			if err != nil {
				return err
			}
			tr.files[id] = &file{data}
		}
		return nil
	}
	return tr, read(rootDir, root)
}

func (tr *tree) number() int {
	tr.next++
	return tr.next - 1
}

func (tr *tree) clone() *tree {
	c := &tree{files: make(map[int]*file, len(tr.files)), dirs: make(map[int]map[string]int, len(tr.dirs)), next: tr.next}
	for id, f := range tr.files {
		c.files[id] = &file{slices.Clone(f.data)}
	}
	for id, names := range tr.dirs {
		c.dirs[id] = map[string]int{}
		for name, to := range names {
			c.dirs[id][name] = to
		}
	}
	return c
}

func (tr *tree) apply(o Op, f Fate) {
	switch o.Kind {
	case Write:
		data := o.Data
		switch {
		case f.Zeroed:
			data = make([]byte, len(o.Data))
		case f.Torn:
			data = o.Data[:min(f.Keep, len(o.Data))]
		}
		at := tr.file(o.File)
		if end := int(o.Offset) + len(data); len(data) > 0 && end > len(at.data) {
			at.data = append(at.data, make([]byte, end-len(at.data))...)
		}
		copy(at.data[min(int(o.Offset), len(at.data)):], data)
	case Truncate:
		at := tr.file(o.File)
		if n := int(o.Offset); n <= len(at.data) {
			at.data = at.data[:n:n]
		} else {
			at.data = append(at.data, make([]byte, n-len(at.data))...)
		}
	case Names:
		for _, b := range o.Bindings {
			names := tr.dir(b.Dir)
			switch {
			case b.File != 0:
				names[b.Name] = b.File
				if o.NewDir {
					tr.dir(b.File)
				}
			case !f.Torn:
				delete(names, b.Name)
			}
		}
	}
}

func (tr *tree) file(id int) *file {
	if tr.files[id] == nil {
		tr.files[id] = &file{}
	}
	return tr.files[id]
}

func (tr *tree) dir(id int) map[string]int {
	if tr.dirs[id] == nil {
		tr.dirs[id] = map[string]int{}
	}
	return tr.dirs[id]
}

// walk calls fn for every directory, with nil, and every file, parents first and
// in the order of their names. A name whose file got no bytes is an empty file.
func (tr *tree) walk(id int, path string, fn func(path string, f *file) error) error {
	names, isDir := tr.dirs[id]
	if !isDir {
		return fn(path, tr.file(id))
	}
	if err := fn(path, nil); err != nil {
		return err
	}
	list := make([]string, 0, len(names))
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	for _, name := range list {
		if err := tr.walk(names[name], filepath.Join(path, name), fn); err != nil {
			return err
		}
	}
	return nil
}
