package doctor

import (
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// repairCommand does what the findings below say.
const repairCommand = "memory-pro doctor --repair"

// named is how many damaged files a line names; the facts have all.
const named = 3

// filesFindings: is any file of the database damaged, and what was set aside before?
func filesFindings(x store.Examination) (found []Finding) {
	const name = "files"
	if len(x.Damage) > 0 {
		f := Finding{Check: name, Status: Fail, Summary: "damaged: " + some(x.Damage), Commands: []string{repairCommand},
			Facts: map[string]any{"damaged": x.Damage, "unreadableRows": x.Unreadable},
			Next:  "any use of the database mends it and keeps what it takes out; this command also brings back what can be"}
		if x.Inside {
			f.Next = "this command keeps the damaged files aside and brings back what can be; until then reading those memories fails"
		}
		if x.Unreadable > 0 {
			f.Summary += fmt.Sprintf("; %d %s in them cannot be read", x.Unreadable, memories(x.Unreadable))
		}
		found = append(found, f)
	}
	for _, a := range x.SetAside {
		found = append(found, asideFinding(a))
	}
	if len(found) == 0 && x.Made && x.Files > 0 { // in object storage nobody can look
		found = append(found, Finding{Check: name, Status: OK, Summary: "all there and whole"})
		if x.Unread != "" {
			found[0].Summary = "all there, and whole from outside; not every memory was read, because " + x.Unread
			found[0].Next = repairCommand + " always reads them"
		}
	}
	return found
}

func asideFinding(a store.SetAside) Finding {
	f := Finding{Check: "files", Status: Note, Facts: map[string]any{"directory": a.Dir, "at": a.At, "what": a.What, "damaged": a.Faults, "rows": a.Rows}}
	f.Summary = fmt.Sprintf("mended on %s, because %s", a.At.Format("2006-01-02 15:04"), a.Reason)
	if len(a.Faults) > 0 {
		f.Summary += " (" + some(a.Faults) + ")"
	}
	switch r := a.Repair; {
	case r == nil && a.Rows > 0:
		f.Status, f.Commands = Fail, []string{repairCommand}
		f.Summary += fmt.Sprintf("; %d %s could not be read any more", a.Rows, memories(a.Rows))
	case r == nil && a.Unsure:
		f.Status, f.Commands = Fail, []string{repairCommand}
		f.Summary += "; what was stored last may be missing"
	case r == nil:
		f.Next = keptIn(a)
	case a.Missing():
		f.Status, f.Next = Warn, "what was taken out is kept in "+a.Dir
		f.Facts["broughtBack"], f.Facts["stillLost"], f.Facts["uncertain"] = r.BroughtBack, r.StillLost, r.Uncertain
		f.Summary += fmt.Sprintf("; %d of %d %s brought back", r.BroughtBack, a.Rows, plural(r.BroughtBack, "was", "were"))
		if r.Uncertain > 0 {
			f.Summary += fmt.Sprintf(", and %d more in the backup may have been forgotten on purpose", r.Uncertain)
			f.Next = "look at them with memory-pro backup restore latest --dry-run; " + f.Next
		} else {
			f.Next = "memory-pro doctor --repair tries again, for example with an older backup put beside the others; " + f.Next
		}
	default:
		f.Next = keptIn(a)
		f.Facts["broughtBack"] = r.BroughtBack
		f.Summary += fmt.Sprintf("; %d %s brought back", r.BroughtBack, plural(r.BroughtBack, "memory was", "memories were"))
	}
	return f
}

func keptIn(a store.SetAside) string {
	return "what was taken out is kept in " + a.Dir + " until you delete it"
}

// some are the first few of a list.
func some(list []string) string {
	text := strings.Join(list[:min(named, len(list))], ", ")
	if more := len(list) - named; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
