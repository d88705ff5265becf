package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// What healing takes out of a table it keeps here, in a directory for each time,
// with a note beside it. Nobody but the operator deletes it.
const (
	asideDir  = ".memory-pro.aside"
	asideNote = "note.json"
)

// SetAside tells what was taken out of the table at one time, and why.
type SetAside struct {
	// Dir holds the files, in the places they had in the table's directory.
	Dir string    `json:"-"`
	At  time.Time `json:"at"`
	// What was damaged: "manifest", "data", "index" or "table"; or "uncertain": what
	// was not safe on the disk when the machine went down.
	What string `json:"what"`
	// Reason is for people.
	Reason string `json:"reason"`
	// Version was the table's newest, Instead is the one that took its place; 0
	// when the table was begun anew.
	Version uint64 `json:"version"`
	Instead uint64 `json:"instead"`
	// Faults are the damaged files, as "file problem".
	Faults []string `json:"faults"`
	// Rows could be read before, as the table's own record has it, and cannot now.
	Rows int64 `json:"rows,omitempty"`
	// Unsure is set when changes may be missing that no journal holds.
	Unsure bool `json:"unsure,omitempty"`
	// Repair is what `memory-pro doctor --repair` made of it.
	Repair *RepairNote `json:"repair,omitempty"`
}

// RepairNote is the outcome of a repair, in rows.
type RepairNote struct {
	At          time.Time `json:"at"`
	BroughtBack int64     `json:"broughtBack"`
	StillLost   int64     `json:"stillLost"`
	// Uncertain may be lost, or may have been forgotten; see Repaired.
	Uncertain int64 `json:"uncertain,omitempty"`
}

// asides reads the notes, oldest first. A directory without a readable note is
// left out; it is still there for people.
func asides(state string) ([]SetAside, error) {
	root := filepath.Join(state, asideDir)
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking at what was set aside: %w", err)
	}
	var list []SetAside
	for _, entry := range entries {
		a := SetAside{Dir: filepath.Join(root, entry.Name())}
		text, err := os.ReadFile(filepath.Join(a.Dir, asideNote))
		if err == nil && json.Unmarshal(text, &a) == nil {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b SetAside) int { return a.At.Compare(b.At) })
	return list, nil
}

// begin makes the directory of one healing.
func (a *SetAside) begin(state string) error {
	root := filepath.Join(state, asideDir)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	name := a.At.UTC().Format("20060102T150405Z") + "-" + a.What
	for n := 1; ; n++ {
		a.Dir = filepath.Join(root, name)
		if n > 1 {
			a.Dir = fmt.Sprintf("%s-%d", a.Dir, n)
		}
		if err := os.Mkdir(a.Dir, 0o700); !errors.Is(err, fs.ErrExist) {
			return errors.Join(err, manifest.SyncDir(state))
		}
	}
}

// write leaves the note, whole or not at all.
func (a *SetAside) write() error {
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(replaceFile(filepath.Join(a.Dir, asideNote), append(text, '\n')), manifest.SyncDir(filepath.Dir(a.Dir)))
}

// keep gives a file of the table a second name in the directory, or copies it
// where there are no links. A file that is not there is no error.
func (a *SetAside) keep(table, file string) error {
	from, to := filepath.Join(table, file), filepath.Join(a.Dir, file)
	info, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.Link(from, to); err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return copyFile(from, to)
}

// remove takes a file out of the table once the directory has it.
func (a *SetAside) remove(table, file string) error {
	if err := a.keep(table, file); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(table, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // read only
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// replaceFile puts a file in the place of another in one durable step.
func replaceFile(at string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(at), "."+strings.TrimPrefix(filepath.Base(at), ".")+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // gone already when it was renamed
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), at)
	}
	return errors.Join(err, manifest.SyncDir(filepath.Dir(at)))
}
