package archive

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// Prune removes the backups of a database beyond the newest keep that verify. One
// that does not verify, or is not ours, neither counts nor goes. Those that were
// kept beside another of the same day do not count, and go with the older ones.
// The one with the most rows stays while it holds more than eleven tenths of what
// the newest does.
func Prune(dir, database string, keep int) (removed []string, err error) {
	all, err := List(dir, database)
	if err != nil {
		return nil, err
	}
	whole := slices.DeleteFunc(all, func(f Found) bool {
		if !f.Stated {
			return true
		}
		_, err := Verify(f.Path)
		return err != nil
	})
	if len(whole) == 0 {
		return nil, nil
	}
	most := slices.MaxFunc(whole, func(a, b Found) int { return cmp.Compare(a.Count, b.Count) })
	var gone []error
	good := 0
	var oldest time.Time // the day of the last that stays
	for _, f := range whole {
		if !f.keptBeside() {
			good++
		}
		if good == keep && oldest.IsZero() {
			oldest = f.Day
		}
		if good < keep || f.Day.Equal(oldest) {
			continue
		}
		if f.Path == most.Path && most.Count*10 > whole[0].Count*11 {
			continue
		}
		if err := os.Remove(f.Path); err != nil {
			gone = append(gone, fmt.Errorf("removing the old backup %s: %w", f.Path, cause(err)))
			continue
		}
		removed = append(removed, f.Path)
	}
	return removed, errors.Join(gone...)
}
