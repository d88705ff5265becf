package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

// leaveTorn sets aside manifests of older versions that cannot be read, and returns
// how many. Nobody reads those versions any more, but the library reads all of them
// when it deletes old ones, and would stop there for ever.
func (s *Store) leaveTorn(ctx context.Context) (n int, err error) {
	if !s.local {
		return 0, nil
	}
	err = s.Write(ctx, "setting unreadable versions aside", func(*Tx) error {
		table := tableDir(s.path)
		f, err := lookAt(table)
		if err != nil || f.head == nil {
			return err
		}
		var torn findings
		for _, v := range f.versions {
			if _, err := manifest.Read(table, v); v.Number < f.head.Number && errors.Is(err, manifest.ErrDamaged) {
				torn.torn, torn.why = append(torn.torn, v), append(torn.why, err)
			}
		}
		if len(torn.torn) == 0 {
			return nil
		}
		a := &SetAside{
			At: s.now().UTC(), What: "manifest", Reason: "versions that are not used any more could not be read",
			Version: torn.torn[0].Number, Instead: f.head.Number, Faults: torn.named(),
		}
		err = a.begin(s.state)
		for _, v := range torn.torn {
			if err == nil {
				err = a.keep(table, v.File)
			}
		}
		if err == nil {
			err = a.write()
		}
		for _, v := range torn.torn {
			if err == nil {
				err = a.remove(table, v.File)
			}
		}
		if err != nil {
			return fmt.Errorf("setting unreadable versions aside: %w", err)
		}
		n = len(torn.torn)
		s.logHealed(a, remedy{})
		return manifest.SyncDir(filepath.Dir(filepath.Join(table, torn.torn[0].File)))
	})
	return n, err
}
