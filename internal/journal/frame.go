package journal

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
)

// A segment begins with magic, then come frames without gaps:
//
//	4 bytes  length of what follows the checksum, little-endian
//	4 bytes  CRC-32C of it, begun with the segment's first number
//	1 byte   kind
//	8 bytes  sequence number, little-endian
//	n bytes  JSON
//
// The checksum depends on the segment, so that blocks of another, deleted segment
// which a power cut brings back never pass for frames of this one.
const (
	magicPrefix = "MPJRNL"
	magic       = magicPrefix + "1\n"
	prefixLen   = 8             // length and checksum
	fixedLen    = prefixLen + 9 // and kind and sequence number
	maxFrame    = 1 << 28       // a frame claiming more is damaged
	emptySize   = int64(len(magic))
	minPayload  = fixedLen - prefixLen

	// How every body begins, so that one can be found behind a hole. JSON cannot
	// contain either inside a string.
	entryStart = `{"seq":`
	doneStart  = `{"version":`
)

type kind byte

const (
	// first begins what one call of Append wrote, further continues it. Neither a
	// first nor a done is written before everything appended until then was
	// synced, so a hole with one of them after it was once whole, and one with
	// only furthers after it never was.
	first   kind = 1
	further kind = 2
	// done says that every entry up to its number is in a version of the table.
	done kind = 3
)

func (k kind) entry() bool { return k == first || k == further }

// frame is one frame; body is valid until the scanner moves on.
type frame struct {
	kind kind
	seq  uint64
	body []byte
	off  int64 // of the frame in the file
	end  int64 // of the next frame
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seed is where the checksums of the segment begin.
func seed(segment uint64) uint32 {
	return crc32.Checksum(binary.LittleEndian.AppendUint64(nil, segment), castagnoli)
}

func appendFrame(dst []byte, seed uint32, k kind, seq uint64, body []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(minPayload+len(body)))
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0, byte(k))
	dst = binary.LittleEndian.AppendUint64(dst, seq)
	dst = append(dst, body...)
	binary.LittleEndian.PutUint32(dst[at:], crc32.Update(seed, castagnoli, dst[at+4:]))
	return dst
}

// doneBody is the JSON of a done frame.
type doneBody struct {
	Version int64 `json:"version"`
}

func appendDone(dst []byte, seed uint32, d mark) []byte {
	body, err := json.Marshal(doneBody{d.version})
	if err != nil {
		panic(err) // an integer
	}
	return appendFrame(dst, seed, done, d.through, body)
}

// mark is a done frame: everything up to through is in version.
type mark struct {
	through uint64
	version int64
}

func (f frame) mark() (mark, error) {
	var b doneBody
	err := json.Unmarshal(f.body, &b)
	return mark{f.seq, b.Version}, err
}

func encodeEntry(e *Entry) ([]byte, error) {
	body, err := encodeJSON(e)
	if err != nil {
		return nil, fmt.Errorf("writing a journal entry: %w", err)
	}
	if len(body) > maxFrame-minPayload {
		return nil, fmt.Errorf("a change of %d MB is too large for the journal: make it in parts of at most %d MB", len(body)>>20, maxFrame>>20)
	}
	return body, nil
}

func decodeEntry(f frame) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(f.body, &e); err != nil {
		return Entry{}, err
	}
	if e.Seq != f.seq {
		return Entry{}, fmt.Errorf("entry %d says it is %d", f.seq, e.Seq)
	}
	return e, nil
}
