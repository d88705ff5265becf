package manifest

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/encoding/protowire"
)

// A manifest file is a row of messages, each after its length in four bytes: the
// indexes, the transaction, and last the manifest proper. The footer says where
// that begins: position (8 bytes), format version (2 and 2), magic. Numbers are
// little-endian.
const (
	footerSize = 16
	prefixSize = 4
	magic      = "LANC"
)

// Fields of the manifest message that something here looks at.
const (
	fieldSchema         = 1
	fieldFragments      = 2
	fieldVersion        = 3
	fieldIndexes        = 6
	fieldTimestamp      = 7
	fieldReaderFlags    = 9
	fieldWriterFlags    = 10
	fieldTxnFile        = 12
	fieldWriter         = 13
	fieldTxnSectionOld  = 21
	fieldFragmentTree   = 22
	fieldTxnSection     = 23
	fieldSchemaOffset   = 8 // of a schema field: an offset into the manifest file
	indexSectionEntries = 1
)

// ErrDamaged means that a manifest cannot be read: it is torn, short, or not one.
var ErrDamaged = errors.New("damaged manifest")

// Manifest is what one version consists of.
type Manifest struct {
	Version
	Fragments []Fragment
	// Indexes are segments; one index may have several of one name.
	Indexes []Index
	// Writer is the version of the library that wrote it, as "14.0.2"; empty if it
	// does not say.
	Writer string

	table   string
	fields  []field // the message, as it stands in the file
	entries []field // the index section
	format  []byte  // the footer's four bytes of format version
	foreign string  // why this package may not rewrite it; empty if it may
}

// field is one field of a message as it is encoded.
type field struct {
	number protowire.Number
	raw    []byte // tag and value
	bytes  []byte // the value, of a field with a length
	value  uint64 // the value, of a number
}

// Rows are the live ones.
func (m *Manifest) Rows() (n uint64) {
	for _, f := range m.Fragments {
		n += f.Rows
	}
	return n
}

// Table is the directory of the table.
func (m *Manifest) Table() string { return m.table }

// Read reads a version of the table in a directory. The error is ErrDamaged if
// the file is there and no manifest.
func Read(table string, v Version) (*Manifest, error) {
	at := filepath.Join(table, v.File)
	data, err := os.ReadFile(at)
	if err != nil {
		return nil, fmt.Errorf("reading the manifest of version %d: %w", v.Number, err)
	}
	m := &Manifest{Version: v, table: table}
	if err := m.parse(data); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrDamaged, at, err)
	}
	return m, nil
}

func (m *Manifest) parse(data []byte) (err error) {
	if len(data) < footerSize+prefixSize {
		return fmt.Errorf("it has %d bytes", len(data))
	}
	footer := data[len(data)-footerSize:]
	if string(footer[12:]) != magic {
		return errors.New("its end is missing")
	}
	m.format = footer[8:12]
	at := binary.LittleEndian.Uint64(footer)
	body := data[:len(data)-footerSize]
	message, err := section(body, at)
	if err != nil {
		return err
	}
	if uint64(len(message)) != uint64(len(body))-at-prefixSize {
		return errors.New("its length is not the one it states")
	}
	if m.fields, err = split(message); err != nil {
		return err
	}
	indexes, present := uint64(0), false
	number, columns := uint64(0), 0
	for _, f := range m.fields {
		switch f.number {
		case fieldSchema:
			columns++
			m.inspectColumn(f.bytes)
		case fieldFragments:
			fragment, err := parseFragment(f.bytes)
			if err != nil {
				return err
			}
			m.Fragments = append(m.Fragments, fragment)
		case fieldVersion:
			number = f.value
		case fieldIndexes:
			indexes, present = f.value, true
		case fieldReaderFlags, fieldWriterFlags:
			if strange := f.value &^ knownFlags; strange != 0 {
				m.foreign = fmt.Sprintf("it uses features this program does not know (%#x)", strange)
			}
		case fieldWriter:
			m.Writer = writer(f.bytes)
		case fieldFragmentTree:
			m.foreign = "its fragments lie in another file"
		}
	}
	if columns == 0 || number != m.Number {
		return fmt.Errorf("it has %d columns and says that it is version %d", columns, number)
	}
	if !present {
		return nil
	}
	return m.parseIndexes(body, indexes)
}

// writer is the version in the record of what wrote the manifest.
func writer(raw []byte) string {
	parts, _ := split(raw) // without it nothing is known
	for _, f := range parts {
		if f.number == 2 {
			return string(f.bytes)
		}
	}
	return ""
}

// inspectColumn: a column of the oldest file format may point into the manifest
// file, whose offsets change when it is written anew.
func (m *Manifest) inspectColumn(raw []byte) {
	parts, err := split(raw)
	for _, f := range parts {
		if f.number == fieldSchemaOffset {
			m.foreign = "it holds dictionaries of the oldest file format"
		}
	}
	if err != nil {
		m.foreign = "its columns cannot be read"
	}
}

func (m *Manifest) parseIndexes(body []byte, at uint64) error {
	message, err := section(body, at)
	if err != nil {
		return fmt.Errorf("its list of indexes: %w", err)
	}
	if m.entries, err = split(message); err != nil {
		return fmt.Errorf("its list of indexes: %w", err)
	}
	for _, e := range m.entries {
		if e.number != indexSectionEntries {
			continue
		}
		ix, err := parseIndex(e.bytes)
		if err != nil {
			return fmt.Errorf("its list of indexes: %w", err)
		}
		m.Indexes = append(m.Indexes, ix)
	}
	return nil
}

// section is the message that begins at an offset, after its length.
func section(body []byte, at uint64) ([]byte, error) {
	size := uint64(len(body))
	if size < prefixSize || at > size-prefixSize {
		return nil, fmt.Errorf("a part should begin at byte %d of %d", at, size)
	}
	n := uint64(binary.LittleEndian.Uint32(body[at:]))
	if n > size-at-prefixSize {
		return nil, fmt.Errorf("a part at byte %d should have %d bytes, of %d", at, n, size)
	}
	return body[at+prefixSize : at+prefixSize+n], nil
}

// split takes a message apart. Groups, which no such message uses, are an error.
func split(message []byte) (list []field, err error) {
	for rest := message; len(rest) > 0; {
		number, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		f := field{number: number}
		size := 0
		switch kind {
		case protowire.VarintType:
			f.value, size = protowire.ConsumeVarint(rest[n:])
		case protowire.BytesType:
			f.bytes, size = protowire.ConsumeBytes(rest[n:])
		case protowire.Fixed64Type:
			f.value, size = protowire.ConsumeFixed64(rest[n:])
		case protowire.Fixed32Type:
			_, size = protowire.ConsumeFixed32(rest[n:])
		default:
			return nil, fmt.Errorf("a field of kind %d", kind)
		}
		if size < 0 {
			return nil, protowire.ParseError(size)
		}
		f.raw = rest[:n+size]
		list = append(list, f)
		rest = rest[n+size:]
	}
	return list, nil
}

// uuid writes the sixteen bytes of an id as people do.
func uuid(b []byte) string {
	if len(b) != 16 {
		return hex.EncodeToString(b)
	}
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
