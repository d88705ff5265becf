package doctor

import (
	"errors"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

var errTorn = errors.New("d is damaged")

func TestFiles(t *testing.T) {
	damaged := []string{"data/a.lance is missing", "data/b.lance has 1 bytes instead of 9", "c", "d", "e"}
	found := filesFindings(store.Examination{Made: true, Damage: damaged, Unreadable: 6})
	if len(found) != 1 {
		t.Fatalf("%+v", found)
	}
	expect(t, found[0], Fail, "data/a.lance is missing, data/b.lance has 1 bytes instead of 9, c and 2 more; 6 memories in them cannot be read", repairCommand)
	if found := filesFindings(store.Examination{}); len(found) > 0 {
		t.Errorf("without a table: %+v", found)
	}
	if found := filesFindings(store.Examination{Made: true, Files: 9}); len(found) != 1 || found[0].Status != OK {
		t.Errorf("a whole table: %+v", found)
	}
	if found := filesFindings(store.Examination{Made: true}); len(found) > 0 {
		t.Errorf("a table in object storage: %+v", found)
	}
	for _, c := range []struct {
		name    string
		aside   store.SetAside
		status  Status
		words   string
		command string
	}{
		{"mended whole", store.SetAside{Reason: "of a power cut"}, Note, "because of a power cut what was taken out is kept in DIR", ""},
		{"rows lost", store.SetAside{Rows: 1}, Fail, "1 memory could not be read", repairCommand},
		{"unsure", store.SetAside{Unsure: true}, Fail, "may be missing", repairCommand},
		{"repaired", store.SetAside{Rows: 6, Repair: &store.RepairNote{BroughtBack: 6}}, Note, "6 memories were brought back", ""},
		{"repaired in part", store.SetAside{Rows: 6, Repair: &store.RepairNote{BroughtBack: 1, StillLost: 5}}, Warn, "1 of 6 was brought back", ""},
		{"repaired, perhaps", store.SetAside{Rows: 6, Repair: &store.RepairNote{StillLost: 6, Uncertain: 7}}, Warn, "7 more in the backup may have been forgotten", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.aside.Dir = "DIR"
			expect(t, asideFinding(c.aside), c.status, c.words, c.command)
		})
	}
}

func TestRecord(t *testing.T) {
	j := store.JournalState{Present: true, Entries: 2, Bytes: 1500, Oldest: now, Newest: now, Checkpoint: now}
	expect(t, recordFinding(j), OK, "2 changes are on record (2 kB), since 2026-11-30; the table was last made safe on the disk on 2026-11-30 12:00", "")
	j.Unsettled = 1
	expect(t, recordFinding(j), Note, "1 is not in the table yet", "")
	j.Damage = []string{"segment 1, byte 90"}
	expect(t, recordFinding(j), Warn, "segment 1, byte 90", "memory-pro backup now")
}

func TestBackups(t *testing.T) {
	whole := engine.Backup{Path: "b", Count: 3, At: now.Add(-time.Hour)}
	old := engine.Backup{Path: "c", Count: 3, At: now.Add(-100 * time.Hour)}
	bad := engine.Backup{Path: "d", Problem: errTorn}
	for _, c := range []struct {
		name    string
		state   engine.BackupState
		status  Status
		words   string
		command string
		n       int
	}{
		{"none", engine.BackupState{Enabled: true}, Note, "none yet", "", 1},
		{"switched off", engine.BackupState{}, Note, "switched off", "", 1},
		{"whole", engine.BackupState{Enabled: true, Backups: []engine.Backup{whole}}, OK, "with 3 memories, verified", "", 1},
		{"old", engine.BackupState{Enabled: true, Overdue: true, Backups: []engine.Backup{old}}, Warn, "4 days old", "memory-pro backup now", 1},
		{"damaged", engine.BackupState{Enabled: true, Backups: []engine.Backup{bad}}, Warn, "none of the 1", "memory-pro backup now", 2},
		{"failing", engine.BackupState{Enabled: true, Backups: []engine.Backup{whole}, Failures: 2, LastError: "disk full", Since: now}, Warn, "failed 2 times since 2026-11-30 12:00: disk full", "memory-pro backup now", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := backupFindings(c.state, now)
			if len(found) != c.n {
				t.Fatalf("%+v", found)
			}
			expect(t, found[0], c.status, c.words, c.command)
		})
	}
}

// Nobody is told to make a backup while a repair is due.
func TestRepairComesFirst(t *testing.T) {
	stale := func() Finding { return Finding{Check: "backups", Status: Warn, Commands: []string{backupCommand}} }
	found := []Finding{asideFinding(store.SetAside{Rows: 1}), stale()}
	repairFirst(found)
	expect(t, found[1], Warn, "repair first", repairCommand)
	found = []Finding{asideFinding(store.SetAside{Rows: 1, Repair: &store.RepairNote{StillLost: 1}}), stale()}
	repairFirst(found)
	expect(t, found[1], Warn, "", backupCommand)
}

func TestRepairFinding(t *testing.T) {
	expect(t, unmended(store.Examination{Damage: []string{"data/x is missing"}}), Fail, "data/x is missing restore the directory", "")
	expect(t, unmended(store.Examination{Damage: []string{"y"}, Writable: errTorn}), Fail, "d is damaged run it again", "")
	expect(t, repairFinding(store.Repaired{}), OK, "no memory is missing", "")
	expect(t, repairFinding(store.Repaired{Lost: 6, FromJournal: 2, FromBackup: 4, Backup: "FILE"}), OK, "6 memories were brought back: 2 from the journal, 4 from a backup (FILE)", "")
	expect(t, repairFinding(store.Repaired{Lost: 6, FromJournal: 1, StillLost: 5}), Warn, "5 are neither in the journal", "")
	expect(t, repairFinding(store.Repaired{Lost: 6, StillLost: 6, Uncertain: 7, Backup: "FILE"}), Warn, "7 more in the backup FILE", "memory-pro backup restore latest --dry-run")
}

func TestUpkeep(t *testing.T) {
	if found := upkeepFindings(store.Upkeep{}, now); len(found) > 0 {
		t.Errorf("never: %+v", found)
	}
	expect(t, upkeepFindings(store.Upkeep{LastSuccess: now}, now)[0], OK, "last done on 2026-11-30 12:00", "")
	failing := store.Upkeep{Failures: 2, LastError: "no space left on device", LastErrorAt: now.Add(-time.Hour)}
	expect(t, upkeepFindings(failing, now)[0], Warn, "failed 2 times in a row, last 1h0m0s ago: no space left on device", "")
}
