package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed/weights"
)

// The centre in the tree is that of the sentences in the tree. Processors round
// a little differently.
func TestCentreBelongsToTheSentences(t *testing.T) {
	path, err := weights.InCheckout(".")
	if err != nil {
		t.Fatal(err)
	}
	mean, err := centreOf(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("../../embed/centre.f32")
	if err != nil || len(raw) != 4*len(mean) {
		t.Fatalf("%d bytes, %v", len(raw), err)
	}
	var off, size float64
	for i, x := range mean {
		kept := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		off += float64(x-kept) * float64(x-kept)
		size += float64(x) * float64(x)
	}
	if math.Sqrt(off/size) > 0.02 {
		t.Errorf("the centre is off by %.1f %%; run: go run ./internal/rank/calibration -centre", 100*math.Sqrt(off/size))
	}
}

func TestReport(t *testing.T) {
	path, err := weights.InCheckout(".")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), path, &out); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"question", "unrelated", "paraphrase", "negation", "number", "swapped"} {
		if !strings.Contains(out.String(), kind) {
			t.Errorf("no line about %s:\n%s", kind, out.String())
		}
	}
}
