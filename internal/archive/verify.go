package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Report is what a whole file turned out to hold.
type Report struct {
	Format Format
	Rows   int
	// At is when it was written, Database the name of what was backed up.
	At       time.Time
	Database string
}

// ErrUnstated means that every row of a file can be read, but that it does not
// say how many there should be. Backups of the TypeScript plugin are so, and so
// is one of ours that was cut between two lines.
var ErrUnstated = errors.New("every row can be read, but it does not say whether these are all")

// Verify reads a whole file of ours and is an error unless all is there as it
// was written. Every row is decoded; that their number and checksum are right
// is not taken from anybody's word.
func Verify(path string) (Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return Report{}, fmt.Errorf("reading %s: %w", path, cause(err))
	}
	defer f.Close()
	report, err := verify(f)
	switch {
	case errors.Is(err, ErrUnstated):
		err = fmt.Errorf("%s cannot be verified: %w", path, err)
	case err != nil:
		err = fmt.Errorf("%s is damaged: %w", path, err)
	}
	return report, err
}

func verify(r io.Reader) (Report, error) {
	f, err := NewReader(r)
	var report Report
	for err == nil {
		var it Item
		if it, err = f.Next(); err != nil {
			break
		}
		report.Rows++
		if it.Err != nil {
			return report, fmt.Errorf("line %d: %w", it.Line, it.Err)
		}
	}
	report.Format, report.At, report.Database = f.Format(), f.Header().At, f.Header().Database
	switch {
	case !errors.Is(err, io.EOF):
		return report, err
	case len(f.Notes()) > 0:
		return report, errors.New(strings.Join(f.Notes(), "; "))
	case f.trailer == nil && f.format != JSON, f.format == JSON && f.stated < 0:
		return report, ErrUnstated
	}
	return report, nil
}
