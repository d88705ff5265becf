package native

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestModelsThatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, []byte("not a model"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	cases := map[string]struct {
		path    string
		threads int
		kind    Kind
	}{
		"no file":      {missing, 1, NotFound},
		"another file": {foreign, 1, Corrupt},
		"no threads":   {foreign, 0, Invalid},
		"many threads": {foreign, 1000, Invalid},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := OpenModel(c.path, c.threads)
			var native *Error
			if !errors.As(err, &native) || native.Kind != c.kind {
				t.Fatalf("got %v, want kind %v", err, c.kind)
			}
			if c.kind != Invalid && !strings.Contains(err.Error(), c.path) {
				t.Errorf("%q does not name the file", err)
			}
		})
	}
	if n := LiveHandles()["model"]; n != 0 {
		t.Errorf("%d models are still open", n)
	}
}
