package store

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// loud fails a test for anything an operator would be told.
type loud struct{ t *testing.T }

func (l loud) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (l loud) WithAttrs([]slog.Attr) slog.Handler               { return l }
func (l loud) WithGroup(string) slog.Handler                    { return l }
func (l loud) Handle(_ context.Context, r slog.Record) error {
	l.t.Errorf("logged: %s", r.Message)
	return nil
}

// TestOpeningReadsNoRow is peer-defects.md E4: opening a database a second time
// reads no row, however many there are. Here none can be read: everything in the
// files of rows but their tables is noise, which whoever reads it runs into.
func TestOpeningReadsNoRow(t *testing.T) {
	noHandlesLeft(t)
	named := func(o *Options) { o.Fingerprint = `test model="a"` }
	dir := t.TempDir()
	s := open(t, dir, named)
	insert(t, s, numbered("row %d", 15)...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(tableDir(dir), "data", "*.lance"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tables := binary.LittleEndian.Uint64(data[len(data)-40:])
		for i := range tables {
			data[i] ^= 0xa5
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s = open(t, dir, named, func(o *Options) { o.Logger = slog.New(loud{t}) })
	if total(t, s) != 15 {
		t.Error("the rows are not counted by the table's own record")
	}
	err = s.Each(t.Context(), everyone(), memory.Narrow{}, true, func(ms []memory.Memory) error {
		for _, m := range ms {
			if len(m.Vector) != width || m.Vector[0] != vec(m.Text)[0] {
				return errors.New("noise")
			}
		}
		return nil
	})
	if err == nil {
		t.Error("the rows can be read, so that this test shows nothing")
	}
}
