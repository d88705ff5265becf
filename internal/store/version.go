package store

import (
	"context"
	"fmt"
)

// Version is the version of the table that this process read last. Two reads of the
// same version saw the same rows.
func (s *Store) Version(ctx context.Context) (int64, error) {
	v, err := s.version(ctx)
	if err != nil {
		return 0, fmt.Errorf("reading the version of the table: %w", err)
	}
	return v, nil
}
