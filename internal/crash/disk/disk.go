// Package disk knows what a power cut may leave of a run. It records the file
// operations of a program (Record, with strace), and rebuilds the directory as a
// disk could hold it at any later moment.
//
// The disk it models keeps the least that POSIX promises: what was written to a
// file lasts once that file was synced afterwards, a name (of a new file, a
// link, a rename, a removal) once its directory was. Everything else may be
// there, missing or torn, each operation by itself and in any order.
//
// Caveats: a rename is one operation, durable with the directory it leads to, as
// on every file system with a log. Owners, modes and times are not kept.
package disk

import (
	"fmt"
	"hash/fnv"
	"os"
)

// Kind says what an operation does.
type Kind int

// The kinds.
const (
	Write    Kind = iota + 1 // Data at Offset of File
	Truncate                 // File to Offset bytes
	Names                    // Bindings
	Sync                     // of File, a file or directory; File 0 is the whole disk
	Mark                     // the program said Data on its mark descriptor
)

func (k Kind) String() string {
	return [...]string{"?", "write", "truncate", "names", "sync", "mark"}[k]
}

// Binding gives a name in a directory to a file, or takes it away (File 0).
type Binding struct {
	Dir  int
	Name string
	File int
	Path string // of the name when it was given, for people
}

// Op is one operation that succeeded. Operations are in the order in which they ended.
type Op struct {
	Kind     Kind
	File     int
	Offset   int64
	Data     []byte
	Bindings []Binding
	// NewDir is set on Names that make a directory.
	NewDir bool
	// Covers is, for Sync, how many operations had ended when it began.
	Covers int
	Path   string // of File, for people
}

func (o Op) String() string {
	switch o.Kind {
	case Write:
		return fmt.Sprintf("write %d bytes at %d of %s", len(o.Data), o.Offset, o.Path)
	case Truncate:
		return fmt.Sprintf("truncate %s to %d", o.Path, o.Offset)
	case Names:
		text := "name"
		for _, b := range o.Bindings {
			if b.File == 0 {
				text += " -" + b.Path
			} else {
				text += " +" + b.Path
			}
		}
		return text
	}
	return o.Kind.String() + " " + o.Path
}

// Trace is a recorded run over one directory.
type Trace struct {
	Ops  []Op
	base *tree // what was there before, and lasts
}

// Fate is what the disk made of an operation that was not synced.
type Fate struct {
	// Lost operations never happened.
	Lost bool
	// Torn writes keep their first Keep bytes, torn renames both names.
	Torn bool
	Keep int
	// Zeroed writes have their length and none of their bytes.
	Zeroed bool
}

// Kept is the fate of what arrived whole.
var Kept = Fate{}

// Unsynced lists the operations before the cut at n that no sync before the cut
// made durable.
func (t *Trace) Unsynced(n int) []int {
	covered := map[int]int{} // by file or directory: operations before this index are durable
	all := 0
	for _, o := range t.Ops[:n] {
		switch {
		case o.Kind != Sync:
		case o.File == 0:
			all = max(all, o.Covers)
		default:
			covered[o.File] = max(covered[o.File], o.Covers)
		}
	}
	var list []int
	for i, o := range t.Ops[:n] {
		var home int
		switch o.Kind {
		case Write, Truncate:
			home = o.File
		case Names:
			home = o.Bindings[0].Dir
		default:
			continue
		}
		if i >= max(all, covered[home]) {
			list = append(list, i)
		}
	}
	return list
}

// Image is the directory as a disk could hold it.
type Image struct{ tree *tree }

// Image is what is left of the first n operations when each one has its fate.
// Fates of operations that were synced are the caller's affair.
func (t *Trace) Image(n int, fate func(i int) Fate) Image {
	tr := t.base.clone()
	for i, o := range t.Ops[:n] {
		if f := fate(i); !f.Lost {
			tr.apply(o, f)
		}
	}
	return Image{tr}
}

// Write makes the image in dir, which must not exist yet.
func (im Image) Write(dir string) error {
	return im.tree.walk(rootDir, dir, func(path string, f *file) error {
		if f == nil {
			return os.Mkdir(path, 0o700)
		}
		return os.WriteFile(path, f.data, 0o600)
	})
}

// Sum tells images with different names or contents apart.
func (im Image) Sum() uint64 {
	h := fnv.New64a()
	_ = im.tree.walk(rootDir, ".", func(path string, f *file) error { // it fails only if this does
		if f == nil {
			fmt.Fprintf(h, "d%s\x00", path)
			return nil
		}
		fmt.Fprintf(h, "f%s\x00%d\x00", path, len(f.data))
		h.Write(f.data)
		return nil
	})
	return h.Sum64()
}
