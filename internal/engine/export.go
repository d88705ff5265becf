package engine

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/archive"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// ExportRequest asks for memories as a file.
type ExportRequest struct {
	Who             Who
	Scope, Category string
	// Format is "ndjson" or "json", the TypeScript plugin's document. Empty goes by
	// the end of File's name: .json is json, everything else ndjson.
	Format string
	// Vectors puts them into the rows. Whoever imports with the same model need
	// not embed again.
	Vectors bool
	// File is written whole or not at all. Without one the rows go to Out.
	File string
	Out  io.Writer
}

// ExportAnswer says what was written.
type ExportAnswer struct {
	Count  int
	Bytes  int64
	Format string
	// SHA256 is of the rows' lines.
	SHA256 string
}

// Export writes every memory within reach, also those that are no longer
// current, in order of id: two exports of the same memories are equal but for
// the moment they state. It holds no lock, and no more than a few hundred rows
// in memory.
func (e *Engine) Export(ctx context.Context, r ExportRequest) (ExportAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return ExportAnswer{}, err
	}
	filter, err := access.Read(r.Scope)
	if err != nil {
		return ExportAnswer{}, err
	}
	if r.Category = strings.TrimSpace(r.Category); r.Category != "" {
		if _, _, err := category(r.Category); err != nil {
			return ExportAnswer{}, err
		}
	}
	if r.Format == "" {
		if r.Format = string(archive.NDJSON); strings.EqualFold(filepath.Ext(r.File), ".json") {
			r.Format = string(archive.JSON)
		}
	}
	format, err := archive.ParseFormat(r.Format)
	if err != nil {
		return ExportAnswer{}, &BadInputError{Problem: "exporting: " + err.Error()}
	}
	db, err := e.opened(ctx)
	if err != nil {
		return ExportAnswer{}, err
	}
	h := archive.Header{At: e.now(), Filters: archive.Filters{Scope: r.Scope, Category: r.Category}, Vectors: r.Vectors}
	if v := db.Vectors(); r.Vectors {
		h.Fingerprint, h.Dimensions = v.Recorded, v.TableWidth
	}
	var sum archive.Summary
	write := func(out io.Writer) error {
		w, err := archive.NewWriter(out, format, h)
		if err != nil {
			return err
		}
		err = db.Each(ctx, filter, memory.Narrow{Category: r.Category}, r.Vectors, func(ms []memory.Memory) error { return w.Write(ms...) })
		if err != nil {
			return err
		}
		sum, err = w.Finish()
		return err
	}
	if r.File == "" {
		err = write(r.Out)
	} else {
		err = writeFile(r.File, write)
	}
	if err != nil {
		return ExportAnswer{}, storage("exporting", err)
	}
	return ExportAnswer{Count: sum.Count, Bytes: sum.Bytes, SHA256: sum.SHA256, Format: r.Format}, nil
}

// writeFile gives path a content, whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := archive.Create(path)
	if err != nil {
		return &BadInputError{Problem: err.Error()}
	}
	defer f.Abort()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}
