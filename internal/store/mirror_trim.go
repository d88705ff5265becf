package store

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// trim drops the rows of a fragment that are deleted now. The file that says so is
// read here: through LanceDB it would be a look at all rows of the fragment.
func (s *Store) trim(m *mirror, f manifest.Fragment, p part) error {
	file, ok := f.Deletion()
	if !ok {
		return fmt.Errorf("fragment %d: %w", f.ID, errNotHeld)
	}
	read := manifest.ReadBitmap
	if file.Kind == manifest.DeletedList {
		read = readDeleted
	}
	gone, err := read(tableDir(s.path), file)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, place := range gone {
		m.remove(address(f.ID, uint64(place)))
	}
	m.parts[f.ID] = p
	return nil
}

// readDeleted reads a list of deleted rows: an Arrow file of one column of places.
func readDeleted(table string, file manifest.File) (places []uint32, err error) {
	f, err := os.Open(filepath.Join(table, file.Path))
	if err != nil {
		return nil, fmt.Errorf("reading which rows are deleted: %w", err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading which rows are deleted: %s: %w", file.Path, err)
	}
	defer r.Close()
	for i := range r.NumRecords() {
		rec, err := r.Record(i)
		if err != nil {
			return nil, fmt.Errorf("reading which rows are deleted: %s: %w", file.Path, err)
		}
		list, ok := rec.Column(0).(*array.Uint32)
		if !ok {
			return nil, fmt.Errorf("%s: %w", file.Path, errNotHeld)
		}
		places = append(places, list.Uint32Values()...)
	}
	return places, nil
}
