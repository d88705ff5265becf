package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"sync"
)

// vectorFile is how far a re-embed has come: vectors of the new model by the text
// they are of. It is appended to and synced batch by batch, and a record that is cut
// off counts as not there, so that a process may end at any moment. A text that
// changes meanwhile is another text. It holds no text, only the digest of each.
//
//	header  8 bytes magic, 4 width, 32 digest of the model's fingerprint
//	record  32 bytes digest of the text, 4 for each number, 4 checksum
type vectorFile struct {
	width int

	mu  sync.RWMutex
	f   *os.File
	end int64
	at  map[textKey]int64 // where a text's numbers begin
}

type textKey [sha256.Size]byte

func keyOf(text string) textKey { return sha256.Sum256([]byte(text)) }

const vectorMagic = "MPROVEC1"

var vectorSums = crc32.MakeTable(crc32.Castagnoli)

// vectorHeader begins a file of vectors of one model.
func vectorHeader(fingerprint string, width int) []byte {
	head := binary.LittleEndian.AppendUint32([]byte(vectorMagic), uint32(width))
	sum := sha256.Sum256([]byte(fingerprint))
	return append(head, sum[:]...)
}

// keptVectors is how many vectors there are in a file, of whatever model; 0 without one.
func keptVectors(path string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close() //nolint:errcheck // read only
	head := make([]byte, len(vectorHeader("", 0)))
	info, err := f.Stat()
	if _, rerr := io.ReadFull(f, head); err != nil || rerr != nil || string(head[:len(vectorMagic)]) != vectorMagic {
		return 0
	}
	v := vectorFile{width: int(binary.LittleEndian.Uint32(head[len(vectorMagic):]))}
	return (info.Size() - int64(len(head))) / int64(v.recordSize())
}

// openVectorFile opens the file at path for adding to it. One of another model, or
// none at all, is begun anew.
func openVectorFile(path, fingerprint string, width int) (*vectorFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	v := &vectorFile{width: width, f: f, at: map[textKey]int64{}}
	if err := v.begin(vectorHeader(fingerprint, width)); err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", path, err), f.Close())
	}
	return v, nil
}

// readVectorFile opens a file that another process may be adding to, for reading.
func readVectorFile(path, fingerprint string, width int) (*vectorFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	v := &vectorFile{width: width, f: f, at: map[textKey]int64{}}
	if _, err := v.load(vectorHeader(fingerprint, width)); err != nil {
		return nil, errors.Join(fmt.Errorf("reading %s: %w", path, err), f.Close())
	}
	return v, nil
}

func (v *vectorFile) recordSize() int { return sha256.Size + 4*v.width + 4 }

// begin reads what is whole, and cuts off the rest.
func (v *vectorFile) begin(header []byte) error {
	ours, err := v.load(header)
	if err != nil {
		return err
	}
	if ours {
		return v.f.Truncate(v.end)
	}
	if err := v.f.Truncate(0); err != nil {
		return err
	}
	_, err = v.f.WriteAt(header, 0)
	v.end = int64(len(header))
	return errors.Join(err, v.f.Sync())
}

// load reads what is whole, if the file is of the model.
func (v *vectorFile) load(header []byte) (ours bool, err error) {
	have := make([]byte, len(header))
	_, err = io.ReadFull(v.f, have)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	if !bytes.Equal(have, header) {
		return false, nil
	}
	v.end = int64(len(header))
	r := bufio.NewReaderSize(v.f, 1<<20)
	rec := make([]byte, v.recordSize())
	for {
		if _, err := io.ReadFull(r, rec); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return true, nil
		} else if err != nil {
			return false, err
		}
		body := rec[:len(rec)-4]
		if crc32.Checksum(body, vectorSums) != binary.LittleEndian.Uint32(rec[len(rec)-4:]) {
			return true, nil
		}
		v.at[textKey(body[:sha256.Size])] = v.end + sha256.Size
		v.end += int64(len(rec))
	}
}

// has reports whether the text has its vector.
func (v *vectorFile) has(key textKey) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	_, ok := v.at[key]
	return ok
}

// len is how many texts have theirs.
func (v *vectorFile) len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.at)
}

// get reads a text's vector; nil if it has none.
func (v *vectorFile) get(key textKey) ([]float32, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	at, ok := v.at[key]
	if !ok {
		return nil, nil
	}
	raw := make([]byte, 4*v.width)
	if _, err := v.f.ReadAt(raw, at); err != nil {
		return nil, fmt.Errorf("reading vectors that were made before: %w", err)
	}
	vector := make([]float32, v.width)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return vector, nil
}

// add keeps vectors, for good when it returns.
func (v *vectorFile) add(keys []textKey, vectors [][]float32) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var data []byte
	fresh := map[textKey]int64{}
	for i, key := range keys {
		if _, there := v.at[key]; there || vectors[i] == nil {
			continue
		}
		fresh[key] = v.end + int64(len(data)) + sha256.Size
		from := len(data)
		data = append(data, key[:]...)
		for _, x := range vectors[i] {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		data = binary.LittleEndian.AppendUint32(data, crc32.Checksum(data[from:], vectorSums))
	}
	if len(data) == 0 {
		return nil
	}
	_, err := v.f.WriteAt(data, v.end)
	if err = errors.Join(err, v.f.Sync()); err != nil {
		return fmt.Errorf("keeping vectors for later: %w", err)
	}
	for key, at := range fresh {
		v.at[key] = at
	}
	v.end += int64(len(data))
	return nil
}

func (v *vectorFile) close() error { return v.f.Close() }
