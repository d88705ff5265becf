package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/archive"
)

// BackupState is how backing up fares.
type BackupState struct {
	Dir     string
	Enabled bool
	// Backups are all there are, newest first, each verified.
	Backups []Backup
	// Overdue is set when it is on, there is something to back up, and the newest
	// that verifies is older than three days.
	Overdue bool
	// Failures is how often the daily one failed since it last worked, in whichever
	// process; LastError and Since say why and from when on.
	Failures  int
	LastError string
	Since     time.Time
}

// Newest is the newest backup that verifies; false if none does.
func (s BackupState) Newest() (Backup, bool) {
	for _, b := range s.Backups {
		if b.Problem == nil {
			return b, true
		}
	}
	return Backup{}, false
}

// Backups reads all backups of this database whole. It does not open the database.
func (e *Engine) Backups(ctx context.Context) (BackupState, error) {
	if e.cfg.PathFault != "" {
		return BackupState{}, errors.New(e.cfg.PathFault)
	}
	dir, database := e.backupPlace()
	s := BackupState{Dir: dir, Enabled: e.cfg.Backup.Enabled}
	found, err := archive.List(dir, database)
	for _, f := range found {
		if ctx.Err() != nil {
			return s, fmt.Errorf("verifying backups: %w", ctx.Err())
		}
		s.Backups = append(s.Backups, examined(f.Path, f.Bytes))
	}
	s.failed(dir, &e.backups)
	newest, ok := s.Newest()
	switch {
	case !s.Enabled:
	case ok:
		s.Overdue = e.now().Sub(newest.At) > backupOverdue
	default:
		s.Overdue = s.Failures > 0
	}
	return s, err
}

// examined verifies one file.
func examined(path string, bytes int64) Backup {
	report, err := archive.Verify(path)
	return Backup{Path: path, Bytes: bytes, Count: report.Rows, At: report.At, Problem: err, Unstated: errors.Is(err, archive.ErrUnstated)}
}

// VerifyBackup reads one backup whole; the name "latest" is the newest there is.
func (e *Engine) VerifyBackup(_ context.Context, name string) (Backup, error) {
	if name == latest {
		dir, database := e.backupPlace()
		found, err := archive.List(dir, database)
		if err != nil {
			return Backup{}, err
		}
		if len(found) == 0 {
			return Backup{}, &NoBackupError{Dir: dir}
		}
		name = found[0].Path
	}
	info, err := os.Stat(name)
	if err != nil {
		return Backup{}, &BadInputError{Problem: err.Error()}
	}
	return examined(name, info.Size()), nil
}

// latest names the newest backup that verifies.
const latest = "latest"

// NoBackupError says that there is no backup, or none that verifies.
type NoBackupError struct{ Dir string }

func (e *NoBackupError) Error() string {
	return fmt.Sprintf("there is no backup in %s that can be read back whole; make one with `memory-pro backup now`", e.Dir)
}
