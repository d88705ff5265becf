package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// upkeep: does the maintenance of the table work, and is use counted?
func upkeep(_ context.Context, p *Patient) []Finding {
	if p.Engine == nil {
		return nil // the database says so
	}
	var found []Finding
	if u, err := p.Engine.Upkeep(); err != nil {
		found = append(found, Finding{Check: "maintenance", Status: Warn, Summary: err.Error(), Next: "the next maintenance writes it anew"})
	} else {
		found = upkeepFindings(u, p.Now)
	}
	if lost := p.Engine.LostTouches(); lost.Count > 0 {
		found = append(found, Finding{Check: "maintenance", Status: Note, Facts: map[string]any{"uncounted": lost.Count},
			Summary: fmt.Sprintf("%d %s not counted, last on %s: %s", lost.Count, plural(int64(lost.Count), "recall was", "recalls were"),
				lost.Last.UTC().Format("2006-01-02 15:04"), lost.Error),
			Next: "nothing to do unless the number grows: counts of use are dropped rather than hold up a write"})
	}
	return found
}

func upkeepFindings(u store.Upkeep, now time.Time) []Finding {
	f := Finding{Check: "maintenance", Status: OK, Facts: map[string]any{"failures": u.Failures}}
	switch {
	case u.Failures > 0:
		f.Status = Warn
		f.Facts["lastError"], f.Facts["lastErrorAt"] = u.LastError, u.LastErrorAt
		f.Summary = fmt.Sprintf("it failed %d %s in a row, last %s ago: %s", u.Failures, plural(int64(u.Failures), "time", "times"),
			now.Sub(u.LastErrorAt).Round(time.Minute), u.LastError)
		f.Next = "steps that work go on; see whether the disk is full, and that nothing else writes into the directory"
	case u.LastSuccess.IsZero():
		return nil // nothing was to be done yet
	default:
		f.Facts["last"] = u.LastSuccess
		f.Summary = "last done on " + u.LastSuccess.UTC().Format("2006-01-02 15:04")
	}
	return []Finding{f}
}
