package distlock

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// server is a Redis of the test's own, on loopback.
type server struct {
	port string
	cmd  *exec.Cmd
}

// startRedis needs the Debian package redis-server. Without it the test is left
// out, unless MEMORY_PRO_SERVERS=1 says that it has to be there.
func startRedis(t *testing.T) *server {
	t.Helper()
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("MEMORY_PRO_SERVERS") == "1" {
			t.Fatal("redis-server is not installed: make servers installs it")
		}
		t.Skip("redis-server is not installed, so the lock in Redis is not tested: make servers installs it")
	}
	s := &server{port: freePort(t)}
	s.start(t, binary)
	return s
}

func (s *server) start(t *testing.T, binary string) {
	t.Helper()
	s.cmd = exec.Command(binary, "--port", s.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir())
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + s.port})
	defer client.Close()
	for deadline := time.Now().Add(20 * time.Second); client.Ping(context.Background()).Err() != nil; {
		if time.Now().After(deadline) {
			t.Fatal("redis-server does not answer")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *server) kill() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
}

func (s *server) url() string { return "redis://127.0.0.1:" + s.port }

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

func newLock(t *testing.T, o Options) *Lock {
	t.Helper()
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func hold(t *testing.T, l *Lock, who string) *Lease {
	t.Helper()
	lease, err := l.Acquire(t.Context(), who)
	if err != nil {
		t.Fatalf("Acquire: %v", err)
	}
	return lease
}
