package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// importing runs memory-pro import in a process of its own, with --json.
func importing(t *testing.T, home, db string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := exec.LookPath("memory-pro") // put there by testscript.Main
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, append([]string{"import", "--json", "--db", db}, args...)...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "MEMORY_PRO_MODEL=off", "OPENCLAW_CONFIG_PATH=", "OPENCLAW_STATE_DIR=")
	return cmd
}

// Ctrl-C ends an import in order, also one that waits for more to read: what is
// counted is stored, it says how to go on, and the same file again adds the rest.
func TestInterruptedImport(t *testing.T) {
	home := t.TempDir()
	db := filepath.Join(home, "data", "db")
	var file bytes.Buffer
	const n = 3000
	for i := range n {
		fmt.Fprintf(&file, "{\"id\":\"00000000-0000-4000-8000-%012d\",\"text\":\"Statement number %d%s\",\"scope\":\"global\"}\n", i, i, strings.Repeat(", at length", 60))
	}
	cmd := importing(t, home, db, "-")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(file.Bytes()[:file.Len()*2/3]); err != nil { // and no end
		t.Fatal(err)
	}
	// Something is stored by now, and more could come.
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if files, _ := filepath.Glob(filepath.Join(db, "memories.lance", "data", "*")); len(files) > 0 {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("nothing was stored: %s", &said)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitFailure || exit.Sys().(syscall.WaitStatus).Signaled() {
		t.Fatalf("%v: %s%s", err, &out, &said)
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("it took %s to stop", took)
	}
	counts := func(b []byte) (c importJSON) {
		if err := json.Unmarshal(b, &c); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		return c
	}
	first := counts(out.Bytes())
	if !first.Interrupted || first.Imported == 0 || first.Imported >= n || !strings.Contains(said.String(), "run the same command again") {
		t.Errorf("%+v\n%s", first, &said)
	}
	path := filepath.Join(home, "file.ndjson")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	rest, err := importing(t, home, db, path).Output()
	if err != nil {
		t.Fatal(err)
	}
	if second := counts(rest); second.Interrupted || second.Imported+first.Imported != n || second.Skipped != first.Imported {
		t.Errorf("first %+v, then %+v", first, second)
	}
}
