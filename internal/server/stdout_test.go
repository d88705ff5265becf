package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// childEnv makes this test binary a sidecar with a fake engine.
const childEnv = "MEMORY_PRO_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	out, err := TakeStdout()
	if err == nil {
		err = Serve(context.Background(), Options{
			In: os.Stdin, Out: out, Errors: os.Stderr, Version: "1.2.3",
			Open: func(_ protocol.InitializeParams, log *slog.Logger) (Engine, error) {
				return &fake{log: log, slow: make(chan struct{})}, nil
			},
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A print in the middle of a request goes to the error stream, not between the
// frames.
func TestStrayPrintDoesNotReachTheStream(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
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
	c := &client{t: t, in: in, frames: make(chan map[string]json.RawMessage, 100)}
	read := make(chan struct{})
	go func() { c.read(out); close(read) }()
	c.initialize()
	for id := 1; id <= 3; id++ {
		c.send(recallRequest(id, "print", 0))
		if a := c.answer(id); a.code != 0 {
			t.Errorf("answer %+v", a)
		}
	}
	in.Close()
	<-read
	if rest, _ := io.ReadAll(out); len(rest) > 0 {
		t.Errorf("after the last frame: %q", rest)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the sidecar: %v", err)
	}
	if n := strings.Count(stderr.String(), "a stray line"); n != 3 {
		t.Errorf("%d stray lines on the error stream, want 3:\n%s", n, stderr.String())
	}
}
