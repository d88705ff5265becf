// Package journal is the append-only record of accepted changes. It makes an
// answered change safe before the table is, and is the history of who changed what.
//
// # Promises
//
// When Append returns without an error, its entries are on the disk: a killed
// process, a second process or a power cut does not lose them. When it returns an
// error they are not there and never will be, except with ErrInDoubt, which means
// that the disk refused to take them back as well. The error says which file, why,
// and what helps; once that is remedied the next Append works.
//
// Nothing is guessed. What a dying process or a power cut left half written at the
// end is cut off by the next holder of the lock, and logged. What became unreadable
// later, in the middle, stays as it is: everything else remains readable, and the
// gap is reported as a *Damage with file, offset and the numbers of the entries that
// were there.
//
// Not promised: anything on a disk that says it wrote what it did not, or against
// somebody who changes the files. The last Append before a power cut may be kept in
// part, if it was not answered: each of its entries is whole or absent.
//
// # Concepts
//
// An Entry is one accepted change with the rows before and after. Entries are
// numbered in their order. Done notes that the entries up to a number are in a version
// of the table; it is not synced, so after a crash an entry may count as not applied
// although it is, and whoever applies it has to look first. A checkpoint is a Mark
// that says up to where the table itself is on the disk; nothing before it is ever
// needed for recovery, only as history.
//
// Whoever writes holds a lock that this package knows nothing of, calls Catch after
// taking it, and first settles what that hands out. Readers take no lock.
//
// # Files
//
// The directory holds segments, named after the number of their first entry with 20
// digits, and the file checkpoint. A segment begins with "MPJRNL1\n"; then come
// frames, which frame.go describes: length, CRC-32C, kind, number, and JSON. Vectors
// are base64 of little-endian float32. A segment is written and synced under another
// name first; one without a frame counts as absent. After 4 MiB the next begins,
// and the oldest beyond 64 MiB go once they lie before the checkpoint.
//
// # Caveats
//
// A change that failed with a sync error stays out of the file, and the next goes to
// a new segment, since nobody knows what the disk holds of the old one. Rewrite
// replaces files; blocks of the old ones stay on the disk until something else is
// written there. One Entry may be up to 256 MiB; Append holds all it writes in
// memory, reading holds one entry at a time.
package journal
