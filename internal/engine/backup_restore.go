package engine

import (
	"context"
	"fmt"
	"os"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/archive"
)

// RestoreRequest names a backup to take back.
type RestoreRequest struct {
	// File is a path, or "latest" for the newest backup that verifies.
	File string
	// Overwrite lets the backup replace memories that say something else by now.
	Overwrite bool
	// DryRun counts and changes nothing.
	DryRun   bool
	Progress func(ImportAnswer)
}

// Restore stores the memories of a backup that are missing here; what is there
// stays, unless Overwrite. A file that does not verify is refused: Import takes
// what can be read of it.
func (e *Engine) Restore(ctx context.Context, r RestoreRequest) (Backup, ImportAnswer, error) {
	from, err := e.backupNamed(r.File)
	if err != nil {
		return from, ImportAnswer{}, err
	}
	if from.Problem != nil {
		return from, ImportAnswer{}, &BadInputError{Problem: fmt.Sprintf("restoring: %v; `memory-pro import` takes what can be read of it", from.Problem)}
	}
	f, err := os.Open(from.Path)
	if err != nil {
		return from, ImportAnswer{}, &BadInputError{Problem: "restoring: " + err.Error()}
	}
	defer f.Close()
	done, err := e.Import(ctx, ImportRequest{Who: Operator(), From: f, Replace: r.Overwrite, DryRun: r.DryRun, Progress: r.Progress})
	return from, done, err
}

// backupNamed is a backup, verified.
func (e *Engine) backupNamed(name string) (Backup, error) {
	if name != latest {
		info, err := os.Stat(name)
		if err != nil {
			return Backup{}, &BadInputError{Problem: "restoring: " + err.Error()}
		}
		return examined(name, info.Size()), nil
	}
	dir, database := e.backupPlace()
	f, ok, err := archive.Newest(dir, database)
	if err == nil && !ok {
		err = &NoBackupError{Dir: dir}
	}
	b := Backup{Path: f.Path, Bytes: f.Bytes, Count: f.Count, At: f.At}
	if err != nil {
		return b, err
	}
	// The newest is what was meant last; that more was there once is not hidden.
	larger, there, err := archive.Larger(dir, database, f.Count)
	if there {
		b.Larger, b.More = larger.Path, larger.Count
	}
	return b, err
}
