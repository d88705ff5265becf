package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// TestCreateRace has eight processes meet in a directory that is not there yet.
// Each opens the store and keeps its row.
func TestCreateRace(t *testing.T) {
	const processes, rounds = 8, 5
	noHandlesLeft(t)
	for round := range rounds {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(round), "db")
		var cmds []*exec.Cmd
		var start []func()
		for range processes {
			cmd, goOn := startChild(t, "first", dir)
			cmds, start = append(cmds, cmd), append(start, goOn)
		}
		for _, goOn := range start {
			goOn()
		}
		for i, cmd := range cmds {
			if err := cmd.Wait(); err != nil {
				t.Errorf("round %d, process %d: %v", round, i, err)
			}
		}
		if n := total(t, open(t, dir)); n != processes {
			t.Errorf("round %d: %d rows, want %d", round, n, processes)
		}
	}
}

// TestCreateRaceWithAForeignProgram waits for a table that a program without our
// lock is making.
func TestCreateRaceWithAForeignProgram(t *testing.T) {
	noHandlesLeft(t)
	made, dir := t.TempDir(), t.TempDir()
	table(t, made, foreignFields(), "")
	from, at := filepath.Join(made, "memories.lance"), filepath.Join(dir, "memories.lance")
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	// The directory is there; that a look at it failed is what the signature tells.
	done := make(chan error, 1)
	go func() {
		for range time.Tick(time.Millisecond) {
			if newFileLock(dir, time.Now).holder().Who == "creating the table" || t.Context().Err() != nil {
				break
			}
		}
		done <- unix.Rename(from, at) // os.Rename does not replace a directory
	}()
	s := open(t, dir)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	insert(t, s, mem("x"))
}

// TestCreateUnfinished does not call a table damaged that may be whole in a moment,
// and does not wait for it for ever.
func TestCreateUnfinished(t *testing.T) {
	noHandlesLeft(t)
	for name, parts := range map[string]string{"empty": "", "no version": "_versions", "data alone": "data"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, "memories.lance", parts), 0o700); err != nil {
				t.Fatal(err)
			}
			_, examining := Examine(t.Context(), Options{Path: dir})
			for _, err := range []error{examining, unfinishedError(dir, lance.ErrExists)} {
				var schema *SchemaError
				if !errors.As(err, &schema) || !strings.Contains(err.Error(), "try again in a moment") {
					t.Errorf("got %v", err)
				}
			}
			// Nobody makes it any more: it is set aside, and made anew.
			s := open(t, dir, func(o *Options) { o.LockTimeout = 50 * time.Millisecond })
			insert(t, s, mem("x"))
		})
	}
}
