package manifest

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func varint(number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), value)
}

func words(list ...uint16) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint16(b, w)
	}
	return b
}

func TestBitmapLengths(t *testing.T) {
	offsets := func(n int) []byte { return make([]byte, 4*n) }
	join := func(parts ...[]byte) (b []byte) {
		for _, p := range parts {
			b = append(b, p...)
		}
		return b
	}
	for name, c := range map[string]struct {
		data []byte
		want uint64
	}{
		"empty":          {join(words(bitmapPlain, 0, 0, 0)), 0},
		"a short list":   {join(words(bitmapPlain, 0, 1, 0, 0, 2), offsets(1), words(1, 5, 9)), 3},
		"bits":           {join(words(bitmapPlain, 0, 1, 0, 0, 5599), offsets(1), make([]byte, bitsSize)), 5600},
		"two containers": {join(words(bitmapPlain, 0, 2, 0, 0, 0, 1, 4999), offsets(2), words(7), make([]byte, bitsSize)), 5001},
		// One container: the numbers 10 to 19, as one run.
		"runs": {join(words(bitmapRuns, 0), []byte{1}, words(0, 9), words(1, 10, 9)), 10},
		"runs and offsets": {join(words(bitmapRuns, 3), []byte{1}, words(0, 9, 1, 0, 2, 0, 3, 0), offsets(4),
			words(1, 10, 9), words(1), words(1), words(1)), 13},
	} {
		if n, err := countBitmap(c.data); err != nil || n != c.want {
			t.Errorf("%s: %d, %v, want %d", name, n, err, c.want)
		}
		for cut := range c.data {
			if _, err := countBitmap(c.data[:cut]); err == nil {
				t.Errorf("%s: cut at %d of %d passes", name, cut, len(c.data))
			}
		}
		if _, err := countBitmap(append(c.data, 0)); err == nil {
			t.Errorf("%s: with something behind it passes", name)
		}
	}
	if _, err := countBitmap(make([]byte, 100)); err == nil {
		t.Error("zeros pass")
	}
}

func TestExpandBitmap(t *testing.T) {
	offsets := func(n int) []byte { return make([]byte, 4*n) }
	set := make([]byte, bitsSize)
	for i := range 5000 {
		set[i/8] |= 1 << (i % 8)
	}
	last := []uint32{65536 + 7}
	for i := range 5000 {
		last = append(last, 3<<16|uint32(i))
	}
	for name, c := range map[string]struct {
		data []byte
		want []uint32
	}{
		"empty":         {words(bitmapPlain, 0, 0, 0), []uint32{}},
		"a short list":  {slices.Concat(words(bitmapPlain, 0, 1, 0, 0, 2), offsets(1), words(1, 5, 9)), []uint32{1, 5, 9}},
		"list and bits": {slices.Concat(words(bitmapPlain, 0, 2, 0, 1, 0, 3, 4999), offsets(2), words(7), set), last},
		"runs":          {slices.Concat(words(bitmapRuns, 0), []byte{1}, words(0, 4), words(2, 10, 2, 20, 1)), []uint32{10, 11, 12, 20, 21}},
		"runs and offsets": {slices.Concat(words(bitmapRuns, 3), []byte{1}, words(0, 1, 1, 0, 2, 0, 3, 0), offsets(4),
			words(1, 10, 1), words(1), words(2), words(3)), []uint32{10, 11, 1<<16 | 1, 2<<16 | 2, 3<<16 | 3}},
	} {
		table := t.TempDir()
		if err := os.WriteFile(filepath.Join(table, "x.bin"), c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadBitmap(table, File{Path: "x.bin"}); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}

func FuzzBitmap(f *testing.F) {
	f.Add(words(bitmapPlain, 0, 1, 0, 0, 2, 0, 0, 1, 5, 9))
	f.Add(slices.Concat(words(bitmapRuns, 0), []byte{1}, words(0, 4), words(2, 0, 65535, 0, 65535)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if n, err := countBitmap(data); err == nil && len(expandBitmap(data, int(n))) > int(n)+bitsSize*8 {
			t.Error("it grows without bound")
		}
	})
}

// FuzzParse: whatever stands in a manifest file, reading it ends with an answer.
func FuzzParse(f *testing.F) {
	f.Add([]byte("LANC"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		m := &Manifest{Version: Version{Number: 7}}
		_ = m.parse(data)
		_ = m.parse(append(append(append([]byte{byte(len(data)), 0, 0, 0}, data...), make([]byte, 12)...), magic...))
	})
}
