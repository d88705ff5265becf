package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// recordFinding: is every accepted change on record, and in the table?
func recordFinding(j store.JournalState) Finding {
	f := Finding{Check: "journal", Status: OK, Facts: map[string]any{
		"entries": j.Entries, "unsettled": j.Unsettled, "sinceCheckpoint": j.Pending, "bytes": j.Bytes, "tableVersion": j.Version}}
	f.Summary = fmt.Sprintf("%d %s on record (%s)", j.Entries, plural(int64(j.Entries), "change is", "changes are"), size(j.Bytes))
	if j.Entries > 0 {
		f.Facts["oldest"], f.Facts["newest"] = j.Oldest, j.Newest
		f.Summary += ", since " + j.Oldest.Format("2006-01-02")
	}
	if !j.Checkpoint.IsZero() {
		f.Facts["checkpoint"] = j.Checkpoint
		f.Summary += fmt.Sprintf("; the table was last made safe on the disk on %s", j.Checkpoint.UTC().Format("2006-01-02 15:04"))
	}
	switch {
	case len(j.Gaps) > 0:
		f.Status, f.Facts["gaps"] = Warn, j.Gaps
		f.Summary += "; not on record any more: " + some(j.Gaps) + ", so that there is no history of them, no undo, and no repair from them"
		f.Next = "put the missing files of .memory-pro.journal back from a copy if there is one; make a backup now in any case"
		f.Commands = []string{"memory-pro backup now"}
		if len(j.Damage) > 0 {
			f.Facts["damage"] = j.Damage
		}
	case len(j.Damage) > 0:
		f.Status, f.Facts["damage"] = Warn, j.Damage
		f.Summary += "; a part cannot be read: " + some(j.Damage)
		f.Next = "nothing in the table is lost by it, but make a backup now: a power cut could not be mended from that part"
		f.Commands = []string{"memory-pro backup now"}
	case j.Unsettled > 0:
		f.Status, f.Next = Note, "the next write or start completes them"
		f.Summary += fmt.Sprintf("; %d %s not in the table yet", j.Unsettled, plural(int64(j.Unsettled), "is", "are"))
	}
	return f
}

// backups: is there a copy to fall back on?
func backups(ctx context.Context, p *Patient) []Finding {
	if p.Engine == nil {
		return nil // the database says so
	}
	s, err := p.Engine.Backups(ctx)
	if err != nil {
		return []Finding{{Check: "backups", Status: Warn, Summary: err.Error(), Next: "see whether the directory can be read, and try again"}}
	}
	return backupFindings(s, p.Now)
}

func backupFindings(s engine.BackupState, now time.Time) []Finding {
	const name = "backups"
	f := Finding{Check: name, Status: OK, Facts: map[string]any{"directory": s.Dir, "count": len(s.Backups), "enabled": s.Enabled}}
	newest, ok := s.Newest()
	switch {
	case ok:
		f.Facts["newest"], f.Facts["newestAt"], f.Facts["memories"] = newest.Path, newest.At, newest.Count
		f.Summary = fmt.Sprintf("%d in %s, the newest of %s with %d %s, verified", len(s.Backups), s.Dir,
			newest.At.UTC().Format("2006-01-02 15:04"), newest.Count, memories(int64(newest.Count)))
	case len(s.Backups) > 0:
		f.Status, f.Summary = Warn, fmt.Sprintf("none of the %d in %s can be read back whole", len(s.Backups), s.Dir)
	default:
		f.Status, f.Summary = Note, "none yet; the gateway makes one a day in "+s.Dir
		if !s.Enabled {
			f.Summary = "none, and the daily one is switched off"
		}
	}
	if s.Overdue && ok {
		f.Status = Warn
		f.Summary += fmt.Sprintf("; it is %d days old", int(now.Sub(newest.At).Hours()/24))
	}
	if s.Failures > 0 {
		f.Status = Warn
		f.Summary += fmt.Sprintf("; the daily one failed %d %s since %s: %s", s.Failures, plural(int64(s.Failures), "time", "times"),
			s.Since.UTC().Format("2006-01-02 15:04"), s.LastError)
	}
	if f.Status == Warn {
		f.Commands = []string{"memory-pro backup now"}
	}
	found := []Finding{f}
	for _, b := range s.Backups {
		if b.Problem != nil && !b.Unstated { // the TypeScript plugin's do not say how much they hold
			found = append(found, Finding{Check: name, Status: Warn, Summary: b.Problem.Error(), Facts: map[string]any{"file": b.Path},
				Next: "delete it when a newer one verifies, or look at what of it can be read with memory-pro import --dry-run"})
		}
	}
	return found
}
