package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// Backup hands over the rows of one backup, for Repair.
type Backup struct {
	Name string
	At   time.Time
	// Each calls fn for every memory.
	Each func(ctx context.Context, fn func(memory.Memory) error) error
}

// Repaired says what Repair did, in rows.
type Repaired struct {
	// Lost is how many could not be read before, as far as that is known.
	Lost int64
	// FromFiles, FromJournal and FromBackup were brought back, the first from what
	// could be read of damaged files.
	FromFiles, FromJournal, FromBackup int64
	// StillLost could not be.
	StillLost int64
	// Uncertain are in the backup and not in the table, and may have been forgotten
	// since it was made: they were left out.
	Uncertain int64
	// Backup is what FromBackup and Uncertain are from, the last one if there were
	// several; empty if there is none.
	Backup string
}

// BroughtBack is the sum of all sources.
func (r Repaired) BroughtBack() int64 { return r.FromFiles + r.FromJournal + r.FromBackup }

// repairBatch is how many rows one write brings back.
const repairBatch = 500

// Repair reads all rows, takes files that are damaged inside out of the table, and
// brings back rows that were lost with damaged files: from the journal, as the
// newest change on record left them, those the journal does not know from what is
// readable of the file, and then from backups, given newest first, as far back as
// it has to go. It deletes and overwrites nothing, and doing it again brings back
// nothing more. One repair runs at a time; the others wait.
func (s *Store) Repair(ctx context.Context, backups []Backup) (r Repaired, err error) {
	free, err := s.repairAlone(ctx)
	if err != nil {
		return r, err
	}
	defer free()
	saved, err := s.mendInside(ctx)
	if err != nil {
		return r, err
	}
	open, err := s.unrepaired()
	if err != nil || len(open) == 0 {
		return r, err
	}
	unsure := false
	for _, a := range open {
		r.Lost += a.Rows
		if a.Repair != nil {
			r.Lost -= a.Repair.BroughtBack
		}
		unsure = unsure || a.Unsure
	}
	r.Lost = max(r.Lost, 0)
	known, since, gaps, err := s.newestRows()
	if err != nil {
		return r, err
	}
	there, err := s.present(ctx)
	if err != nil {
		return r, err
	}
	var back []memory.Memory
	for _, m := range saved {
		if there[m.ID] || m.ID == "" {
			continue
		}
		there[m.ID] = true // or will be
		if row := known[m.ID]; row != nil {
			m = memoryOf(row) // it has a checksum, the file has none
		}
		back = append(back, s.fitting(m, m))
	}
	if r.FromFiles, err = s.bringBack(ctx, back); err != nil {
		return r, err
	}
	back = nil
	for id, row := range known {
		if row != nil && !there[id] {
			back = append(back, s.fitting(memoryOf(row), memory.Memory{}))
		}
	}
	if r.FromJournal, err = s.bringBack(ctx, back); err != nil {
		return r, err
	}
	for _, b := range backups {
		if r.Uncertain > 0 || (!unsure && r.BroughtBack() >= r.Lost) {
			break
		}
		if err := s.fromBackup(ctx, b, known, there, since, unsure, &r); err != nil {
			return r, err
		}
	}
	r.StillLost = max(r.Lost-r.BroughtBack(), 0)
	if r.Uncertain == 0 && !gaps && s.accountedFor(open[0].At, since, backups) {
		r.StillLost = 0
	}
	return r, s.noteRepair(open, r)
}

// accountedFor reports whether the journal, without a gap, and a backup from before
// the damage hold all that was in the table then. With everything of them there,
// nothing is missing, whatever an earlier repair counted.
func (s *Store) accountedFor(damage, since time.Time, backups []Backup) bool {
	if since.IsZero() {
		return false
	}
	return s.recordedFromTheStart() || slices.ContainsFunc(backups, func(b Backup) bool {
		return !b.At.Before(since) && b.At.Before(damage)
	})
}

// fromBackup brings back what only the backup knows. A row that is not in the
// table may have been lost, or forgotten since: it was lost if the journal reaches
// back to the backup and has not seen it go, or if no more rows are missing than
// were lost.
func (s *Store) fromBackup(ctx context.Context, b Backup, known map[string]*journal.Row, there map[string]bool, since time.Time, unsure bool, r *Repaired) error {
	var back []memory.Memory
	err := b.Each(ctx, func(m memory.Memory) error {
		if _, recorded := known[m.ID]; recorded || there[m.ID] {
			return nil
		}
		there[m.ID] = true // or will be, and a file may hold it twice
		if m.Vector == nil {
			m.Metadata.Embedding = memory.EmbeddingPending
		}
		back = append(back, s.fitting(m, memory.Memory{}))
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the backup %s: %w", b.Name, err)
	}
	if len(back) == 0 {
		return nil
	}
	r.Backup = b.Name
	followed := !since.IsZero() && !since.After(b.At)
	if !followed && (unsure || int64(len(back)) > r.Lost-r.BroughtBack()) {
		r.Uncertain = int64(len(back))
		return nil
	}
	n, err := s.bringBack(ctx, back)
	r.FromBackup += n
	return err
}

// unrepaired are the notes of damage after which something is missing.
func (s *Store) unrepaired() ([]SetAside, error) {
	list, err := asides(s.state)
	return slices.DeleteFunc(list, func(a SetAside) bool { return !a.Missing() }), err
}

// Missing reports whether memories are missing since, and no repair has brought
// them all back.
func (a SetAside) Missing() bool {
	if a.Repair != nil {
		return a.Repair.StillLost+a.Repair.Uncertain > 0
	}
	return a.Rows > 0 || a.Unsure
}

// newestRows is every id on record with what the newest change left of it, nil for
// a row that is gone or whose text was erased, the time of the oldest entry, and
// whether entries between are missing.
func (s *Store) newestRows() (rows map[string]*journal.Row, since time.Time, gaps bool, err error) {
	rows = map[string]*journal.Row{}
	if s.journal == nil {
		return rows, since, false, s.journalProblem
	}
	after, models := uint64(0), s.recordModels()
	for e, err := range s.journal.Newest() {
		if err != nil {
			gaps = true
			// What lies behind damage is still worth having.
			s.log.Error("a part of the journal cannot be read", "path", s.path, "error", err)
			continue
		}
		gaps = gaps || (after != 0 && e.Seq+1 != after)
		since, after = e.At, e.Seq
		for _, c := range slices.Backward(e.Changes) {
			if _, ok := rows[c.ID]; ok {
				continue
			}
			row := c.After
			if row != nil && row.Text == journal.Erased {
				row = nil
			}
			if !models.fresh(e.Seq) {
				row = withoutVector(row)
			}
			rows[c.ID] = row
		}
	}
	return rows, since, gaps, nil
}

func (s *Store) present(ctx context.Context) (map[string]bool, error) {
	list, _, err := s.allIDs(ctx, scope.Operator().Filter(), memory.Narrow{})
	if err != nil {
		return nil, err
	}
	there := make(map[string]bool, len(list))
	for _, id := range list {
		there[id] = true
	}
	return there, nil
}

// bringBack inserts those that are not there, and returns how many.
func (s *Store) bringBack(ctx context.Context, ms []memory.Memory) (n int64, err error) {
	ctx = As(ctx, Actor{Kind: "maintenance"})
	for some := range slices.Chunk(ms, repairBatch) {
		brought := 0
		err := s.Write(ctx, "doctor --repair", func(tx *Tx) error {
			brought = 0
			if err := tx.Load(ctx, idsIn(some)...); err != nil {
				return err
			}
			for _, m := range some {
				// Somebody may have stored it meanwhile; then theirs counts.
				if _, err := tx.Get(ctx, scope.Operator().Filter(), m.ID); err == nil {
					continue
				}
				if err := tx.Insert(m); err != nil {
					return err
				}
				brought++
			}
			return nil
		})
		if err != nil {
			return n, fmt.Errorf("bringing memories back: %w", err)
		}
		n += int64(brought)
	}
	return n, nil
}

func idsIn(ms []memory.Memory) []string {
	list := make([]string, len(ms))
	for i, m := range ms {
		list[i] = m.ID
	}
	return list
}

// noteRepair writes the outcome beside what was set aside, the oldest first.
func (s *Store) noteRepair(open []SetAside, r Repaired) error {
	left := r.BroughtBack()
	for i, a := range open {
		before := int64(0)
		if a.Repair != nil {
			before = a.Repair.BroughtBack
		}
		got := min(left, max(a.Rows-before, 0))
		if i == len(open)-1 {
			got = left
		}
		left -= got
		a.Repair = &RepairNote{At: s.now().UTC(), BroughtBack: before + got, StillLost: min(max(a.Rows-before-got, 0), r.StillLost), Uncertain: r.Uncertain}
		if err := a.write(); err != nil {
			return fmt.Errorf("noting the repair in %s: %w", a.Dir, err)
		}
	}
	return nil
}
