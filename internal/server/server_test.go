package server

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// Eight calls that hang must not keep a ninth from being answered in time.
func TestHangingCallsDoNotBlockOthers(t *testing.T) {
	c := start(t, nil)
	c.initialize()
	for id := 1; id <= 8; id++ {
		c.send(recallRequest(id, "hang", 60_000))
	}
	eventually(t, "eight calls hang", func() bool { return c.fake.hung.Load() == 8 })
	began := time.Now()
	c.send(recallRequest(9, "anything", 2000))
	if a := c.answer(9); a.code != 0 {
		t.Errorf("the ninth call failed: %s", a.message)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("the ninth call took %s", took)
	}
	close(c.fake.slow)
	got := map[string]bool{}
	for range 8 {
		got[string(c.next()["id"])] = true
	}
	if len(got) != 8 {
		t.Errorf("answers to the hanging calls: %v", got)
	}
}

func TestDeadline(t *testing.T) {
	for _, query := range []string{"hang", "deaf"} { // one honours its context, one does not
		t.Run(query, func(t *testing.T) {
			c := start(t, nil)
			defer close(c.fake.slow)
			c.initialize()
			c.send(recallRequest(1, query, 20))
			if a := c.answer(1); a.code != int(protocol.CodeDeadline) {
				t.Errorf("answer %+v, want code %d", a, protocol.CodeDeadline)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	c := start(t, nil)
	c.initialize()
	c.send(recallRequest(7, "hang", 60_000))
	eventually(t, "the call hangs", func() bool { return c.fake.hung.Load() == 1 })
	c.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}`)
	if a := c.answer(7); a.code != int(protocol.CodeCancelled) {
		t.Errorf("answer %+v, want code %d", a, protocol.CodeCancelled)
	}
}

func TestPanicCostsOneRequest(t *testing.T) {
	c := start(t, nil)
	c.initialize()
	c.send(recallRequest(1, "panic", 0))
	if a := c.answer(1); a.code != int(protocol.CodeInternal) || !strings.Contains(a.message, "please report") {
		t.Errorf("answer %+v", a)
	}
	c.send(recallRequest(2, "calm", 0))
	if a := c.answer(2); a.code != 0 {
		t.Errorf("the next request: %+v", a)
	}
}

// B122: sizes and shapes of messages.
func TestLargeAndOddlyWrittenMessages(t *testing.T) {
	c := start(t, nil)
	c.initialize()
	id := 0
	for _, size := range []int{60_000, 70_000, memory.MaxTextBytes} {
		id++
		c.send(storeRequest(id, strings.Repeat("x", size)))
		if a := c.answer(id); a.code != 0 {
			t.Errorf("storing %d bytes: %s", size, a.message)
		}
	}
	id++
	c.send(storeRequest(id, strings.Repeat("y", 20<<20)))
	if a := c.answer(id); a.code != int(protocol.CodeTooLarge) || !strings.Contains(a.message, "at most 1048576") {
		t.Errorf("storing 20 MiB: %.200v", a)
	}

	id++
	c.send(storeRequest(id, "line one\nline two\r\n\r\nContent-Length: 5\u2028"))
	if a := c.answer(id); a.code != 0 || !strings.Contains(string(a.result), "line two") {
		t.Errorf("newlines inside a string: %+v", a)
	}

	c.write(frame(recallRequest(100, "line", 0)) + frame(recallRequest(101, "line", 0)))
	c.answer(100) // the two may be answered in either order, and answer drops others
	id++
	c.send(recallRequest(id, "line", 0))
	c.answer(id)

	for _, b := range []byte(frame(recallRequest(102, "line", 0))) {
		c.write(string(b))
	}
	if a := c.answer(102); a.code != 0 {
		t.Errorf("a request in single bytes: %s", a.message)
	}

	body := recallRequest(103, "line", 0)
	c.write("Content-Type: application/json\r\n" + frame(body))
	if a := c.answer(103); a.code != 0 {
		t.Errorf("another content type: %s", a.message)
	}

	// A large answer: 3 × 1 MiB in full.
	c.send(request(104, protocol.MethodToolRecall, `{"context":{"agentId":"main"},"params":{"query":"xxx","limit":20,"includeFullText":true}}`))
	if a := c.answer(104); a.code != 0 || len(a.result) < 2*memory.MaxTextBytes {
		t.Errorf("a large answer has %d bytes, error %q", len(a.result), a.message)
	}
}

func TestRequestsInOneWriteAreBothAnswered(t *testing.T) {
	c := start(t, nil)
	c.initialize()
	c.write(frame(recallRequest(1, "a", 0)) + frame(recallRequest(2, "b", 0)))
	got := map[string]bool{string(c.next()["id"]): true, string(c.next()["id"]): true}
	if !got["1"] || !got["2"] {
		t.Errorf("answers to %v", got)
	}
}

// What was asked before the input ended is answered; then the session ends.
func TestEndOfInputAfterAnswers(t *testing.T) {
	c := start(t, func(o *Options) { o.Grace = patience })
	c.initialize()
	c.send(recallRequest(1, "hang", 60_000))
	eventually(t, "the call hangs", func() bool { return c.fake.hung.Load() == 1 })
	c.write(frame(storeRequest(2, "The last word")))
	c.in.Close()
	if a := c.answer(2); a.code != 0 {
		t.Errorf("store: %s", a.message)
	}
	close(c.fake.slow)
	if a := c.answer(1); a.code != 0 {
		t.Errorf("recall: %s", a.message)
	}
	c.end()
	if !c.fake.closed.Load() {
		t.Error("the engine was not closed")
	}
}

// A signal works the same way, and a request that never ends does not keep the
// program alive.
func TestSignalEndsTheSession(t *testing.T) {
	c := start(t, nil)
	c.initialize()
	c.send(recallRequest(1, "hang", 60_000))
	eventually(t, "the call hangs", func() bool { return c.fake.hung.Load() == 1 })
	began := time.Now()
	c.cancel()
	c.end()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("ending took %s", took)
	}
	if !c.fake.closed.Load() {
		t.Error("the engine was not closed")
	}
}

func TestShutdownIsAnswered(t *testing.T) {
	c := start(t, nil)
	c.initialize()
	c.send(request(1, protocol.MethodShutdown, `{}`))
	if a := c.answer(1); a.code != 0 || string(a.result) != "{}" {
		t.Errorf("answer %+v", a)
	}
	c.end()
}

func TestConfigurationErrorIsKept(t *testing.T) {
	c := start(t, nil)
	c.send(request(1, protocol.MethodInitialize, `{"protocolVersion":1,"config":{"broken":true}}`))
	if a := c.answer(1); a.code == 0 {
		t.Error("initialize with a broken configuration succeeded")
	}
	c.send(recallRequest(2, "tea", 0))
	if a := c.answer(2); a.code != int(protocol.CodeNotInitialized) || !strings.Contains(a.message, "embedding.model") {
		t.Errorf("answer %+v", a)
	}
	c.initialize() // a corrected configuration works
	c.send(recallRequest(3, "tea", 0))
	if a := c.answer(3); a.code != 0 {
		t.Errorf("answer %+v", a)
	}
}

// Every kind of failure the engine knows has a row in the protocol's table.
func TestEngineFaultsHaveCodes(t *testing.T) {
	rows := map[protocol.Fault]bool{}
	for _, row := range protocol.Faults() {
		rows[row.Fault] = true
	}
	for _, f := range engine.Faults() {
		if !rows[protocol.Fault(f)] {
			t.Errorf("fault %q of the engine has no code", f)
		}
	}
}

// The host hears of every change, without asking, and of nothing while all is well.
func TestHealthIsTold(t *testing.T) {
	c := start(t, func(o *Options) { o.HealthEvery = time.Millisecond })
	c.initialize()
	next := func() protocol.HealthResult {
		t.Helper()
		for {
			select {
			case f, open := <-c.frames:
				if !open {
					t.Fatal("the stream ended")
				}
				if string(f["method"]) != `"health"` {
					continue
				}
				var h protocol.HealthResult
				if err := json.Unmarshal(f["params"], &h); err != nil {
					t.Fatal(err)
				}
				return h
			case <-time.After(10 * time.Second):
				t.Fatal("nothing was told")
			}
		}
	}
	for _, step := range []struct {
		health engine.Health
		state  engine.State
		cause  string
	}{
		{engine.Health{EmbeddingError: "nothing listens there"}, engine.Degraded, "nothing listens there"},
		{engine.Health{EmbeddingError: "wrong key"}, engine.Degraded, "wrong key"},
		{engine.Health{StoreError: "disk gone", EmbeddingError: "wrong key"}, engine.Unavailable, "disk gone"},
		{engine.Health{StoreOpen: true}, engine.Available, ""},
	} {
		c.fake.setHealth(step.health)
		if h := next(); h.State != string(step.state) || h.Cause != step.cause {
			t.Errorf("told %q (%q), want %q (%q)", h.State, h.Cause, step.state, step.cause)
		}
	}
}
