package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/servertest"
)

// remoteEnv makes the test binary act as a second machine: it holds a farEnd.
const remoteEnv = "MEMORY_STORE_TEST_REMOTE"

// farEnd is a database in object storage and one machine's way to it.
type farEnd struct {
	Path, StateDir string
	Storage        map[string]string
	Rows           int    // to store, one by one
	Redis          string // or one row under this lock, when told to
}

func newFarEnd(t *testing.T) farEnd {
	t.Helper()
	return farEnd{Path: "s3://" + servertest.Bucket + "/db", StateDir: t.TempDir(), Storage: servertest.S3(t).S3Options()}
}

// elsewhere is another machine.
func (f farEnd) elsewhere(t *testing.T) farEnd {
	f.StateDir = t.TempDir()
	return f
}

func (f farEnd) options(o *Options) { o.StateDir, o.StorageOptions = f.StateDir, f.Storage }

// remoteChild waits for a line, stores rows one by one and prints each id when it
// is acknowledged.
func remoteChild() int {
	var f farEnd
	err := json.Unmarshal([]byte(os.Getenv(remoteEnv)), &f)
	switch {
	case err != nil:
	case f.Redis != "":
		err = f.hold(context.Background())
	default:
		err = f.store(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (f farEnd) store(ctx context.Context) error {
	s, err := Open(ctx, Options{Path: f.Path, StateDir: f.StateDir, StorageOptions: f.Storage, Dimensions: width})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	for i := range f.Rows {
		m := mem(fmt.Sprintf("row %d of process %d", i, os.Getpid()))
		if err := s.Write(ctx, "child", func(tx *Tx) error { return tx.Insert(m) }); err != nil {
			return err
		}
		fmt.Println(m.ID)
	}
	return s.Close()
}

// start starts a second machine and waits until its store is open.
func (f farEnd) start(t *testing.T) (cmd *exec.Cmd, acknowledged *bufio.Scanner, goOn func()) {
	t.Helper()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), remoteEnv+"="+string(text))
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
	acknowledged = bufio.NewScanner(out)
	if !acknowledged.Scan() {
		t.Fatal("the child said nothing")
	}
	return cmd, acknowledged, func() { in.Close() }
}

func (f farEnd) ids(t *testing.T, s *Store) map[string]bool {
	t.Helper()
	have := map[string]bool{}
	for q := (ListQuery{Who: everyone(), Limit: 50}); ; {
		page, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Memories {
			have[m.ID] = true
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return have
		}
	}
}

func TestRemoteLife(t *testing.T) {
	far := newFarEnd(t)
	noHandlesLeft(t)
	here, there := open(t, far.Path, far.options), open(t, far.Path, far.elsewhere(t).options)
	kept, gone := mem("The boathouse is locked at nine"), mem("The mooring is free")
	insert(t, here, kept, gone)
	if got := matching(t, there, "boathouse", 5); !slices.Equal(got, []string{kept.Text}) {
		t.Errorf("another machine finds %q", got)
	}
	kept.Text, kept.Vector = "The boathouse is locked at ten", vec("ten")
	if err := there.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(kept) }); err != nil {
		t.Fatal(err)
	}
	remove(t, there, gone.ID)
	if got := matching(t, here, "boathouse", 5); !slices.Equal(got, []string{kept.Text}) || total(t, here) != 1 {
		t.Errorf("found %q in %d rows after another machine changed one and deleted one", got, total(t, here))
	}
	hits, err := here.Nearest(t.Context(), everyone(), memory.Narrow{}, vec("ten"), 1)
	if err != nil || len(hits) != 1 || hits[0].Memory.ID != kept.ID {
		t.Errorf("Nearest = %v, %v", texts(hits), err)
	}
	if _, err := here.Maintain(t.Context()); err != nil {
		t.Errorf("Maintain: %v", err)
	}
	if here.Path() != far.Path || !strings.HasPrefix(here.StateDir(), far.StateDir) {
		t.Errorf("path %q, state in %q", here.Path(), here.StateDir())
	}
	if _, err := os.Stat(filepath.Join(here.StateDir(), journalDir)); err != nil {
		t.Errorf("the journal of this machine: %v", err)
	}
}

// Machines share no lock: object storage lets one of two commits that would make
// the same version win, and the other is made anew.
func TestRemoteWritersLoseNothing(t *testing.T) {
	const rows = 50
	far := newFarEnd(t)
	noHandlesLeft(t)
	far.Rows = rows
	one, acknowledgedOne, goOne := far.start(t)
	two, acknowledgedTwo, goTwo := far.elsewhere(t).start(t)
	goOne()
	goTwo()
	acknowledged := make([]map[string]bool, 2)
	var wg sync.WaitGroup
	for i, out := range []*bufio.Scanner{acknowledgedOne, acknowledgedTwo} {
		acknowledged[i] = map[string]bool{}
		wg.Go(func() {
			for out.Scan() {
				acknowledged[i][out.Text()] = true
			}
		})
	}
	wg.Wait()
	for _, cmd := range []*exec.Cmd{one, two} {
		if err := cmd.Wait(); err != nil {
			t.Errorf("a writer: %v", err)
		}
	}
	maps.Copy(acknowledged[0], acknowledged[1])
	s := open(t, far.Path, far.elsewhere(t).options)
	have := far.ids(t, s)
	if len(acknowledged[0]) != 2*rows || !maps.Equal(have, acknowledged[0]) {
		t.Errorf("%d rows acknowledged, %d are there, want %d", len(acknowledged[0]), len(have), 2*rows)
	}
}

// A writer that is killed leaves what it acknowledged, and at most the one row more
// that it was at.
func TestRemoteWriterKilled(t *testing.T) {
	far := newFarEnd(t)
	noHandlesLeft(t)
	far.Rows = 1_000_000
	cmd, out, goOn := far.start(t)
	goOn()
	var acknowledged []string
	for len(acknowledged) < 12 && out.Scan() {
		acknowledged = append(acknowledged, out.Text())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for out.Scan() { // what it said before it died
		acknowledged = append(acknowledged, out.Text())
	}
	_ = cmd.Wait()
	have := far.ids(t, open(t, far.Path, far.options))
	for _, id := range acknowledged {
		if !have[id] {
			t.Errorf("the acknowledged row %s is lost", id)
		}
	}
	if extra := len(have) - len(acknowledged); extra > 1 {
		t.Errorf("%d rows more than were acknowledged", extra)
	}
}

// What is on record on this machine and did not reach the storage is completed when
// it opens the database again; other machines need not wait for that.
func TestRemoteReplay(t *testing.T) {
	far := newFarEnd(t)
	noHandlesLeft(t)
	s := open(t, far.Path, far.options)
	insert(t, s, mem("committed"))
	died := errors.New("the process ended here")
	s.fault = func(step string) error {
		if step == stepPut {
			return died
		}
		return nil
	}
	lost := mem("on record alone")
	err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Insert(lost) })
	if !errors.Is(err, died) {
		t.Fatalf("Write = %v", err)
	}
	s.fault = nil
	// The failed write was taken back. As a dead process leaves it, it stays.
	if n := total(t, s); n != 1 {
		t.Fatalf("%d rows after a write that failed, want 1", n)
	}
	if err := s.journal.Append(&journal.Entry{Operation: "test", Changes: []journal.Change{{ID: lost.ID, After: rowOf(lost)}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	there := open(t, far.Path, far.elsewhere(t).options)
	if n := total(t, there); n != 1 {
		t.Errorf("%d rows elsewhere, want 1", n)
	}
	again := open(t, far.Path, far.options)
	if have := far.ids(t, again); !have[lost.ID] || len(have) != 2 {
		t.Errorf("rows after the replay: %v", have)
	}
}

// The model that wrote the vectors is known to every machine.
func TestRemoteNotesAreShared(t *testing.T) {
	far := newFarEnd(t)
	noHandlesLeft(t)
	model := func(name string) func(*Options) { return func(o *Options) { o.Fingerprint = name } }
	insert(t, open(t, far.Path, far.options, model("model one")), mem("with a vector"))
	same := open(t, far.Path, far.elsewhere(t).options, model("model one"))
	if err := same.CheckVectors(); err != nil {
		t.Errorf("the same model elsewhere: %v", err)
	}
	other := open(t, far.Path, far.elsewhere(t).options, model("model two"))
	var foreign *ForeignVectorsError
	if err := other.CheckVectors(); !errors.As(err, &foreign) || foreign.Recorded != "model one" {
		t.Errorf("another model elsewhere: %v", err)
	}
	// A change is seen when what is known is no longer fresh.
	n, err := same.notes.read()
	if err != nil {
		t.Fatal(err)
	}
	n.Fingerprint = "model two"
	if err := same.notes.write(n); err != nil {
		t.Fatal(err)
	}
	other.notes.remote.since = func(time.Time) time.Duration { return notesFresh }
	if err := other.CheckVectors(); err != nil {
		t.Errorf("after a change by another machine: %v", err)
	}
}

func TestRemoteThatCannotBeUsed(t *testing.T) {
	far := newFarEnd(t)
	noHandlesLeft(t)
	for _, c := range []struct {
		name   string
		change func(*Options)
		says   string
	}{
		{"no bucket", func(o *Options) { o.Path = "s3:///db" }, "names no bucket"},
		{"a bucket that is not there", func(o *Options) { o.Path = "s3://nowhere/db" }, "NoSuchBucket"},
		{"no place for the journal", func(o *Options) { o.StateDir = "" }, "needs a directory on this machine"},
		{"a wrong secret", func(o *Options) {
			o.StorageOptions = maps.Clone(far.Storage)
			o.StorageOptions["aws_secret_access_key"] = "wrong-and-not-to-be-seen"
		}, "storageOptions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Path: far.Path, StateDir: far.StateDir, StorageOptions: far.Storage, Dimensions: width}
			c.change(&o)
			s, err := Open(t.Context(), o)
			var path *PathError
			if !errors.As(err, &path) || !strings.Contains(err.Error(), c.says) || path.Fix == "" || strings.Contains(err.Error(), "not-to-be-seen") {
				t.Errorf("Open = %v, want %q", err, c.says)
			}
			if err == nil {
				s.Close()
			}
		})
	}
}
