package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Link gives the files of a version a second name in another table's directory, at
// the same place, and makes the names durable there. What is there already is left
// as it is: the names of data files, deletion files and indexes are random. The two
// directories have to lie on one file system.
func (m *Manifest) Link(table string) error {
	var files []string
	for _, fragment := range m.Fragments {
		for _, f := range fragment.Files {
			if f.Elsewhere {
				return fmt.Errorf("%w: its files lie elsewhere", ErrForeign)
			}
			files = append(files, f.Path)
		}
	}
	for _, ix := range m.Indexes {
		if ix.Inline {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(m.table, ix.Dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("linking the index %s: %w", ix.Name, err)
		}
		for _, entry := range entries {
			if entry.Type().IsRegular() {
				files = append(files, filepath.Join(ix.Dir, entry.Name()))
			}
		}
	}
	dirs := map[string]bool{table: true}
	for _, file := range files {
		to := filepath.Join(table, file)
		if dir := filepath.Dir(to); !dirs[dir] {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			dirs[dir], dirs[filepath.Dir(dir)] = true, true
		}
		if err := linkOrCopy(filepath.Join(m.table, file), to); err != nil {
			return fmt.Errorf("linking files of a table: %w", err)
		}
	}
	for dir := range dirs {
		if err := SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

func linkOrCopy(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // read only
	// Whole or not at all: a name that is there is taken for the file.
	out, err := os.CreateTemp(filepath.Dir(to), ".memory-pro-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name()) //nolint:errcheck // gone already when it was renamed
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Chmod(0o644), out.Sync(), out.Close()); err == nil {
		err = os.Rename(out.Name(), to)
	}
	return err
}

// Succeed publishes a version of one table as the version of another that comes
// after head: rows, columns and indexes are then those of m, as if the table had been
// overwritten in one commit. Older versions stay what they were. The files of m have
// been linked before (see Link). mark names the version for good: Named tells it
// from whatever another program may publish under its number.
//
// A version of that number that is there already is an error (fs.ErrExist), and
// nothing has changed then. The caller holds the table's write lock.
func (m *Manifest) Succeed(head *Manifest, mark string, now time.Time) (Version, error) {
	number := head.Number + 1
	v := Version{Number: number, Scheme: head.Scheme, File: filepath.Join(versionsDir, head.Scheme.name(number))}
	if err := m.Editable(); err != nil {
		return v, err
	}
	record, named := m.overwriting(head.Number, mark), fmt.Sprintf("%d-%s.txn", head.Number, mark)
	err := publish(filepath.Join(head.table, transactionsDir), named, record)
	if errors.Is(err, fs.ErrExist) {
		err = nil // of an attempt before that got no further
	}
	if err == nil {
		err = publish(filepath.Join(head.table, versionsDir), head.Scheme.name(number), m.encode(Drop{}, number, named, record, now))
	}
	if err != nil {
		return v, fmt.Errorf("writing version %d of %s: %w", number, head.table, err)
	}
	return v, nil
}

// Named reports whether a version was published by Succeed with that mark.
func (m *Manifest) Named(mark string) bool {
	for _, f := range m.fields {
		if f.number == fieldTxnFile {
			return string(f.bytes) == fmt.Sprintf("%d-%s.txn", m.Number-1, mark)
		}
	}
	return false
}

// NewMark is a mark nobody else uses.
func NewMark() string { return newID() }

// overwriting is the record of a transaction that replaces all rows and columns.
func (m *Manifest) overwriting(read uint64, id string) []byte {
	var operation []byte
	for _, f := range m.fields {
		switch f.number {
		case fieldFragments:
			operation = appendBytes(operation, 1, f.bytes)
		case fieldSchema:
			operation = appendBytes(operation, 2, f.bytes)
		}
	}
	var record []byte
	record = protowire.AppendTag(record, 1, protowire.VarintType)
	record = protowire.AppendVarint(record, read)
	record = appendBytes(record, 2, []byte(id))
	return appendBytes(record, 102, operation)
}
