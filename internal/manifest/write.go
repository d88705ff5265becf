package manifest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/encoding/protowire"
)

// knownFlags are the table features that leaving fragments or indexes out of a
// manifest does not touch: deletion files (1), stable row ids (2), the format of
// the files (4), settings of the table (8), files elsewhere (16), no transaction
// files (32), files of several formats (256), field numbers that are never given
// out twice (32768).
const knownFlags = 1 | 2 | 4 | 8 | 16 | 32 | 256 | 32768

// ErrForeign means that a table uses what this package does not know well enough
// to write a version of it.
var ErrForeign = errors.New("this table cannot be repaired by this program")

// Drop is what a new version does without.
type Drop struct {
	Fragments []uint64
	Indexes   []string // names
}

// Without writes a version that is this one but for the dropped parts, numbered
// so, and returns it. Every other field is the same to the byte, except the
// version's number, its time, and the record of what changed: to the library it
// is a deletion of whole fragments. The files stay where they are.
//
// A version of that number that is there already is an error (fs.ErrExist), and
// nothing has changed then. The caller holds the table's write lock.
func (m *Manifest) Without(d Drop, number uint64, now time.Time) (Version, error) {
	v := Version{Number: number, Scheme: m.Scheme, File: filepath.Join(versionsDir, m.Scheme.name(number))}
	if err := m.Editable(); err != nil {
		return v, err
	}
	if number <= m.Number {
		return v, fmt.Errorf("writing version %d of %s: it has to come after version %d", number, m.table, m.Number)
	}
	id := newID()
	record := m.deletion(d.Fragments, id)
	named := fmt.Sprintf("%d-%s.txn", m.Number, id)
	if err := publish(filepath.Join(m.table, transactionsDir), named, record); err != nil {
		return v, fmt.Errorf("writing version %d of %s: %w", number, m.table, err)
	}
	if err := publish(filepath.Join(m.table, versionsDir), m.Scheme.name(number), m.encode(d, number, named, record, now)); err != nil {
		return v, fmt.Errorf("writing version %d of %s: %w", number, m.table, err)
	}
	return v, nil
}

// Editable is nil if Without can write a version of this one, and ErrForeign with
// the reason if not.
func (m *Manifest) Editable() error {
	if m.foreign != "" {
		return fmt.Errorf("%w: %s", ErrForeign, m.foreign)
	}
	return nil
}

// deletion is the record of a transaction that removes whole fragments.
func (m *Manifest) deletion(fragments []uint64, id string) []byte {
	var operation []byte
	if len(fragments) > 0 {
		var packed []byte
		for _, f := range fragments {
			packed = protowire.AppendVarint(packed, f)
		}
		operation = appendBytes(operation, 2, packed)
	}
	operation = appendBytes(operation, 3, []byte("false")) // no row is chosen by its content
	var record []byte
	record = protowire.AppendTag(record, 1, protowire.VarintType)
	record = protowire.AppendVarint(record, m.Number)
	record = appendBytes(record, 2, []byte(id))
	return appendBytes(record, 101, operation)
}

func (m *Manifest) encode(d Drop, number uint64, named string, record []byte, now time.Time) []byte {
	var file []byte
	var index []byte
	kept := 0
	for _, e := range m.entries {
		if e.number == indexSectionEntries {
			ix, err := parseIndex(e.bytes)
			if err == nil && slices.Contains(d.Indexes, ix.Name) {
				continue
			}
			kept++
		}
		index = append(index, e.raw...)
	}
	if kept > 0 {
		file = appendSection(file, index)
	}
	transactionAt := uint64(len(file))
	file = appendSection(file, record)

	var message []byte
	number64 := func(field protowire.Number, value uint64) {
		message = protowire.AppendTag(message, field, protowire.VarintType)
		message = protowire.AppendVarint(message, value)
	}
	for _, f := range m.fields {
		switch f.number {
		case fieldFragments:
			fragment, err := parseFragment(f.bytes)
			if err == nil && slices.Contains(d.Fragments, fragment.ID) {
				continue
			}
			message = append(message, f.raw...)
		case fieldVersion:
			number64(fieldVersion, number)
		case fieldIndexes:
			if kept > 0 {
				number64(fieldIndexes, 0)
			}
		case fieldTimestamp:
			var stamp []byte
			stamp = protowire.AppendTag(stamp, 1, protowire.VarintType)
			stamp = protowire.AppendVarint(stamp, uint64(now.Unix()))
			stamp = protowire.AppendTag(stamp, 2, protowire.VarintType)
			stamp = protowire.AppendVarint(stamp, uint64(now.Nanosecond()))
			message = appendBytes(message, fieldTimestamp, stamp)
		case fieldTxnFile, fieldTxnSection, fieldTxnSectionOld:
		default:
			message = append(message, f.raw...)
		}
	}
	message = appendBytes(message, fieldTxnFile, []byte(named))
	number64(fieldTxnSection, transactionAt)

	at := uint64(len(file))
	file = appendSection(file, message)
	file = binary.LittleEndian.AppendUint64(file, at)
	return append(append(file, m.format...), magic...)
}

func appendBytes(b []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), value)
}

func appendSection(file, message []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(message))), message...)
}

// newID is a random id in the form of a UUID of version 4.
func newID() string {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], rand.Uint64())
	binary.LittleEndian.PutUint64(b[8:], rand.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return uuid(b[:])
}

// publish makes a file appear whole or not at all, and never in place of another.
func publish(dir, name string, data []byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".memory-pro-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // gone already when it was renamed
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	final := filepath.Join(dir, name)
	err = os.Link(f.Name(), final)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) {
		// A file system without links.
		err = unix.Renameat2(unix.AT_FDCWD, f.Name(), unix.AT_FDCWD, final, unix.RENAME_NOREPLACE)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", final, err)
	}
	return SyncDir(dir)
}

// SyncDir makes names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
