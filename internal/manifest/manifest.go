// Package manifest reads the directory of a Lance table without the native
// library: which versions there are, which files each is made of, and whether
// these are whole. It can also write a version that does without damaged files.
//
// A table is a directory:
//
//	_versions/     one manifest a version, see Version
//	data/          the rows, one or more files a fragment
//	_deletions/    which rows of a fragment are deleted
//	_indices/      one directory an index segment
//	_transactions/ what each version changed
//
// Nothing here deletes or overwrites a file, and nothing takes a lock: whoever
// writes has to hold the table's write lock.
package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Directories of a table.
const (
	versionsDir     = "_versions"
	dataDir         = "data"
	deletionsDir    = "_deletions"
	indicesDir      = "_indices"
	transactionsDir = "_transactions"
)

// Scheme is how a table names its manifests. A table has one.
type Scheme int

// The schemes.
const (
	// Plain: "7.manifest" is version 7.
	Plain Scheme = iota
	// Inverted: the number is counted down from the largest 64-bit number and has
	// twenty digits, so that a bucket lists the newest first.
	Inverted
)

// name is the file name of a version.
func (s Scheme) name(version uint64) string {
	if s == Inverted {
		return fmt.Sprintf("%020d.manifest", math.MaxUint64-version)
	}
	return fmt.Sprintf("%d.manifest", version)
}

// Version is one manifest file, by its name alone.
type Version struct {
	Number uint64
	Scheme Scheme
	// File is the manifest, relative to the table's directory.
	File string
}

// List returns the versions of the table in a directory, newest first. A table
// that has none, or is not there, has an empty list. Temporary files and versions
// detached from the line of versions are left out.
func List(table string) ([]Version, error) {
	entries, err := os.ReadDir(filepath.Join(table, versionsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the versions of %s: %w", table, err)
	}
	var list []Version
	for _, entry := range entries {
		if v, ok := parseName(entry.Name()); ok {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b Version) int { return cmp.Compare(b.Number, a.Number) })
	return list, nil
}

func parseName(name string) (Version, bool) {
	digits, ok := strings.CutSuffix(name, ".manifest")
	if !ok {
		return Version{}, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return Version{}, false
	}
	v := Version{Number: n, File: filepath.Join(versionsDir, name)}
	if len(digits) == 20 {
		v.Number, v.Scheme = math.MaxUint64-n, Inverted
	}
	return v, true
}
