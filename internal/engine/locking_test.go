package engine

import (
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/servertest"
)

// configured is a configuration with everything of it in effect.
func configured(t *testing.T, raw string) func(*Options) {
	t.Helper()
	c, err := config.Parse([]byte(raw), config.Env{Home: "/nowhere", BaseDir: t.TempDir(), Lookup: func(string) (string, bool) { return "", false }})
	if err != nil && !strings.Contains(strings.ToLower(err.Error()), "redis") && !strings.Contains(err.Error(), "locking") {
		t.Fatal(err)
	}
	return func(o *Options) {
		if c.StateDir == "" {
			c.DBPath = o.Config.DBPath
		}
		c.Embedding, o.Config = o.Config.Embedding, c
	}
}

// Without Redis nothing is stored, and everything is still found; with it again
// stores succeed.
func TestRedisGoesAndComes(t *testing.T) {
	redis := servertest.Redis(t)
	_, port, _ := net.SplitHostPort(redis.Addr)
	f := start(t, nil, configured(t, `{"redisUrl":"redis://:@127.0.0.1:`+port+`","locking":{"redis":{"connectTimeoutMs":500}}}`))
	f.remember("The boathouse is locked at nine.")
	m, err := f.MachineLock(t.Context())
	for err == nil && m != nil && m.Holder != "" { // it is given back after the answer
		m, err = f.MachineLock(t.Context())
	}
	if err != nil || m == nil || m.Server != redis.Addr+"/0" {
		t.Errorf("MachineLock = %+v, %v", m, err)
	}
	redis.Kill()
	if m, err := f.MachineLock(t.Context()); m != nil || FaultOf(err) != FaultStoreUnavailable {
		t.Errorf("MachineLock without Redis = %+v, %v", m, err)
	}
	_, err = f.Store(t.Context(), StoreRequest{Who: main, Text: "The mooring is free."})
	if FaultOf(err) != FaultStoreUnavailable || !strings.Contains(err.Error(), redis.Addr) || !strings.Contains(err.Error(), "locking.redis") ||
		!strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("storing without Redis: %v (%s)", err, FaultOf(err))
	}
	if got := f.recalled("boathouse"); len(got) != 1 {
		t.Errorf("recalled %q without Redis", got)
	}
	// A process that starts now reads, too.
	again := reopen(t, f.path, nil, configured(t, `{"redisUrl":"redis://127.0.0.1:`+port+`"}`))
	if got := again.recalled("boathouse"); len(got) != 1 {
		t.Errorf("recalled %q after a start without Redis", got)
	}
	servertest.RedisAt(t, redis.Addr)
	again.remember("The mooring is free.")
	f.remember("The ferry leaves at ten.")
	if n := f.count(); n != 3 {
		t.Errorf("%d rows, want 3", n)
	}
}

// A lock that is asked for and cannot be used is no lock to go without.
func TestUnusableLockKeepsWritersOut(t *testing.T) {
	f := start(t, nil)
	f.remember("The boathouse is locked at nine.")
	for _, raw := range []string{`{"redisUrl":"${NO_SUCH_VARIABLE}"}`, `{"redisUrl":"https://h"}`, `{"locking":{"redis":{"enabled":true}}}`, `{"locking":7}`} {
		e := reopen(t, f.path, nil, configured(t, raw))
		_, err := e.Store(t.Context(), StoreRequest{Who: main, Text: "The mooring is free."})
		if err == nil || !strings.Contains(err.Error(), "the lock between machines cannot be used") {
			t.Errorf("%s: storing: %v", raw, err)
		}
		if m, err := e.MachineLock(t.Context()); m != nil || err == nil {
			t.Errorf("%s: MachineLock = %+v, %v", raw, m, err)
		}
		if got := e.recalled("boathouse"); len(got) != 1 {
			t.Errorf("%s: recalled %q", raw, got)
		}
	}
	off := reopen(t, f.path, nil, configured(t, `{"redisUrl":"${NO_SUCH_VARIABLE}","locking":{"redis":{"enabled":false}}}`))
	off.remember("The mooring is free.")
}

// Two machines are told the same thing at once, many times over. Whether it is
// known is asked under the lock, so it is stored once.
func TestMachinesTakeTurns(t *testing.T) {
	redis, s3 := servertest.Redis(t), servertest.S3(t)
	handlesComeBack(t)
	raw := `{"dbPath":"s3://` + servertest.Bucket + `/db","redisUrl":"redis://` + redis.Addr + `",
		"storageOptions":{"endpoint":"http://` + s3.Addr + `","allowHttp":true,"accessKeyId":"` + servertest.AccessKey + `","secretAccessKey":"` + servertest.SecretKey + `"}}`
	machines := []*fixture{reopen(t, "", nil, configured(t, raw)), reopen(t, "", nil, configured(t, raw))}
	statements := []string{"The boathouse is locked at nine.", "The mooring is free.", "The ferry leaves at ten."}
	var wg sync.WaitGroup
	var created atomic.Int32
	for _, f := range machines {
		for i := range 4 * len(statements) {
			wg.Go(func() {
				a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: statements[i%len(statements)], Importance: 0.5})
				if err != nil {
					t.Error(err)
				}
				if a.Action == Created {
					created.Add(1)
				}
			})
		}
	}
	wg.Wait()
	for i, f := range machines {
		if n := f.count(); n != int64(len(statements)) || int(created.Load()) != len(statements) {
			t.Errorf("machine %d sees %d rows, %d were created, want %d", i, n, created.Load(), len(statements))
		}
	}
}
