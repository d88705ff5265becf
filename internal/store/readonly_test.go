package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// reader is a child that reads where it may not write. The superuser may write
// anywhere, so it becomes somebody else first.
func reader(ctx context.Context, path string) int {
	if os.Geteuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if err := readOnly(ctx, path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func readOnly(ctx context.Context, path string) error {
	s, err := Open(ctx, Options{Path: path, Dimensions: width})
	if err != nil {
		return err
	}
	page, err := s.List(ctx, ListQuery{Who: everyone(), Limit: 5})
	if err != nil || len(page.Memories) != 2 {
		return fmt.Errorf("listed %d, %w", len(page.Memories), err)
	}
	hits, err := s.Matching(ctx, everyone(), memory.Narrow{}, "harbour", 5)
	if err != nil || len(hits) != 1 {
		return fmt.Errorf("found %d by keyword, %w", len(hits), err)
	}
	near, err := s.Nearest(ctx, everyone(), memory.Narrow{}, vec("x"), 5)
	if err != nil || len(near) != 2 {
		return fmt.Errorf("found %d by vector, %w", len(near), err)
	}
	if st, err := s.Stats(ctx, everyone()); err != nil || st.Total != 2 {
		return fmt.Errorf("counted %d, %w", st.Total, err)
	}
	_, maintaining := s.Maintain(ctx)
	for _, err := range []error{maintaining, s.Write(ctx, "storing", func(tx *Tx) error { return tx.Insert(mem("y")) })} {
		var pe *PathError
		if !errors.As(err, &pe) || !strings.Contains(err.Error(), path+" is not writable") {
			return fmt.Errorf("writing: %w", err)
		}
	}
	return s.Close()
}

func TestReadOnlyDirectory(t *testing.T) {
	noHandlesLeft(t)
	full, empty := t.TempDir(), t.TempDir()
	s := open(t, full)
	insert(t, s, mem("the harbour has two cranes"), mem("x"))
	if err := os.Chmod(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{full: "", empty: empty + " is not writable"} {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"=read:"+dir)
		out, err := cmd.CombinedOutput()
		if (err == nil) != (want == "") || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v: %s, want %q", dir, err, out, want)
		}
	}
}
