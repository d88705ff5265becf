// Package archive reads and writes memories as files: exports, backups, and
// what other programs export. It moves bytes and knows no database.
//
// Formats. NDJSON: a header line, a line a row, a trailer line with the number
// of rows and the SHA-256 of their lines. JSON: the one document of the
// TypeScript plugin, {"version", "exportedAt", "filters", "memories", "count"}.
// Backup: NDJSON without the header, so that every line but the last is a row
// as the TypeScript plugin's daily backup has it. All are read by one Reader,
// and so are lists of rows and lines of rows that anybody else wrote.
//
// Everything streams: memory use does not depend on the size of a file. A row
// that cannot be read is told with its line, and the next one is read.
//
// Caveats: the checksum finds damage, not forgery.
package archive

import (
	"fmt"
	"time"
)

// Format is how a file is laid out.
type Format string

// The formats that are written. Lines is only read: rows without anything
// around them.
const (
	NDJSON Format = "ndjson"
	JSON   Format = "json"
	Backup Format = "backup"
	Lines  Format = "lines"
)

// Names of our own lines. A row never begins like them.
const (
	exportMark = "memory-pro.export"
	backupMark = "memory-pro.backup"
	markPrefix = `{"format":"memory-pro.`
)

// formatVersion is counted up when a reader of today could not read tomorrow's file.
const formatVersion = 1

// Filters are what an export was restricted to.
type Filters struct {
	Scope    string `json:"scope,omitempty"`
	Category string `json:"category,omitempty"`
}

// Header says what a file holds.
type Header struct {
	// At is when it was written.
	At      time.Time
	Filters Filters
	// Vectors is set when the rows carry theirs. Fingerprint says what wrote
	// them, Dimensions how many numbers each has.
	Vectors     bool
	Fingerprint string
	Dimensions  int
	// Database tells the backups of several databases apart that lie in one
	// directory.
	Database string
}

// Summary is what a trailer states.
type Summary struct {
	Count int
	// SHA256 is of the rows' lines, each with its line end, in hex.
	SHA256 string
	// Bytes is the size of all that was written.
	Bytes int64
}

// headerLine and trailerLine are our own lines of NDJSON.
type headerLine struct {
	Format      string  `json:"format"`
	Version     int     `json:"version"`
	At          string  `json:"exportedAt"`
	Filters     Filters `json:"filters"`
	Vectors     bool    `json:"vectors"`
	Fingerprint string  `json:"fingerprint,omitempty"`
	Dimensions  int     `json:"dimensions,omitempty"`
}

type trailerLine struct {
	Format   string `json:"format"`
	Version  int    `json:"version"`
	End      bool   `json:"end"`
	At       string `json:"finishedAt,omitempty"`
	Database string `json:"database,omitempty"`
	Count    int    `json:"count"`
	SHA256   string `json:"sha256"`
}

// stamp is a moment as files state it: UTC, to the millisecond, as JavaScript
// prints it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func unstamp(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// ParseFormat reads the name of a format that an export may have.
func ParseFormat(s string) (Format, error) {
	switch f := Format(s); f {
	case NDJSON, JSON:
		return f, nil
	}
	return "", fmt.Errorf("unknown format %.40q; use ndjson or json", s)
}
