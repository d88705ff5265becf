package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Editor says what becomes of the rows of a file that is written anew.
type Editor struct {
	// Row sees each row, with its vector, and may change it. It is dropped unless
	// keep is set, and written as it was unless changed is.
	Row func(m *memory.Memory) (keep, changed bool)
	// Broken sees what cannot be read as a row; it is dropped unless keep is set.
	// nil keeps all.
	Broken func(raw []byte) (keep bool)
}

// Edited is what became of a file.
type Edited struct {
	// Rows were looked at, Dropped are gone, Changed say something else.
	Rows, Dropped, Changed int
}

// Edit writes a file of rows anew, in its own format, with counts and checksum
// renewed; the file is replaced in one step and keeps its time. One in which
// there is nothing to do is not touched. A damaged file stays one that Verify
// refuses: its last line is left out.
func Edit(path string, edit Editor) (Edited, error) {
	seen, format, header, err := survey(path, edit)
	if err != nil || seen.Dropped+seen.Changed == 0 {
		return seen, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return Edited{}, fmt.Errorf("reading %s: %w", path, cause(err))
	}
	out, err := Create(path)
	if err != nil {
		return Edited{}, err
	}
	defer out.Abort()
	done, err := rewrite(path, out, format, header, edit)
	if err != nil {
		return Edited{}, err
	}
	if err := out.Commit(); err != nil {
		return Edited{}, err
	}
	// The newest backup is the one with the newest time, whoever edited an older one.
	_ = os.Chtimes(path, time.Time{}, info.ModTime())
	return done, nil
}

// survey finds out what there is to do, and what the file is: a backup says so
// in its last line only.
func survey(path string, edit Editor) (Edited, Format, Header, error) {
	var seen Edited
	r, err := walk(path, func(it Item) error {
		seen.take(it, edit)
		return nil
	})
	if err != nil {
		return Edited{}, "", Header{}, err
	}
	format := r.Format()
	if len(r.Notes()) > 0 && format != JSON {
		format = Lines
	}
	return seen, format, r.Header(), nil
}

// take decides about one item and counts it.
func (e *Edited) take(it Item, edit Editor) (m memory.Memory, keep, changed bool) {
	e.Rows++
	if it.Err != nil {
		keep = edit.Broken == nil || edit.Broken(it.Raw)
	} else {
		m = it.Row.Memory
		keep, changed = edit.Row(&m)
	}
	switch {
	case !keep:
		e.Dropped++
	case changed:
		e.Changed++
	}
	return m, keep, changed
}

func rewrite(path string, out io.Writer, format Format, header Header, edit Editor) (Edited, error) {
	buffered := bufio.NewWriter(out)
	w, err := NewWriter(buffered, format, header)
	if err != nil {
		return Edited{}, err
	}
	if w.vector == nil { // a row that carries its vector keeps it all the same
		if w.vector = appendPacked; format == JSON {
			w.vector = appendNumbers
		}
	}
	var done Edited
	_, err = walk(path, func(it Item) error {
		m, keep, changed := done.take(it, edit)
		switch {
		case !keep:
			return nil
		case changed:
			return w.Write(m)
		}
		var line bytes.Buffer
		if json.Compact(&line, it.Raw) != nil {
			return w.raw(it.Raw) // broken as it is
		}
		return w.raw(line.Bytes())
	})
	if err == nil {
		_, err = w.Finish()
	}
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		return Edited{}, fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return done, nil
}

// walk reads a file to its end.
func walk(path string, each func(Item) error) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, cause(err))
	}
	defer f.Close()
	r, err := NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	r.UseVectors()
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err == nil {
			err = each(it)
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
	}
}
