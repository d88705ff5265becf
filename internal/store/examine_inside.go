package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// insideRows is how many rows an examination reads at most.
const insideRows = 200_000

// examineInside reads all rows of a table that is open for examining alone.
func (s *Store) examineInside(ctx context.Context, x *Examination) (damaged bool, err error) {
	if !s.local {
		return false, nil
	}
	if x.Rows > insideRows {
		x.Unread = fmt.Sprintf("%d rows are more than are read here", x.Rows)
		return false, nil
	}
	if end, ok := ctx.Deadline(); ok { // the other checks need some of it
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	f, err := lookAt(tableDir(s.path))
	if err != nil || f.head == nil || !f.whole() {
		return false, err
	}
	if int64(f.head.Number) != x.Version {
		x.Unread = "the table was changed meanwhile"
		return false, nil
	}
	var found []inner
	err = s.use(func(t *lance.Table) error {
		found, err = lookInside(ctx, t, f.head)
		return err
	})
	switch {
	case errors.Is(err, errShifted):
		x.Unread = "the table was changed meanwhile"
		return false, nil
	case ctx.Err() != nil:
		x.Unread = "there was not time enough"
		return false, nil
	case err != nil || len(found) == 0:
		return false, err
	}
	for _, fault := range insideFaults(found) {
		x.Damage = append(x.Damage, fault.String())
	}
	for _, in := range found {
		x.Unreadable += int64(in.lost)
	}
	x.Inside = true
	return true, nil
}
