package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// reembedEnv tells the child at which step it dies, and reembedTo with which model.
const (
	reembedEnv = "MEMORY_STORE_TEST_REEMBED"
	reembedTo  = "MEMORY_STORE_TEST_REEMBED_TO"
)

var reembedSteps = []string{stepReembedBuilt, stepReembedNote, stepReembedPublish, stepReembedDone, stepReembedSettle, stepReembedSettled}

func modelNamed(name string) model {
	for _, m := range []model{newModel, wideModel} {
		if m.name == name {
			return m
		}
	}
	return oldModel
}

// reembedder embeds the table anew and dies on the way.
func reembedder(ctx context.Context, path string) int {
	to := modelNamed(os.Getenv(reembedTo))
	o := Options{Path: path}
	to.options(&o)
	s, err := Open(ctx, o)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	kept := 0
	die := func(step string) error {
		if step == os.Getenv(reembedEnv) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}
	s.fault = die
	r, err := s.Reembed()
	if err == nil {
		_, err = r.Missing(ctx, func(ms []memory.Memory) error {
			for some := range slices.Chunk(ms, 4) {
				var texts []string
				var vectors [][]float32
				for _, m := range some {
					texts, vectors = append(texts, m.Text), append(vectors, to.vector(m.Text))
				}
				if err := r.Keep(texts, vectors); err != nil {
					return err
				}
				kept += len(texts)
				_ = die(fmt.Sprintf("kept %d", kept))
			}
			return nil
		})
	}
	if err == nil {
		_, err = r.Finish(ctx)
	}
	fmt.Println("did not die", err)
	return 1
}

func dieReembedding(t *testing.T, path string, to model, step string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=reembed:"+path, reembedEnv+"="+step, reembedTo+"="+to.name)
	out, err := cmd.Output()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); err == nil || !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the child ended otherwise: %v: %s", err, out)
	}
}

// B104: a process that is killed anywhere leaves the old vectors or the new ones,
// whole, to whoever comes next: by opening the database, or by the next use of one that
// was open all the time. The next run goes on and completes.
func TestReembedKilled(t *testing.T) {
	for _, to := range []model{newModel, wideModel} {
		for _, step := range append([]string{"kept 12"}, reembedSteps...) {
			t.Run(to.name+" "+step, func(t *testing.T) {
				noHandlesLeft(t)
				path := t.TempDir()
				was := oldModel.memories("Lighthouse number %d stands on a rock", 30)
				first := open(t, path, oldModel.options)
				insert(t, first, was...)
				dieReembedding(t, path, to, step)

				after := slices.Index(reembedSteps, step) >= slices.Index(reembedSteps, stepReembedDone)
				now := oldModel
				if after {
					now = to
				}
				// It is not yet known which, perhaps; nothing is compared then.
				if got := matching(t, first, "lighthouse 7", 3); len(got) == 0 {
					t.Error("not found by words at once")
				}
				more := mem("Stored afterwards", withVector(oldModel.vector("Stored afterwards")))
				insert(t, first, more)
				was = append(was, more)
				wantModel(t, first, was, now)
				if used := first.CheckVectors() == nil; used == after {
					t.Errorf("the process with the old model uses the vectors: %v", used)
				}
				s := open(t, path, to.options)
				if used := s.CheckVectors() == nil; used != after {
					t.Errorf("the new one uses them: %v", used)
				}
				wantModel(t, s, was, now)
				r, err := s.Reembed()
				if err != nil {
					t.Fatal(err)
				}
				if want := map[bool]int{true: 12, false: 30}[step == "kept 12"]; r.Kept != want {
					t.Errorf("%d texts have kept their vector, want %d", r.Kept, want)
				}
				if err := r.Close(); err != nil {
					t.Fatal(err)
				}
				if done := embedAll(t, s, to, nil); done.Rows != 31 || done.Pending != 0 {
					t.Errorf("%+v", done)
				}
				wantModel(t, s, was, to)
				if !found(t, s, to, was[7].Text) || !found(t, s, to, "Stored afterwards") {
					t.Error("not found by the new vectors")
				}
				if _, err := os.Stat(filepath.Join(path, besideDir)); !os.IsNotExist(err) {
					t.Errorf("what was built is left: %v", err)
				}
			})
		}
	}
}

// The same without a death: the caller is told, and the next use ends what was begun.
func TestReembedFails(t *testing.T) {
	for _, step := range append(slices.Clone(reembedSteps), stepCheckpoint) {
		t.Run(step, func(t *testing.T) {
			noHandlesLeft(t)
			path := t.TempDir()
			was := oldModel.memories("Lighthouse number %d stands on a rock", 10)
			first := open(t, path, oldModel.options)
			insert(t, first, was...)
			if err := first.checkpoint(t.Context()); err != nil {
				t.Fatal(err)
			}
			s := open(t, path, wideModel.options)
			r, err := s.Reembed()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close() //nolint:errcheck // said below
			keepAll(t, r, wideModel, nil)
			refused := failing(s, 1, step)
			if _, err := r.Finish(t.Context()); err == nil || !errors.Is(err, refused) {
				t.Errorf("told: %v", err)
			}
			more := mem("next", withVector(wideModel.vector("next")))
			insert(t, s, more)
			published := s.CheckVectors() == nil
			if want := step == stepCheckpoint || slices.Index(reembedSteps, step) >= slices.Index(reembedSteps, stepReembedDone); published != want {
				t.Errorf("taken over: %v, want %v", published, want)
			}
			if !published {
				keepAll(t, r, wideModel, nil)
				if _, err := r.Finish(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			wantModel(t, s, append(was, more), wideModel)
			if !found(t, s, wideModel, "next") {
				t.Error("not found")
			}
		})
	}
}
