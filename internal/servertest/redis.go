package servertest

import (
	"bufio"
	"net"
	"testing"
	"time"
)

// Redis starts a Redis that keeps nothing on disk.
func Redis(t testing.TB) *Process {
	t.Helper()
	return RedisAt(t, FreeAddr(t))
}

// RedisAt starts one at an address, as after a restart.
func RedisAt(t testing.TB, addr string) *Process {
	t.Helper()
	host, port, _ := net.SplitHostPort(addr)
	return run(t, addr, nil, answersPing, find(t, "redis-server"),
		"--port", port, "--bind", host, "--save", "", "--appendonly", "no", "--dir", t.TempDir())
}

func answersPing(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	return err == nil && line == "+PONG\r\n"
}
