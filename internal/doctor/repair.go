package doctor

import (
	"context"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Repair does what the findings about damaged files say, and tells what came of
// it. It deletes nothing, and doing it again does nothing more.
func Repair(ctx context.Context, p *Patient) Finding {
	f := Finding{Check: "repair", Status: Fail}
	switch {
	case p.Engine == nil && p.EngineError != nil:
		f.Summary = p.EngineError.Error()
	case p.Engine == nil:
		f.Summary, f.Next = "not done", "the configuration has to be readable first"
	default:
		if x, err := p.Engine.Examine(ctx); err == nil && !x.Made && len(x.Damage) == 0 {
			f.Status, f.Summary = OK, "there is no database, so there is nothing to repair"
			return f
		}
		r, err := p.Engine.Repair(ctx)
		if err != nil {
			f.Summary, f.Next = err.Error(), "see below, and run it again: what was done stays done"
			return f
		}
		if x, err := p.Engine.Examine(ctx); err == nil && len(x.Damage) > 0 {
			return unmended(x)
		}
		return repairFinding(r)
	}
	return f
}

// unmended is the finding of a repair after which files are damaged as before.
func unmended(x store.Examination) Finding {
	f := Finding{Check: "repair", Status: Fail, Summary: "the table could not be mended: " + some(x.Damage),
		Next: "restore the directory from a copy, or move it away and restore the newest backup"}
	if x.Writable != nil {
		f.Summary, f.Next = "the table could not be mended, because nothing can be written: "+x.Writable.Error(), "run it again when it can be written to"
	}
	return f
}

func repairFinding(r store.Repaired) Finding {
	f := Finding{Check: "repair", Status: OK, Facts: map[string]any{
		"lost": r.Lost, "fromFiles": r.FromFiles, "fromJournal": r.FromJournal, "fromBackup": r.FromBackup, "stillLost": r.StillLost, "uncertain": r.Uncertain}}
	if r.Backup != "" {
		f.Facts["backup"] = r.Backup
	}
	if r.BroughtBack()+r.StillLost+r.Uncertain == 0 {
		f.Summary = "no memory is missing"
		return f
	}
	f.Summary = fmt.Sprintf("%d %s brought back: %d from the journal, %d from a backup", r.BroughtBack(),
		plural(r.BroughtBack(), "memory was", "memories were"), r.FromJournal, r.FromBackup)
	if r.FromFiles > 0 {
		f.Summary = fmt.Sprintf("%d %s brought back: %d from what is readable of the damaged files, %d from the journal, %d from a backup", r.BroughtBack(),
			plural(r.BroughtBack(), "memory was", "memories were"), r.FromFiles, r.FromJournal, r.FromBackup)
	}
	if r.FromBackup > 0 {
		f.Summary += " (" + r.Backup + ")"
	}
	if r.Uncertain > 0 {
		f.Status = Warn
		f.Summary += fmt.Sprintf("; %d more in the backup %s may have been lost, or forgotten on purpose, and %s left out", r.Uncertain, r.Backup,
			plural(r.Uncertain, "was", "were"))
		f.Next = "look at them, and restore what is wanted"
		f.Commands = []string{"memory-pro backup restore latest --dry-run"}
	}
	if r.StillLost > 0 {
		f.Status = Warn
		f.Summary += fmt.Sprintf("; %d %s neither in the journal nor in a backup that can be read", r.StillLost, plural(r.StillLost, "is", "are"))
		if r.Uncertain == 0 {
			f.Next = "put another backup beside the others and run it again"
		}
	}
	return f
}
