package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// childEnv makes the test binary act as a second process: it names the store's
// directory and what to do there.
const childEnv = "MEMORY_STORE_TEST_CHILD"

// child stores rows, or holds the lock until its standard input ends. As "first"
// it waits for that end, then opens the store and stores one row.
func child() int {
	task, path, _ := strings.Cut(os.Getenv(childEnv), ":")
	ctx := context.Background()
	switch task {
	case "read":
		return reader(ctx, path)
	case "recall":
		return recaller(ctx, path)
	case "crash":
		return crasher(ctx, path)
	case "full":
		return fullDisk(ctx, path)
	case "reembed":
		return reembedder(ctx, path)
	}
	if task == "first" {
		fmt.Println("ready")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	}
	s, err := Open(ctx, Options{Path: path, Dimensions: width, LockTimeout: time.Minute})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer s.Close()
	switch task {
	case "first":
		err = s.Write(ctx, "child", func(tx *Tx) error { return tx.Insert(mem(fmt.Sprintf("row of process %d", os.Getpid()))) })
	case "hold":
		err = s.Write(ctx, "holding for a test", func(*Tx) error {
			fmt.Println("held")
			_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
			return nil
		})
	case "store":
		fmt.Println("ready")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		for i := 0; i < 20 && err == nil; i++ {
			err = s.Write(ctx, "child", func(tx *Tx) error { return tx.Insert(mem(fmt.Sprintf("child row %d", i))) })
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// startChild starts a second process on the store and waits for its first line.
func startChild(t *testing.T, task, path string) (cmd *exec.Cmd, goOn func()) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+task+":"+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the child said nothing: %v", err)
	}
	return cmd, func() { in.Close() }
}

func TestParallelWriters(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	insert(t, s, numbered("seed row %d", 100)...)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			begin := time.Now()
			err := s.Write(t.Context(), "writer", func(tx *Tx) error { return tx.Insert(mem(fmt.Sprintf("parallel row %d", i))) })
			if err != nil {
				t.Error(err)
			}
			if d := time.Since(begin); d > time.Second {
				t.Errorf("writer %d waited %v, want under a second", i, d)
			}
		})
	}
	wg.Wait()
	if n := total(t, s); n != 108 {
		t.Errorf("the table has %d rows, want 108", n)
	}
}

func TestParallelUpdatesOfOneRow(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	m := mem("v")
	insert(t, s, m)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			err := s.Write(t.Context(), "writer", func(tx *Tx) error {
				got, err := tx.Get(t.Context(), everyone(), m.ID)
				if err != nil {
					return err
				}
				got.Metadata.AccessCount++
				got.Text = fmt.Sprintf("v%d", i)
				return tx.Update(got)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, err := s.Get(t.Context(), everyone(), m.ID)
	if err != nil || got.Metadata.AccessCount != 20 || total(t, s) != 1 {
		t.Errorf("count %d of 20 updates, %d rows, %v", got.Metadata.AccessCount, total(t, s), err)
	}
}

// TestTwoProcesses has two stores of this process and a real second process
// write at once. Nothing is lost, and every store sees all of it at once.
func TestTwoProcesses(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	a := open(t, dir)
	b := open(t, dir)
	cmd, goOn := startChild(t, "store", dir)
	var wg sync.WaitGroup
	goOn()
	for name, s := range map[string]*Store{"a": a, "b": b} {
		wg.Go(func() {
			for i := range 20 {
				err := s.Write(t.Context(), name, func(tx *Tx) error { return tx.Insert(mem(fmt.Sprintf("row %d of %s", i, name))) })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the child: %v", err)
	}
	for name, s := range map[string]*Store{"a": a, "b": b} {
		if n := total(t, s); n != 60 {
			t.Errorf("store %s sees %d rows, want 60", name, n)
		}
		if got := matching(t, s, "child", 30); len(got) != 20 {
			t.Errorf("store %s finds %d rows of the child by keyword, want 20", name, len(got))
		}
	}
}

// TestFixedIDs has two processes import the same rows: each id lands once.
func TestFixedIDs(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	stores := []*Store{open(t, dir), open(t, dir)}
	rows := numbered("imported row %d", 50)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			err := stores[i%2].Write(t.Context(), "import", func(tx *Tx) error {
				for _, m := range rows {
					if _, err := tx.Get(t.Context(), everyone(), m.ID); errors.Is(err, ErrNotFound) {
						err = tx.Insert(m)
						if err != nil {
							return err
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := total(t, stores[0]); n != 50 {
		t.Errorf("the table has %d rows, want 50", n)
	}
}

func TestLockedByAnother(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir, func(o *Options) { o.LockTimeout = 50 * time.Millisecond })
	cmd, _ := startChild(t, "hold", dir)
	err := s.Write(t.Context(), "storing a memory", func(tx *Tx) error { return tx.Insert(mem("x")) })
	var locked *LockedError
	if !errors.As(err, &locked) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, want a LockedError", err)
	}
	if locked.Holder.PID != cmd.Process.Pid || locked.Holder.Who != "holding for a test" {
		t.Errorf("the error names %v, want process %d", locked.Holder, cmd.Process.Pid)
	}
	if !strings.Contains(err.Error(), fmt.Sprint("process ", cmd.Process.Pid)) || !strings.Contains(err.Error(), "try again") {
		t.Errorf("the error says %q", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Write(ctx, "test", func(*Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
	// Reads go on, and a holder that dies leaves the lock free.
	if n := total(t, s); n != 0 {
		t.Errorf("%d rows, want 0: the write that gave up wrote", n)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	insert(t, s, mem("after its death"))
}

// TestQueuedBehindSlowWriter gives up waiting for a writer of the same process,
// and only the one whose patience ended.
func TestQueuedBehindSlowWriter(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	hold, held := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.Write(t.Context(), "slow writer", func(*Tx) error { close(held); <-hold; return nil })
	})
	<-held
	wg.Go(func() { insert(t, s, mem("patient")) })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := s.Write(ctx, "hasty", func(tx *Tx) error { return tx.Insert(mem("hasty")) })
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Holder.Who != "slow writer" {
		t.Errorf("got %v, want a LockedError that names the slow writer", err)
	}
	close(hold)
	wg.Wait()
	if n := total(t, s); n != 1 {
		t.Errorf("%d rows, want only the patient one", n)
	}
}

// TestLockLeftovers starts with things in the lock's place.
func TestLockLeftovers(t *testing.T) {
	tests := map[string]func(path string) error{
		"empty file":           func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"file of a dead owner": func(p string) error { return os.WriteFile(p, []byte(`{"pid":999999}`), 0o600) },
		"directory":            func(p string) error { return os.Mkdir(p, 0o700) },
	}
	for name, leave := range tests {
		t.Run(name, func(t *testing.T) {
			noHandlesLeft(t)
			dir := t.TempDir()
			for _, f := range []string{lockFile, turnFile, foldFile} {
				if err := leave(filepath.Join(dir, f)); err != nil {
					t.Fatal(err)
				}
			}
			s := open(t, dir)
			insert(t, s, mem("stored all the same"))
			if _, err := s.Maintain(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNoStarving has one store write without pause; the other gets its turn.
func TestNoStarving(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	busy, modest := open(t, dir), open(t, dir, func(o *Options) { o.LockTimeout = 5 * time.Second })
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_ = busy.Write(t.Context(), "busy", func(tx *Tx) error {
					_, err := tx.Nearest(t.Context(), everyone(), memory.Narrow{}, vec("x"), 1)
					return errors.Join(err, errors.New("nothing to write"))
				})
			}
		})
	}
	for i := range 5 {
		begin := time.Now()
		insert(t, modest, mem(fmt.Sprintf("modest %d", i)))
		if d := time.Since(begin); d > time.Second {
			t.Errorf("write %d waited %v behind a busy process", i, d)
		}
	}
	close(stop)
	wg.Wait()
}
