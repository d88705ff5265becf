package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// strayAge is how old a file that no version names must be to be removed: a
// younger one may be of a commit that another program is about to make.
const strayAge = time.Minute

// removeStrays removes the files of the table that its one version does not name:
// writes that never committed leave such, and LanceDB keeps them for a week.
func (s *Store) removeStrays(_ context.Context, erased *Erased) (err error) {
	if !s.local {
		erased.Left = append(erased.Left, "files in the bucket that belong to no version of the table are removed by LanceDB after a week")
		return nil
	}
	table := tableDir(s.path)
	list, err := manifest.List(table)
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, v := range list {
		m, err := manifest.Read(table, v)
		if err != nil {
			return err
		}
		name(m, named)
	}
	if len(list) > 1 {
		erased.Left = append(erased.Left, fmt.Sprintf("%d older versions of the table could not be deleted; they may hold what was erased", len(list)-1))
	}
	// What was deleted stays deleted through a power cut.
	defer func() {
		for _, dir := range []string{"_versions", "_transactions", "data", "_deletions", "_indices"} {
			if e := manifest.SyncDir(filepath.Join(table, dir)); e != nil && err == nil && !errors.Is(e, fs.ErrNotExist) {
				err = fmt.Errorf("making the removal durable: %w", e)
			}
		}
	}()
	for _, dir := range []string{"data", "_deletions", "_indices"} {
		err := filepath.WalkDir(filepath.Join(table, dir), func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || entry.IsDir() {
				return err
			}
			rel, err := filepath.Rel(table, path)
			if err != nil || named[rel] || named[filepath.Dir(rel)] {
				return err
			}
			return removeStray(path, entry, erased)
		})
		if err != nil {
			return fmt.Errorf("removing files that belong to no version: %w", err)
		}
	}
	return nil
}

// name collects what a version is made of: files, and directories of index
// segments whose files it does not list.
func name(m *manifest.Manifest, named map[string]bool) {
	for _, f := range m.Fragments {
		for _, file := range f.Files {
			named[filepath.FromSlash(file.Path)] = true
		}
	}
	for _, ix := range m.Indexes {
		if len(ix.Files) == 0 {
			named[filepath.FromSlash(ix.Dir)] = true
		}
		for _, file := range ix.Files {
			named[filepath.FromSlash(file.Path)] = true
		}
	}
}

func removeStray(path string, entry fs.DirEntry, e *Erased) error {
	info, err := entry.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case time.Since(info.ModTime()) < strayAge:
		e.Left = append(e.Left, path+" belongs to no version of the table, and was written just now: repeat this in a minute")
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	e.Files++
	return nil
}
