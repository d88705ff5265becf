package store

// Unrepaired are the notes of damage after which memories are missing, oldest first.
func (s *Store) Unrepaired() ([]SetAside, error) { return s.unrepaired() }
