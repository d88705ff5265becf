// Package host reads and edits openclaw.json, the host's configuration file.
//
// The file is JSON5 and belongs to its owner: people keep comments, order and
// spelling in it. An edit therefore changes the text where it must and nowhere
// else, and is checked afterwards by decoding both versions: what the edit was
// not about has to be equal. Where that cannot be done, Apply refuses with
// *CannotError, and Commands says how the host itself makes the change.
//
// Caveats: values that are split over several files with $include are not
// followed; editing such a file is refused.
package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/titanous/json5"
)

// File is the configuration as it was read.
type File struct {
	// Path is the file itself, behind any symbolic link.
	Path string
	// Text is its content; empty when Missing.
	Text    []byte
	Missing bool

	mode fs.FileMode
	root any
}

// Read reads a file. One that is not there is an empty configuration.
func Read(path string) (*File, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	f := &File{Path: path, mode: 0o600, root: map[string]any{}}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		f.Missing = true
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the host's configuration: %w", err)
	}
	f.mode = info.Mode().Perm()
	if f.Text, err = os.ReadFile(path); err != nil {
		return nil, fmt.Errorf("reading the host's configuration: %w", err)
	}
	if f.root, err = decode(f.Text); err != nil {
		return nil, fmt.Errorf("reading the host's configuration %s: %w; correct it, `openclaw config validate` says where", path, err)
	}
	return f, nil
}

func decode(text []byte) (any, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}, nil
	}
	var root any
	if json.Valid(text) {
		return root, json.Unmarshal(text, &root)
	}
	if err := json5.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("not JSON5: %w", err)
	}
	return root, nil
}

// Get finds a value by its path.
func (f *File) Get(path ...string) (any, bool) { return get(f.root, path) }

func get(at any, path []string) (any, bool) {
	for _, key := range path {
		object, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = object[key]; !ok {
			return nil, false
		}
	}
	return at, true
}

// Write replaces the file in one step, after keeping a copy of the old one
// beside it, whose path it returns. It refuses when somebody has changed the
// file since it was read.
func (f *File) Write(text []byte, now time.Time) (backup string, err error) {
	current, err := os.ReadFile(f.Path)
	if err != nil && !(f.Missing && errors.Is(err, fs.ErrNotExist)) {
		return "", fmt.Errorf("writing the host's configuration: %w", err)
	}
	if !bytes.Equal(current, f.Text) {
		return "", fmt.Errorf("writing the host's configuration: %s was changed meanwhile; nothing was written, try again", f.Path)
	}
	if f.Missing {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			return "", fmt.Errorf("writing the host's configuration: %w", err)
		}
	} else {
		backup = f.Path + ".memory-pro-" + now.UTC().Format("20060102T150405Z") + ".bak"
		if err := replace(backup, f.Text, f.mode); err != nil {
			return "", fmt.Errorf("keeping a copy of the host's configuration: %w; nothing was written", err)
		}
	}
	if err := replace(f.Path, text, f.mode); err != nil {
		return backup, fmt.Errorf("writing the host's configuration: %w", err)
	}
	return backup, nil
}

// replace writes a file so that a reader, or a power cut, finds the old content
// or the new one, never half of it.
func replace(path string, text []byte, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".memory-pro-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone after the rename
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// With is the file as it would be with another text. Write is for the original.
func (f *File) With(text []byte) (*File, error) {
	root, err := decode(text)
	if err != nil {
		return nil, err
	}
	after := *f
	after.Text, after.root, after.Missing = text, root, false
	return &after, nil
}
