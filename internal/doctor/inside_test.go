package doctor

import (
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// What only reading all rows shows is not mended by using the database.
func TestDamageInside(t *testing.T) {
	x := store.Examination{Made: true, Files: 9, Inside: true, Damage: []string{"data/a is damaged inside: 2 of 9 rows cannot be read"}, Unreadable: 2}
	expect(t, filesFindings(x)[0], Fail, "2 memories in them cannot be read this command keeps", repairCommand)
	unread := filesFindings(store.Examination{Made: true, Files: 9, Unread: "there was not time enough"})
	expect(t, unread[0], OK, "not every memory was read, because there was not time enough "+repairCommand, "")
	expect(t, repairFinding(store.Repaired{Lost: 6, FromFiles: 4, FromJournal: 2}), OK, "6 memories were brought back: 4 from what is readable", "")
}

// A journal that is gone, or has gaps, is a warning that says what is lost.
func TestMissingRecord(t *testing.T) {
	found := besides(store.Examination{Journal: store.JournalState{Gone: true}})
	expect(t, found[0], Warn, "with it went the history of the memories, undo", "memory-pro backup now")
	f := recordFinding(store.JournalState{Present: true, Gaps: []string{"changes 3 to 9"}})
	expect(t, f, Warn, "not on record any more: changes 3 to 9, so that there is no history of them", "memory-pro backup now")
	if found := besides(store.Examination{}); len(found) > 0 {
		t.Errorf("never recorded: %+v", found)
	}
}
