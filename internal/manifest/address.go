package manifest

// stableRows is the table feature of row ids that outlive the moving of a row.
const stableRows = 2

// Addressed reports whether the ids of the rows are their addresses: 32 bits each
// for the fragment and the place in it. It is false too where this package does not
// know all that the version uses, or does not know how many rows a fragment has.
func (m *Manifest) Addressed() bool {
	for _, f := range m.fields {
		if (f.number == fieldReaderFlags || f.number == fieldWriterFlags) && f.value&stableRows != 0 {
			return false
		}
	}
	for _, f := range m.Fragments {
		if f.Rows+f.Deleted == 0 {
			return false
		}
	}
	return m.foreign == ""
}
