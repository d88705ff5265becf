package engine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// rejectFile keeps the rows that were not taken, each on a line with its reason.
// Import reads such lines, so that rows can be put right in place.
type rejectFile struct {
	path    string
	written string // path once something is in it
	file    *os.File
	out     *bufio.Writer
	err     error
}

type rejectLine struct {
	Rejected Reject          `json:"rejected"`
	Row      json.RawMessage `json:"row,omitempty"`
	Raw      string          `json:"raw,omitempty"`
}

// add never fails the import: what is wrong is told at the end.
func (f *rejectFile) add(r Reject, raw []byte) {
	if f.path == "" || f.err != nil {
		return
	}
	if f.file == nil {
		// Rows are private, also those that cannot be read.
		if f.file, f.err = os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); f.err != nil {
			return
		}
		f.out, f.written = bufio.NewWriter(f.file), f.path
	}
	line := rejectLine{Rejected: r}
	var row bytes.Buffer
	if json.Compact(&row, raw) == nil {
		line.Row = row.Bytes()
	} else {
		line.Raw = strings.ToValidUTF8(string(raw), "\uFFFD")
	}
	enc := json.NewEncoder(f.out)
	enc.SetEscapeHTML(false)
	f.err = enc.Encode(line)
}

func (f *rejectFile) close() error {
	if f.file != nil {
		err := f.out.Flush()
		if closing := f.file.Close(); err == nil {
			err = closing
		}
		if f.err == nil {
			f.err = err
		}
	}
	if f.err != nil {
		return fmt.Errorf("the rows that were not taken could not be kept: %w", f.err)
	}
	return nil
}
