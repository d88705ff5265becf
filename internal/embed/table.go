package embed

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"
)

// table is a hash table of vectors in a file of fixed form, so that nothing has to
// be read when it is opened, and a vector costs two reads:
//
//	header   magic, width, buckets, fingerprint, checksum; 64 bytes
//	bucket   8 entries of 48 bytes (key, seconds, checksum), then their vectors
//
// A key belongs to one bucket; where that is full, the oldest gives way. The
// checksum covers key, time and values, and a file begins sparse: whatever was
// not written as a whole is no entry.
type table struct {
	file        *os.File
	fingerprint [sha256.Size]byte
	width       int
	buckets     int64
}

const (
	tableMagic = "mpvec-1\n"
	headerSize = 64
	ways       = 8
	entrySize  = 48
	mostWidth  = 1 << 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// damagedError is a file that is no table.
type damagedError struct{ path string }

func (e *damagedError) Error() string { return e.path + " is no file of vectors" }

// openTable opens the file of a fingerprint, or makes it anew.
func openTable(path string, fingerprint [sha256.Size]byte, width int) (*table, error) {
	for range 3 {
		t, err := readTable(path)
		if err == nil && t.fingerprint == fingerprint && t.width == width {
			return t, nil
		}
		var damaged *damagedError
		switch {
		case err == nil:
			_ = t.file.Close() // only read
			err = os.Remove(path)
		case errors.As(err, &damaged):
			err = os.Remove(path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := makeTable(path, fingerprint, width); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return nil, &damagedError{path}
}

// makeTable puts an empty one into place, unless somebody else just has.
func makeTable(path string, fingerprint [sha256.Size]byte, width int) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // gone or not, it is nothing
	head := make([]byte, headerSize)
	copy(head, tableMagic)
	binary.LittleEndian.PutUint32(head[8:], uint32(width))
	binary.LittleEndian.PutUint32(head[12:], uint32(max(1, diskBytes/bucketSize(width))))
	copy(head[16:], fingerprint[:])
	binary.LittleEndian.PutUint32(head[60:], crc32.Checksum(head[:60], castagnoli))
	_, err = temporary.Write(head)
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	if err = os.Link(temporary.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(temporary.Name(), path) // not every file system has links
	}
	return err
}

// readTable opens a file and checks its header.
func readTable(path string) (*table, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	head := make([]byte, headerSize)
	_, err = io.ReadFull(file, head)
	t := &table{file: file, width: int(binary.LittleEndian.Uint32(head[8:])), buckets: int64(binary.LittleEndian.Uint32(head[12:]))}
	copy(t.fingerprint[:], head[16:])
	if err != nil || !bytes.HasPrefix(head, []byte(tableMagic)) || crc32.Checksum(head[:60], castagnoli) != binary.LittleEndian.Uint32(head[60:]) ||
		t.width < 1 || t.width > mostWidth || t.buckets < 1 || t.buckets > diskBytes {
		_ = file.Close() // only read
		return nil, &damagedError{path}
	}
	return t, nil
}

func bucketSize(width int) int64 { return ways * int64(entrySize+4*width) }

func (t *table) bucket(k key) int64 {
	return headerSize + int64(binary.LittleEndian.Uint64(k[:])%uint64(t.buckets))*bucketSize(t.width)
}

func (t *table) vectorAt(bucket int64, way int) int64 {
	return bucket + ways*entrySize + int64(way)*4*int64(t.width)
}

// entry is a place of a bucket.
type entry struct {
	key  key
	made int64 // seconds since 1970; 0 is free
	sum  uint32
}

func (t *table) entries(bucket int64) (list [ways]entry, err error) {
	raw := make([]byte, ways*entrySize)
	if _, err := t.file.ReadAt(raw, bucket); err != nil && !errors.Is(err, io.EOF) {
		return list, err
	}
	for i := range list {
		e := raw[i*entrySize:]
		copy(list[i].key[:], e)
		list[i].made = int64(binary.LittleEndian.Uint64(e[32:]))
		list[i].sum = binary.LittleEndian.Uint32(e[40:])
	}
	return list, nil
}

func sumOf(k key, made int64, values []byte) uint32 {
	head := binary.LittleEndian.AppendUint64(k[:len(k):len(k)], uint64(made))
	return crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, values)
}

// get gives the vector of a key and when it was made.
func (t *table) get(k key) (vector []float32, made time.Time, ok bool) {
	bucket := t.bucket(k)
	list, err := t.entries(bucket)
	if err != nil {
		return nil, made, false
	}
	values := make([]byte, 4*t.width)
	for way, e := range list {
		if e.made == 0 || e.key != k {
			continue
		}
		if _, err := t.file.ReadAt(values, t.vectorAt(bucket, way)); err != nil || sumOf(k, e.made, values) != e.sum {
			continue
		}
		vector = make([]float32, t.width)
		for i := range vector {
			vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:]))
		}
		return vector, time.Unix(e.made, 0), true
	}
	return nil, made, false
}

// put keeps a vector: over an older one of the same key, else in a free place, else
// over the oldest. The values come first, so that an entry never stands for values
// that are not there yet.
func (t *table) put(k key, vector []float32, now time.Time) {
	bucket := t.bucket(k)
	list, err := t.entries(bucket)
	if err != nil {
		return
	}
	way := 0
	for i, e := range list {
		if e.key == k && e.made != 0 {
			way = i
			break
		}
		if e.made < list[way].made {
			way = i
		}
	}
	values := make([]byte, 0, 4*t.width)
	for _, x := range vector {
		values = binary.LittleEndian.AppendUint32(values, math.Float32bits(x))
	}
	made := now.Unix()
	head := append(make([]byte, 0, entrySize), k[:]...)
	head = binary.LittleEndian.AppendUint64(head, uint64(made))
	head = binary.LittleEndian.AppendUint32(head, sumOf(k, made, values))
	head = append(head, make([]byte, entrySize-len(head))...)
	if _, err := t.file.WriteAt(values, t.vectorAt(bucket, way)); err != nil {
		return
	}
	_, _ = t.file.WriteAt(head, bucket+int64(way)*entrySize) // half of it is no entry
}

// remove overwrites a key's entries and their values, and counts them.
func (t *table) remove(k key) (n int, err error) {
	bucket := t.bucket(k)
	list, err := t.entries(bucket)
	if err != nil {
		return 0, fmt.Errorf("looking for a vector: %w", err)
	}
	for way, e := range list {
		if e.key != k || e.made == 0 {
			continue
		}
		_, first := t.file.WriteAt(make([]byte, 4*t.width), t.vectorAt(bucket, way))
		_, second := t.file.WriteAt(make([]byte, entrySize), bucket+int64(way)*entrySize)
		if err := errors.Join(first, second); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
