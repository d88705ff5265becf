package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/crash/disk"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// childEnv makes this program a child: its value is a childSpec as JSON.
const childEnv = "MEMORY_CRASH_CHILD"

// childSpec tells a child what to do.
type childSpec struct {
	// Task is a key of tasks.
	Task string
	Dir  string
	// Boot is the boot of the machine that this is to be taken for; empty is the
	// running one.
	Boot string
	Seed uint64
	// First is the number of the first worker, Workers how many there are.
	First, Workers int
	// Steps bounds what each worker does between two openings; 0 is no bound.
	Steps int
	// Openings is how often the store is opened, worked on and closed; 0 is once.
	Openings int
	// Maintain has the table maintained now and then.
	Maintain bool
	// Pause lies between two operations of a soaking child, Interval between its
	// reports. A working child makes one pause, after half of its steps.
	Pause, Interval time.Duration
}

// childMain runs in the child and returns its exit code, or reports that this
// process is none.
func childMain() (code int, isChild bool) {
	text := os.Getenv(childEnv)
	if text == "" {
		return 0, false
	}
	var spec childSpec
	err := json.Unmarshal([]byte(text), &spec)
	if err == nil {
		err = tasks[spec.Task](spec)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		return 1, true
	}
	return 0, true
}

var tasks = map[string]func(childSpec) error{
	"work": work, "serve": serve, "soak-read": soakRead, "soak-write": soakWrite, "soak-maintain": soakMaintain,
}

// child is a started process that keeps a record.
type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	record *os.File // its end of the record
	errors *tail
}

// childCommand is this program again, as a child.
func childCommand(spec childSpec) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	return cmd, nil
}

// startChild starts a child. What it wrote to its record before it was killed
// can still be read: the kernel keeps it.
func startChild(spec childSpec) (*child, error) {
	cmd, err := childCommand(spec)
	if err != nil {
		return nil, err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, record: from, errors: &tail{}}
	cmd.ExtraFiles, cmd.Stderr = []*os.File{to}, c.errors
	c.stdin, err = cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return nil, errors.Join(err, from.Close())
	}
	return c, nil
}

// tail keeps the end of what a child says on its standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if n := len(t.text) - 16<<10; n > 0 {
		t.text = t.text[n:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// recorder writes lines, each in one piece. A pipe takes a line of up to 4 KiB
// whole; a longer one may be torn by a kill, and then nobody reads it.
type recorder struct {
	mu sync.Mutex
	to *os.File
}

func (r *recorder) line(l Line) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err = r.to.Write(append(text, '\n'))
	return err
}

// work opens the store and lets the workers loose on it, until standard input
// ends or each has done its steps.
func work(spec childSpec) error {
	rec := &recorder{to: os.NewFile(disk.MarkFD, "record")}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	workers := make([]*worker, spec.Workers)
	for i := range workers {
		workers[i] = newWorker(spec.First+i, spec.Seed)
	}
	for range max(spec.Openings, 1) {
		if err := workOnce(spec, rec, workers, ended); err != nil {
			return err
		}
	}
	return nil
}

func workOnce(spec childSpec, rec *recorder, workers []*worker, ended <-chan struct{}) error {
	ctx := context.Background()
	if err := rec.line(Line{Kind: lineOpening}); err != nil {
		return err
	}
	s, err := openStore(ctx, spec.Dir, spec.Boot)
	if err != nil {
		return err
	}
	rows, err := readAll(ctx, s)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	for _, w := range workers {
		w.rows = map[string]Row{}
		for id, r := range rows {
			if ownerOf(id) == w.number {
				w.rows[id] = r
				w.clock = max(w.clock, r.Time)
			}
		}
	}
	if err := rec.line(Line{Kind: lineOpened}); err != nil {
		return errors.Join(err, s.Close())
	}
	var all, maintaining sync.WaitGroup
	problems := make([]error, len(workers)+1)
	over := make(chan struct{}) // closed when the workers are done
	for i, w := range workers {
		all.Go(func() { problems[i] = w.loop(ctx, s, rec, spec, ended) })
	}
	if spec.Maintain {
		maintaining.Go(func() { problems[len(workers)] = maintainNowAndThen(ctx, s, over) })
	}
	all.Wait()
	close(over)
	maintaining.Wait()
	if err := errors.Join(append(problems, s.Close())...); err != nil {
		return err
	}
	return rec.line(Line{Kind: lineClosed})
}

func (w *worker) loop(ctx context.Context, s *store.Store, rec *recorder, spec childSpec, ended <-chan struct{}) error {
	for n := 0; spec.Steps == 0 || n < spec.Steps; n++ {
		if n > 0 && n == spec.Steps/2 {
			time.Sleep(spec.Pause)
		}
		select {
		case <-ended:
			return nil
		default:
		}
		l := w.next()
		if err := rec.line(l); err != nil {
			return err
		}
		if err := w.run(ctx, s, l); err != nil {
			_ = rec.line(Line{Kind: lineFail, Worker: l.Worker, Step: l.Step, Error: err.Error()})
			return err
		}
		w.done(l)
		if err := rec.line(Line{Kind: lineAck, Worker: l.Worker, Step: l.Step}); err != nil {
			return err
		}
	}
	return nil
}

// maintainPause lies between two runs of maintenance.
const maintainPause = 150 * time.Millisecond

func maintainNowAndThen(ctx context.Context, s *store.Store, over <-chan struct{}) error {
	for {
		select {
		case <-over:
			return nil
		case <-time.After(maintainPause):
		}
		if _, err := s.Maintain(ctx); err != nil {
			return fmt.Errorf("maintaining: %w", err)
		}
	}
}
