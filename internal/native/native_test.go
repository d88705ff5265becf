package native

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestBuildInfoIsJSON(t *testing.T) {
	var info map[string]any
	if err := json.Unmarshal([]byte(BuildInfo()), &info); err != nil || info["lance"] == nil {
		t.Errorf("build info %s: %v", BuildInfo(), err)
	}
}

func TestPanicIsContainedAndTyped(t *testing.T) {
	err := PanicProbe()
	var native *Error
	if !errors.As(err, &native) || native.Kind != Panic || !strings.Contains(native.Message, "probe") {
		t.Errorf("a panic came back as %#v", err)
	}
	for kind, n := range LiveHandles() {
		if n != 0 {
			t.Errorf("%d handles of kind %s are out", n, kind)
		}
	}
}

func TestFinishedContextsAreRefused(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := OpenTable(ctx, t.TempDir(), "t", nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("opening under a cancelled context: %v", err)
	}
}

// The kinds are numbers on both sides of the boundary.
func TestKindsAreThoseOfTheHeader(t *testing.T) {
	header, err := os.ReadFile("include/mlp.h")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`MLP_([A-Z_]+) = (\d+)`).FindAllStringSubmatch(string(header), -1)
	if len(found) != len(kindNames) {
		t.Errorf("the header has %d kinds, Go has %d", len(found), len(kindNames))
	}
	for _, m := range found {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if got := Kind(n).String(); got != strings.ToLower(m[1]) {
			t.Errorf("kind %d is %s here and %s in the header", n, got, m[1])
		}
	}
}
