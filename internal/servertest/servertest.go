// Package servertest starts the servers that tests need, on loopback, each with a
// directory and a port of its own, and ends them with the test.
//
// Caveats: redis-server is a Debian package, versitygw (object storage with the
// interface of Amazon's S3, over a directory) a Go program; `make servers` installs
// both. Without them such a test is left out, unless MEMORY_PRO_SERVERS=1 says
// that they have to be there.
package servertest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// Process is a running server.
type Process struct {
	// Addr is host:port.
	Addr string

	cmd *exec.Cmd
}

// Kill ends the server as a power cut would. Killing twice does nothing.
func (p *Process) Kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}

// find looks for a program in PATH and where `make servers` puts it.
func find(t testing.TB, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	if cache, err := os.UserCacheDir(); err == nil {
		if path, err := exec.LookPath(filepath.Join(cache, "memory-lancedb-pro", "servers", name)); err == nil {
			return path
		}
	}
	if os.Getenv("MEMORY_PRO_SERVERS") == "1" {
		t.Fatalf("%s is not installed: make servers installs it", name)
	}
	t.Skipf("%s is not installed, so this is not tested: make servers installs it", name)
	return ""
}

// run starts a server and waits until it is ready.
func run(t testing.TB, addr string, env []string, ready func(addr string) bool, binary string, args ...string) *Process {
	t.Helper()
	p := &Process{Addr: addr, cmd: exec.Command(binary, args...)}
	p.cmd.Env = append(os.Environ(), env...)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	for deadline := time.Now().Add(30 * time.Second); !ready(addr); {
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer at %s", binary, addr)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return p
}

// FreeAddr is an address on loopback where nobody listens.
func FreeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "127.0.0.1:" + strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}
