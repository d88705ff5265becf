// Package doctor looks for what keeps memories from being kept and found, and
// says what to do about it. Examine changes nothing; Repair does what can be done.
//
// Each check is one function that answers with findings; checks run side by
// side, each within its own time, and one that fails or hangs is itself a
// finding. A finding is "ok", "note" (good to know), "warn" (works, but less
// than it could) or "fail" (does not work).
package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/host"
)

// Status says how bad a finding is.
type Status string

// The statuses, from good to bad.
const (
	OK   Status = "ok"
	Note Status = "note"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Finding is what one check says. Its JSON form is an interface to scripts.
type Finding struct {
	Check   string `json:"check"`
	Status  Status `json:"status"`
	Summary string `json:"summary"`
	// Next is what to do, for people.
	Next string `json:"next,omitempty"`
	// Commands do it, ready for a shell. There are none where a command would
	// depend on what only the reader knows.
	Commands []string `json:"commands,omitempty"`
	// Facts are what the finding rests on.
	Facts map[string]any `json:"facts,omitempty"`
}

// Patient is what is examined. Parts that could not be had are nil or zero, with
// the reason in the error beside them.
type Patient struct {
	// Origin is where the plugin's configuration came from.
	Origin      string
	Config      config.Config
	ConfigError error
	Engine      *engine.Engine
	EngineError error
	Host        *host.File
	HostError   error
	// Inside says that the host itself runs us, through the plugin.
	Inside bool
	Now    time.Time
}

// Report is everything that was found.
type Report struct {
	// OK is false if anything fails.
	OK       bool           `json:"ok"`
	Counts   map[Status]int `json:"counts"`
	Findings []Finding      `json:"checks"`
}

// patience bounds one check, and so all of them.
const patience = 4 * time.Second

type check struct {
	name string
	run  func(context.Context, *Patient) []Finding
}

// checks in the order of the report: what everything rests on comes first.
var checks = []check{
	{"library", library},
	{"configuration", configuration},
	{"embedding", embedding},
	{"reranker", reranker},
	{"database", database},
	{"lock", lock},
	{"maintenance", upkeep},
	{"backups", backups},
	{"host", openclaw},
}

// Examine runs all checks. What was found before stands first in the report.
func Examine(ctx context.Context, p *Patient, before ...Finding) Report {
	answers := make([]chan []Finding, len(checks))
	for i, c := range checks {
		answers[i] = make(chan []Finding, 1)
		go func() { answers[i] <- examine(ctx, c, p) }()
	}
	r := Report{OK: true, Counts: map[Status]int{OK: 0, Note: 0, Warn: 0, Fail: 0}, Findings: before}
	late := time.After(patience + time.Second)
	for i, c := range checks {
		select {
		case found := <-answers[i]:
			r.Findings = append(r.Findings, found...)
		case <-late:
			late = time.After(0) // the others have had the same time
			r.Findings = append(r.Findings, Finding{Check: c.name, Status: Fail,
				Summary: fmt.Sprintf("the check did not end within %s", patience+time.Second),
				Next:    "see whether the disk answers, and try again"})
		}
	}
	repairFirst(r.Findings)
	for _, f := range r.Findings {
		r.Counts[f.Status]++
		r.OK = r.OK && f.Status != Fail
	}
	return r
}

// backupCommand makes a backup of what is there.
const backupCommand = "memory-pro backup now"

// repairFirst takes back the advice to make a backup while a repair is due: it
// would hold less than the one that the repair may need.
func repairFirst(found []Finding) {
	if !slices.ContainsFunc(found, func(f Finding) bool { return slices.Contains(f.Commands, repairCommand) }) {
		return
	}
	for i := range found {
		f := &found[i]
		if slices.Contains(f.Commands, backupCommand) {
			f.Commands = []string{repairCommand}
			f.Next = "repair first; a backup made before that would lack what is missing now"
		}
	}
}

func examine(ctx context.Context, c check, p *Patient) (found []Finding) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer func() {
		if fault := recover(); fault != nil {
			found = []Finding{{Check: c.name, Status: Fail, Summary: fmt.Sprintf("the check itself failed: %v", fault),
				Next: "report this with the output of memory-pro version --json"}}
		}
	}()
	return c.run(ctx, p)
}

// unseen is the finding of a check that needs what is missing.
func unseen(check string) []Finding {
	return []Finding{{Check: check, Status: Note, Summary: "not examined: the configuration has to be readable first"}}
}
