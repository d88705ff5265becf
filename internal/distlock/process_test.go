package distlock

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/servertest"
)

// childEnv makes the test binary act as another process: it holds the task, the
// address of Redis and a file.
const childEnv = "MEMORY_DISTLOCK_TEST_CHILD"

// pausedTTL is how long the lock of a process that is paused lives.
const pausedTTL = 500 * time.Millisecond

func TestMain(m *testing.M) {
	if task := os.Getenv(childEnv); task != "" {
		if err := child(strings.Split(task, "|")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const rounds = 40

func child(task []string) error {
	ctx, in := context.Background(), bufio.NewReader(os.Stdin)
	switch task[0] {
	case "count":
		l, err := New(Options{URL: task[1], AcquireTimeout: time.Minute, RetryDelay: 2 * time.Millisecond})
		if err != nil {
			return err
		}
		for range rounds {
			if err := count(ctx, l, task[2]); err != nil {
				return err
			}
		}
	case "hold":
		l, err := New(Options{URL: task[1], TTL: pausedTTL})
		if err != nil {
			return err
		}
		lease, err := l.Acquire(ctx, "bulk import")
		if err != nil {
			return err
		}
		fmt.Println(lease.Token())
		if _, err := in.ReadString('\n'); err != nil {
			return err
		}
		fmt.Printf("%t\n", errors.As(lease.Check(ctx), new(*LostError)))
		fmt.Printf("%t\n", errors.As(lease.Release(), new(*LostError)))
	}
	return nil
}

// count adds one to the number in a file and prints the lease's token.
func count(ctx context.Context, l *Lock, file string) error {
	lease, err := l.Acquire(ctx, "counting")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(strconv.Itoa(n+1)), 0o600); err != nil {
		return err
	}
	fmt.Println(lease.Token())
	return errors.Join(lease.Check(ctx), lease.Release())
}

func startChild(t *testing.T, task ...string) (*exec.Cmd, *bufio.Reader, io.Writer) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(task, "|"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, bufio.NewReader(out), in
}

func TestTwoProcessesExcludeEachOther(t *testing.T) {
	s := servertest.Redis(t)
	file := filepath.Join(t.TempDir(), "counter")
	if err := os.WriteFile(file, []byte("0"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, a, _ := startChild(t, "count", url(s), file)
	_, b, _ := startChild(t, "count", url(s), file)
	tokens := map[string]bool{}
	for _, out := range []*bufio.Reader{a, b} {
		for range rounds {
			line, err := out.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			tokens[line] = true
		}
		if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
			t.Errorf("the end of a process: %q, %v", rest, err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != strconv.Itoa(2*rounds) || len(tokens) != 2*rounds {
		t.Errorf("counted to %s with %d tokens, want %d", text, len(tokens), 2*rounds)
	}
}

// A process that is stopped for longer than its lock lives comes back believing
// that it has it.
func TestAPausedHolderIsFenced(t *testing.T) {
	s := servertest.Redis(t)
	cmd, out, in := startChild(t, "hold", url(s), "")
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	lease := hold(t, newLock(t, Options{URL: url(s), AcquireTimeout: time.Minute}), "storing")
	if theirs, _ := strconv.ParseInt(strings.TrimSpace(line), 10, 64); lease.Token() <= theirs {
		t.Errorf("our token is %d, that of the paused process %d", lease.Token(), theirs)
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, "look")
	for _, what := range []string{"Check", "Release"} {
		if lost, err := out.ReadString('\n'); lost != "true\n" {
			t.Errorf("%s of the paused process found the lock lost: %q, %v", what, lost, err)
		}
	}
	if err := lease.Check(t.Context()); err != nil {
		t.Errorf("the paused process took our lock with it: %v", err)
	}
	if err := lease.Release(); err != nil {
		t.Errorf("Release: %v", err)
	}
}
