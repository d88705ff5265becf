package journal

import (
	"bufio"
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

	"github.com/google/go-cmp/cmp"
)

// The environment makes the test binary one of the processes of a test.
const (
	roleEnv = "JOURNAL_TEST_ROLE"
	dirEnv  = "JOURNAL_TEST_DIR"
)

func TestMain(m *testing.M) {
	roles := map[string]func(dir string) error{"alternate": alternate, "endless": endless, "limited": limited}
	role := os.Getenv(roleEnv)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := roles[role](os.Getenv(dirEnv)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// start runs this binary in a role.
func start(t *testing.T, role, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleEnv+"="+role, dirEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// locked runs f under a lock between processes.
func locked(dir string, f func() error) error {
	l, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := syscall.Flock(int(l.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return f()
}

const turns = 60

// alternate takes the lock again and again, settles what it is handed, and appends.
func alternate(dir string) error {
	o := quiet()
	o.SegmentBytes = 2000
	j, err := Open(filepath.Join(dir, "journal"), o)
	if err != nil {
		return err
	}
	for i := range turns {
		err := locked(dir, func() error {
			undone, err := j.Catch()
			if err != nil {
				return err
			}
			if n := len(undone); n > 0 {
				if err := j.Done(undone[n-1].Seq, 1); err != nil {
					return err
				}
			}
			e := entry(fmt.Sprintf("%d-%d", os.Getpid(), i))
			if err := j.Append(e, entry("second")); err != nil {
				return err
			}
			switch i % 3 {
			case 0:
				return j.Done(e.Seq+1, int64(e.Seq))
			case 1:
				return j.Cancel(e.Seq + 1)
			}
			return nil // left to the next
		})
		if err != nil {
			return err
		}
		for _, err := range j.Newest() {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func TestTwoProcessesAlternate(t *testing.T) {
	dir := t.TempDir()
	var cmds []*exec.Cmd
	for range 2 {
		cmd, _ := start(t, "alternate", dir)
		cmds = append(cmds, cmd)
	}
	wanted := map[string]bool{}
	for _, cmd := range cmds {
		for i := range turns {
			wanted[fmt.Sprintf("%d-%d", cmd.Process.Pid, i)] = true
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	j := open(t, filepath.Join(dir, "journal"), quiet())
	last, seconds := uint64(0), 0
	for r, err := range j.Since(0) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Seq != last+1 {
			t.Errorf("number %d comes after %d", r.Seq, last)
		}
		last = r.Seq
		if r.Operation == "second" {
			seconds++
		} else if !wanted[r.Operation] {
			t.Errorf("%q is there twice, or from nowhere", r.Operation)
		}
		delete(wanted, r.Operation)
	}
	if len(wanted) > 0 || seconds != 2*turns*2/3 {
		t.Errorf("missing %v, second entries %d of %d", wanted, seconds, 2*turns*2/3)
	}
}

// endless appends and reports each number once it is acknowledged.
func endless(dir string) error {
	j, err := Open(dir, quiet())
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		group := []*Entry{entry(fmt.Sprint(i)), entry(strings.Repeat("long ", 500)), entry("third")}
		if err := j.Append(group...); err != nil {
			return err
		}
		fmt.Println(group[2].Seq)
		if err := j.Done(group[0].Seq, 1); err != nil {
			return err
		}
	}
}

func TestEveryAcknowledgedEntrySurvivesAKill(t *testing.T) {
	kills := 12
	if testing.Short() {
		kills = 5
	}
	dir := filepath.Join(t.TempDir(), "journal")
	acknowledged := uint64(0)
	for kill := range kills {
		cmd, out := start(t, "endless", dir)
		for range 1 + kill*3%7 {
			if !out.Scan() {
				t.Fatal("the child ended by itself")
			}
			acknowledged = reported(t, out.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for out.Scan() { // what it still said before it died
			acknowledged = reported(t, out.Text())
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the child was not killed")
		}
		j := open(t, dir, quiet())
		undone, err := j.Catch()
		if err != nil {
			t.Fatal(err)
		}
		last := uint64(0)
		for r, err := range j.Since(0) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Seq != last+1 {
				t.Fatalf("number %d comes after %d", r.Seq, last)
			}
			last = r.Seq
		}
		if last < acknowledged {
			t.Fatalf("kill %d: %d was acknowledged, the journal ends at %d", kill, acknowledged, last)
		}
		if n := len(undone); n > 0 {
			if err := j.Done(undone[n-1].Seq, 2); err != nil {
				t.Fatal(err)
			}
		}
		_ = j.Close()
	}
}

func reported(t *testing.T, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// limited appends until the kernel forbids the file to grow, and goes on when it may.
func limited(dir string) error {
	const limit = 256 << 10
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: was.Max}); err != nil {
		return err
	}
	j, err := Open(dir, quiet())
	if err != nil {
		return err
	}
	long := strings.Repeat("long ", 1000)
	before := int64(0)
	for {
		err := j.Append(entry(long))
		st, serr := j.Stats()
		if serr != nil {
			return serr
		}
		if err == nil {
			before = st.Bytes
			fmt.Println(st.Last)
			continue
		}
		if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), segmentName(1)) || !strings.Contains(err.Error(), "ulimit") {
			return fmt.Errorf("the error says %w", err)
		}
		if st.Bytes != before || before > limit {
			return fmt.Errorf("%d bytes before, %d after", before, st.Bytes)
		}
		break
	}
	// Something short still fits, and with the old limit all is well.
	if err := j.Append(entry("short")); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	return j.Append(entry(long))
}

func TestAFileSizeLimitOfTheKernel(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	cmd, out := start(t, "limited", dir)
	last := uint64(0)
	for out.Scan() {
		last = reported(t, out.Text())
	}
	if err := cmd.Wait(); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if last < 5 {
		t.Fatalf("only %d entries fit", last)
	}
	got := since(t, open(t, dir, quiet()), 0)
	want := fmt.Sprintf("%d short v0", last+1)
	if uint64(len(got)) != last+2 || got[last] != want {
		t.Errorf("%d entries, want %d with %q before the last", len(got), last+2, want)
	}
	if diff := cmp.Diff(len(catch(t, open(t, dir, quiet()))), len(got)); diff != "" {
		t.Error(diff)
	}
}
