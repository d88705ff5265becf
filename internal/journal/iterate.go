package journal

import (
	"errors"
	"io/fs"
	"iter"
	"slices"
)

// Since iterates over the entries after a number, oldest first, as they are when
// it begins. It takes no lock, holds one entry at a time, and may run while others
// write: what is being written is left out, what is removed meanwhile is skipped,
// and an entry whose Version is 0 may yet be taken back.
//
// A *Damage, or an error of one file, stands where something cannot be read; the
// iteration goes on after it if the loop does.
func (j *Journal) Since(seq uint64) iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		all, err := j.segments()
		if err != nil {
			yield(Recorded{}, err)
			return
		}
		i, found := slices.BinarySearch(all, seq+1)
		if !found && i > 0 {
			i--
		}
		for ; i < len(all); i++ {
			later := func(need uint64) []mark { return j.marksAfter(all, i, need) }
			goOn, _ := j.walk(all, i, later, seq, false, yield)
			if !goOn {
				return
			}
		}
	}
}

// Newest is Since from the other end: all entries, newest first.
func (j *Journal) Newest() iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		all, err := j.segments()
		if err != nil {
			yield(Recorded{}, err)
			return
		}
		var later []mark
		for i := len(all) - 1; i >= 0; i-- {
			goOn, marks := j.walk(all, i, func(uint64) []mark { return later }, 0, true, yield)
			if !goOn {
				return
			}
			later = rising(append(marks, later...), all[i]-1)
		}
	}
}

// walk yields the entries of segment all[i] after a number, newest first if back,
// and returns the segment's done frames. later are those of the segments after it.
func (j *Journal) walk(all []uint64, i int, later func(need uint64) []mark, after uint64, back bool, yield func(Recorded, error) bool) (bool, []mark) {
	f, err := j.openSegment(all[i])
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return yield(Recorded{}, err), nil
	}
	defer f.Close()
	c, err := j.surveyLive(f, all[i], all)
	if err != nil {
		return yield(Recorded{}, err), nil
	}
	if n := len(c.items); n > 0 && c.items[n-1].hole == nil && c.items[n-1].version == 0 {
		pending := slices.IndexFunc(c.items, func(it item) bool { return it.hole == nil && it.version == 0 })
		for _, m := range later(c.items[n-1].seq) {
			pending = settle(c.items, pending, m)
		}
	}
	s, err := j.scan(f, all[i], all)
	if err != nil {
		return yield(Recorded{}, err), nil
	}
	s.back = back
	if back {
		slices.Reverse(c.items)
	}
	for _, it := range c.items {
		if it.hole != nil {
			if !yield(Recorded{}, it.hole) {
				return false, nil
			}
			continue
		}
		if it.seq <= after {
			continue
		}
		e, err := s.entryAt(it)
		if errors.Is(err, errGone) {
			continue
		}
		if !yield(Recorded{Entry: e, Version: it.version}, err) {
			return false, nil
		}
	}
	return true, c.marks
}

// surveyLive surveys a segment that somebody may be writing to. What looks like a
// hole may be the seam between what was there before the tail was cut and what was
// written in its place, one of which was read from the other's time; a hole that
// is one is still there when looked at again.
func (j *Journal) surveyLive(f file, segment uint64, all []uint64) (content, error) {
	const looks = 3
	for look := 1; ; look++ {
		c, err := j.survey(f, segment, all, 0, 0)
		holed := slices.ContainsFunc(c.items, func(it item) bool { return it.hole != nil })
		if err != nil || !holed || segment != all[len(all)-1] || look == looks {
			return c, err
		}
	}
}

// marksAfter returns the done frames after segment all[i] that concern entries up
// to need.
func (j *Journal) marksAfter(all []uint64, i int, need uint64) []mark {
	var marks []mark
	for _, segment := range all[i+1:] {
		c, err := j.surveyClosed(segment, all)
		if err != nil {
			continue // the entries of that segment will tell
		}
		marks = rising(append(marks, c.marks...), need)
		if n := len(marks); n > 0 && marks[n-1].through >= need {
			break
		}
	}
	return marks
}

// rising keeps the marks that say something new about entries up to need.
func rising(marks []mark, need uint64) []mark {
	var kept []mark
	reached := uint64(0)
	for _, m := range marks {
		if m.through > reached {
			kept, reached = append(kept, m), m.through
		}
		if reached >= need {
			break
		}
	}
	return kept
}
