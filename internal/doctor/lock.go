package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

const (
	// longHeld: writers hold the lock for milliseconds, a large import for seconds.
	longHeld = 30 * time.Second
	// foreignAlive is how young a lock of the TypeScript plugin is while its
	// writer lives: it renews it every few seconds.
	foreignAlive = 10 * time.Second
)

// lock: does anybody keep others from writing?
func lock(ctx context.Context, p *Patient) []Finding {
	const name = "lock"
	if p.Engine == nil || p.Config.DBPath == "" {
		return unseen(name)
	}
	state, err := p.Engine.Lock()
	if err != nil {
		return []Finding{{Check: name, Status: Warn, Summary: err.Error(), Next: "see whether the file system supports locks (network shares often do not)"}}
	}
	m, err := p.Engine.MachineLock(ctx)
	return append(lockFindings(state, p.Now), machineLockFindings(m, err)...)
}

// machineLockFindings: can the lock in Redis be had, if there is to be one?
func machineLockFindings(m *engine.MachineLock, err error) []Finding {
	const name = "machine lock"
	switch {
	case err != nil:
		return []Finding{{Check: name, Status: Fail, Summary: err.Error(), Next: "until that is done memories are found, and none is stored"}}
	case m == nil:
		return nil
	case m.Holder != "":
		return []Finding{{Check: name, Status: Note, Summary: fmt.Sprintf("Redis at %s: held by %s", m.Server, m.Holder), Facts: map[string]any{"server": m.Server, "held": true}}}
	}
	return []Finding{{Check: name, Status: OK, Summary: fmt.Sprintf("Redis at %s: free", m.Server), Facts: map[string]any{"server": m.Server, "held": false}}}
}

func lockFindings(state store.LockState, now time.Time) []Finding {
	f := Finding{Check: "lock", Status: OK, Summary: "free", Facts: map[string]any{"held": state.Held}}
	if state.Held {
		f.Status, f.Summary = Note, fmt.Sprintf("held by %s", state.Holder)
		f.Facts["pid"], f.Facts["since"] = state.Holder.PID, state.Holder.Since
		if held := now.Sub(state.Holder.Since); state.Holder.PID != 0 && held > longHeld {
			f.Status = Warn
			f.Summary += fmt.Sprintf(", %s ago", held.Round(time.Second))
			f.Next = "see whether that process still works, and end it if it hangs; the lock ends with it"
		}
	}
	found := []Finding{f}
	names := slices.Sorted(maps.Keys(state.Foreign))
	if len(names) == 0 {
		return found
	}
	newest := state.Foreign[names[0]]
	for _, at := range state.Foreign {
		if at.After(newest) {
			newest = at
		}
	}
	foreign := Finding{Check: "lock", Status: Note, Facts: map[string]any{"files": names},
		Summary: "the TypeScript plugin has left " + strings.Join(names, ", ") + " beside the database; its writer is gone, and nothing here waits for it"}
	if now.Sub(newest) < foreignAlive {
		foreign.Status = Warn
		foreign.Summary = "the TypeScript plugin is writing to the same database; we wait for its lock, it takes no notice of ours"
		foreign.Next = "stop the gateway or program that still runs it"
	}
	return append(found, foreign)
}
