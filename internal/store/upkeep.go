package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// upkeepFile lies beside the lock. It tells other processes how maintenance fared.
const upkeepFile = ".memory-pro.upkeep.json"

// Upkeep is how maintenance of a database fared, by whichever process.
type Upkeep struct {
	// LastRun is when maintenance last ended, LastSuccess when it last did all it
	// wanted. Zero: never.
	LastRun     time.Time `json:"lastRun,omitzero"`
	LastSuccess time.Time `json:"lastSuccess,omitzero"`
	// Failures counts the runs since then in which a step failed; LastError and
	// LastErrorAt are of the newest failure ever.
	Failures    int       `json:"failures"`
	LastError   string    `json:"lastError,omitempty"`
	LastErrorAt time.Time `json:"lastErrorAt,omitzero"`
}

// ReadUpkeep reads how maintenance fared from the directory with a database's
// locks. Without a file nothing was ever maintained, and the Upkeep is zero.
func ReadUpkeep(dir string) (Upkeep, error) {
	var u Upkeep
	text, err := os.ReadFile(filepath.Join(dir, upkeepFile))
	if errors.Is(err, fs.ErrNotExist) {
		return u, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &u)
	}
	if err != nil {
		return Upkeep{}, fmt.Errorf("reading how maintenance fared: %w", err)
	}
	return u, nil
}

// writeUpkeep replaces the file in one step. Only who has the lock of maintenance
// writes it. After a power cut it may be gone, and is written anew.
func writeUpkeep(dir string, u Upkeep) error {
	text, err := json.MarshalIndent(u, "", "  ")
	if err != nil {
		return fmt.Errorf("noting how maintenance fared: %w", err)
	}
	f, err := os.CreateTemp(dir, upkeepFile+".*")
	if err != nil {
		return fmt.Errorf("noting how maintenance fared: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, upkeepFile))
	}
	if err != nil {
		return fmt.Errorf("noting how maintenance fared: %w", err)
	}
	return nil
}

// fared notes the end of a run.
func (u Upkeep) fared(now time.Time, failed error) Upkeep {
	u.LastRun = now
	if failed == nil {
		u.LastSuccess, u.Failures = now, 0
		return u
	}
	u.Failures, u.LastError, u.LastErrorAt = u.Failures+1, failed.Error(), now
	return u
}
