package manifest

import (
	"encoding/binary"
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

func FuzzBitmap(f *testing.F) {
	f.Add(words(bitmapPlain, 0, 1, 0, 0, 2, 0, 0, 1, 5, 9))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = countBitmap(data) })
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
