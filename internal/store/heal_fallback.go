package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// fallbackFile says, from the moment before healing puts an older version in the
// place of the newest until the journal has been replayed over it, which version
// that is. It survives a crash in between.
const fallbackFile = ".memory-pro.fallback"

type fallbackNote struct {
	Version uint64 `json:"version"`
}

// fallback returns the version healing fell back to, if the journal has not been
// replayed over it yet: every change of a later version, and every change of which
// no version is known, has to be looked at.
func (s *Store) fallback() (version int64, ok bool, err error) {
	at := filepath.Join(s.state, fallbackFile)
	text, err := os.ReadFile(at)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	var n fallbackNote
	if err == nil && json.Unmarshal(text, &n) != nil {
		n.Version = 0 // then everything is looked at
	}
	if err != nil {
		return 0, false, fmt.Errorf("reading %s: %w", at, err)
	}
	return int64(n.Version), true, nil
}

// fallbackDone is called when the journal has been replayed.
func (s *Store) fallbackDone() error {
	err := os.Remove(filepath.Join(s.state, fallbackFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// markFallback notes the version before anything changes. An earlier note that
// reaches further back stays.
func (s *Store) markFallback(version uint64) error {
	noted, ok, err := s.fallback()
	if err != nil || (ok && noted <= int64(version)) {
		return err
	}
	text, err := json.Marshal(fallbackNote{Version: version})
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(s.state, fallbackFile), append(text, '\n'))
}
