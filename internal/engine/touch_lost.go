package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// LostTouches says how many recalls of a memory were not counted, by any process,
// since the database was made.
type LostTouches struct {
	Count int64     `json:"count"`
	Last  time.Time `json:"last"`
	Error string    `json:"error"`
}

// lostFile lies in the state directory. It is there for doctor, which is another
// process than the one that lost them, and only once something was lost.
const lostFile = ".memory-pro.uncounted.json"

// ReadLostTouches reads what was lost; zero if nothing was, or nobody noted it.
func ReadLostTouches(stateDir string) LostTouches {
	var lost LostTouches
	text, err := os.ReadFile(filepath.Join(stateDir, lostFile))
	if err != nil || json.Unmarshal(text, &lost) != nil {
		return LostTouches{}
	}
	return lost
}

// noteLost is a courtesy: where it cannot be written, the log has it.
func noteLost(stateDir string, n int64, at time.Time, reason error) {
	lost := ReadLostTouches(stateDir)
	lost = LostTouches{Count: lost.Count + n, Last: at.UTC(), Error: reason.Error()}
	if text, err := json.Marshal(lost); err == nil {
		_ = os.WriteFile(filepath.Join(stateDir, lostFile), append(text, '\n'), 0o600)
	}
}
