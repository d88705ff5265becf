package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/archive"
)

// The daily backup is made in the gateway's process, and the operator looks from
// another one: what went wrong is kept in a small file beside the backups.
const backupFailures = ".memory-backup-failures.json"

type backupFailure struct {
	Failures int       `json:"failures"`
	Error    string    `json:"error"`
	Since    time.Time `json:"since"`
}

func readBackupFailure(dir string) (f backupFailure) {
	b, err := os.ReadFile(filepath.Join(dir, backupFailures))
	if err != nil || json.Unmarshal(b, &f) != nil {
		return backupFailure{}
	}
	return f
}

// noteBackupFailure does what it can: a directory that takes no backup may take
// no note either.
func noteBackupFailure(dir string, failures int, why error, now time.Time) {
	f := readBackupFailure(dir)
	if f.Failures == 0 {
		f.Since = now.UTC()
	}
	f.Failures, f.Error = max(f.Failures+1, failures), why.Error()
	b, err := json.Marshal(f)
	if err != nil {
		return
	}
	out, err := archive.Create(filepath.Join(dir, backupFailures))
	if err != nil {
		return
	}
	defer out.Abort()
	if _, err := out.Write(append(b, '\n')); err == nil {
		_ = out.Commit()
	}
}

func forgetBackupFailure(dir string) { _ = os.Remove(filepath.Join(dir, backupFailures)) }

// failed fills in what is kept about failures, by this process or another.
func (s *BackupState) failed(dir string, own *backups) {
	f := readBackupFailure(dir)
	s.Failures, s.LastError, s.Since = f.Failures, f.Error, f.Since
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.failures > s.Failures {
		s.Failures, s.LastError = own.failures, own.last.Error()
	}
}
