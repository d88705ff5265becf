// Package checkout finds the source tree. It is for generators, tests and
// measurements, which may run in any directory of it; the product never asks.
package checkout

import (
	"errors"
	"os"
	"path/filepath"
)

// Root is the directory of go.mod above dir.
func Root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod above the working directory; run this inside the checkout")
		}
		dir = up
	}
}
