package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/archive"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// isThisDatabase reports whether source is the configured database, by whatever name.
func (e *Engine) isThisDatabase(source string) (bool, error) {
	if strings.Contains(source, "://") || strings.Contains(e.cfg.DBPath, "://") {
		return strings.TrimRight(source, "/") == strings.TrimRight(e.cfg.DBPath, "/"), nil
	}
	from, err := os.Stat(source)
	if err != nil {
		return false, &BadInputError{Problem: fmt.Sprintf("embedding anew: the database %s cannot be read: %v", source, err)}
	}
	if here, err := os.Stat(e.cfg.DBPath); err == nil {
		return os.SameFile(from, here), nil
	}
	a, aerr := filepath.Abs(source)
	b, berr := filepath.Abs(e.cfg.DBPath)
	return a == b, errors.Join(aerr, berr)
}

// openSource opens another database for reading.
func (e *Engine) openSource(ctx context.Context, source string) (*store.Store, error) {
	o := e.storeOptions()
	o.Path, o.ReadOnly, o.Dimensions, o.Fingerprint = source, true, 0, ""
	if !strings.Contains(source, "://") {
		names, err := filepath.Glob(filepath.Join(source, "*.lance"))
		if err == nil && len(names) == 0 {
			err = errors.New("there is no table in it")
		}
		if err != nil {
			return nil, &BadInputError{Problem: fmt.Sprintf("embedding anew: %s is no database of memories: %v", source, err)}
		}
	}
	db, err := store.Open(ctx, o)
	if err != nil {
		return nil, storage("embedding anew: opening "+source, err)
	}
	return db, nil
}

// reembedFrom copies another database into the configured one. Ids are kept, and what
// is there under an id stays as it is, unless it is to be replaced, so that doing it
// again doubles nothing, undoes no later change and goes on where it stopped; the
// source is only read.
func (e *Engine) reembedFrom(ctx context.Context, r ReembedRequest) (answer ReembedAnswer, err error) {
	from, err := e.openSource(ctx, r.Source)
	if err != nil {
		return answer, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	total, err := from.Count(ctx, scope.Operator().Filter(), memory.Narrow{})
	if err != nil {
		return answer, storage("embedding anew", err)
	}
	db, err := e.opened(ctx)
	if err != nil {
		return answer, err
	}
	if err := db.CheckVectors(); err != nil {
		return answer, &BadInputError{Problem: fmt.Sprintf("embedding anew: %s holds vectors of another model itself; name an empty directory with --db, or embed it in place first: %v", e.cfg.DBPath, err)}
	}
	v, was := db.Vectors(), from.Vectors()
	answer = ReembedAnswer{From: was.Recorded, FromWidth: was.TableWidth, To: v.Current, ToWidth: v.ModelWidth, Rows: int(total), Needed: true}
	if r.Limit > 0 {
		answer.Rows = min(answer.Rows, r.Limit)
	}
	if r.Step != nil {
		r.Step(fmt.Sprintf("copying %s of %s, embedded with %s", count(answer.Rows, "memory"), r.Source, answer.To))
	}
	out, in := io.Pipe()
	go func() { in.CloseWithError(pour(ctx, from, in, r.Limit)) }()
	defer out.Close() //nolint:errcheck // ends the other side
	i := ImportRequest{Who: r.Who, From: out, Replace: r.Replace, DryRun: r.DryRun, Batch: r.Batch}
	if r.Progress != nil {
		i.Progress = func(done ImportAnswer) { r.Progress(done.Read, answer.Rows) }
	}
	answer.Import, err = e.Import(ctx, i)
	if total == 0 && as[*BadInputError](err) {
		err = nil // a file without rows
	}
	answer.Interrupted, answer.Limited = answer.Import.Interrupted, r.Limit > 0 && int64(r.Limit) < total
	answer.Embedded = answer.Import.Imported + answer.Import.Replaced - answer.Import.Pending
	if err != nil || r.DryRun || answer.Import.Interrupted {
		return answer, err
	}
	if err := e.fillAll(ctx, db); err != nil && ctx.Err() == nil {
		answer.Import.PendingBecause = cmp.Or(answer.Import.PendingBecause, err.Error())
	}
	counts, err := db.Stats(ctx, scope.Operator().Filter())
	if err != nil {
		return answer, storage("embedding anew", err)
	}
	answer.Pending = int(counts.Pending)
	answer.Complete = !answer.Limited && answer.Import.Rejected == 0 && answer.Pending == 0
	answer.Waiting, err = e.waitingOnes(ctx, db)
	return answer, err
}

// pour writes the rows of a database as a file for Import.
func pour(ctx context.Context, from *store.Store, out io.Writer, limit int) error {
	w, err := archive.NewWriter(out, archive.NDJSON, archive.Header{})
	if err != nil {
		return err
	}
	left := limit
	err = from.Each(ctx, scope.Operator().Filter(), memory.Narrow{}, false, func(ms []memory.Memory) error {
		if limit > 0 {
			if ms = ms[:min(left, len(ms))]; len(ms) == 0 {
				return errLimit
			}
			left -= len(ms)
		}
		return w.Write(ms...)
	})
	if err != nil && !errors.Is(err, errLimit) {
		return err
	}
	_, err = w.Finish()
	return err
}
